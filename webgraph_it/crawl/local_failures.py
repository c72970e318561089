"""What to say when this machine, not a server, is why URLs cannot be fetched: once a minute. Pure.

The URLs lose nothing by it: they go back to the frontier as they were (visit.GiveBack). The operator should know.
"""

SAID_EVERY_SECONDS = 60.0

_WORDS = {
    "local-files": (
        "no file descriptor is free",
        "Raise the limit (ulimit -n) or lower MAX_TCP_CONNECTIONS.",
    ),
    "local-ports": (
        "no local port is free",
        "Widen net.ipv4.ip_local_port_range or lower MAX_TCP_CONNECTIONS.",
    ),
    "local-memory": ("the kernel has no memory for another socket", "Lower MAX_TCP_CONNECTIONS."),
    "local-network": ("its network is down", "The crawl continues when the network is back."),
}


class LocalFailures:
    """Counts them by reason (`fetch/error/<reason>` has the totals)."""

    def __init__(self) -> None:
        self._unsaid: dict[str, int] = {}
        self._said_at: dict[str, float] = {}

    def note(self, reason: str, now: float) -> str:
        """A URL went back because of it. What to log; empty: it was said less than a minute ago."""
        count = self._unsaid[reason] = self._unsaid.get(reason, 0) + 1
        if now - self._said_at.get(reason, -SAID_EVERY_SECONDS) < SAID_EVERY_SECONDS:
            return ""
        self._said_at[reason] = now
        self._unsaid[reason] = 0
        found, remedy = _WORDS[reason]
        urls = "1 URL goes" if count == 1 else f"{count:,} URLs go"
        return f"This machine cannot fetch: {found} ({reason}). {urls} back to be tried again. {remedy}"
