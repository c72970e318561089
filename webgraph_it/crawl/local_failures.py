"""The warning, at most once a minute, that this machine rather than a server keeps URLs from being fetched. Pure.

The URLs lose nothing: they go back to the frontier as they were (visit.GiveBack).
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
    "local-resolver": (
        "no DNS server can be reached",
        "Check DNS_SERVERS, or /etc/resolv.conf if that is not set: the crawl continues when one answers.",
    ),
    "local-network": ("its network is down", "The crawl continues when the network is back."),
}


class LocalFailures:
    """Counts them by reason (`fetch/error/<reason>` has the totals)."""

    def __init__(self) -> None:
        self._unsaid: dict[str, int] = {}
        self._said_at: dict[str, float] = {}

    def note(self, reason: str, now: float) -> str:
        """Count a URL that went back. Returns what to log, or "" within a minute of the last warning."""
        count = self._unsaid[reason] = self._unsaid.get(reason, 0) + 1
        if now - self._said_at.get(reason, -SAID_EVERY_SECONDS) < SAID_EVERY_SECONDS:
            return ""
        self._said_at[reason] = now
        self._unsaid[reason] = 0
        found, remedy = _WORDS[reason]
        urls = "1 URL goes" if count == 1 else f"{count:,} URLs go"
        return f"This machine cannot fetch: {found} ({reason}). {urls} back to the frontier for a retry. {remedy}"
