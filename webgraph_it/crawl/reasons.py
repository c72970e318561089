"""The only table of what a missing reply means for the host and for the URL. Pure.

A reason is the name that the fetcher gives a failure (docs/fetching.md). It stays the same from the socket to the stats
(`fetch/error/<reason>`), to the exception that Scrapy's users see (`error.reason`) and to the page log.
"""

from typing import NamedTuple

from webgraph_it.frontier.records import Failure

CALLED_OFF = "called-off"
"""The crawl is stopping and did not wait for this fetch."""
COMPONENT = "component"
"""An exception in a downloader middleware or handler that is not a failed fetch: a bug in that component."""


class Meaning(NamedTuple):
    """What a failure means."""

    failure: Failure
    """What counts against the host; NONE if nothing does."""
    nobody_there: bool = False
    """Whether the site may exist under another spelling."""
    goes_back: bool = False
    """Whether the URL goes back as it was, because it was not really tried."""


_DNS = Meaning(Failure.DNS, nobody_there=True)
_ABSENT = Meaning(Failure.NETWORK, nobody_there=True)
_NETWORK = Meaning(Failure.NETWORK)
_NOT_TRIED = Meaning(Failure.NONE, goes_back=True)

MEANINGS = {
    "dns-nxdomain": _DNS,
    "dns-no-address": _DNS,
    "dns-timeout": _DNS,
    "dns-server": _DNS,
    "dns-name": _DNS,
    "dns": _DNS,
    "refused": _ABSENT,
    "unreachable": _ABSENT,
    "connect-timeout": _NETWORK,
    "silence": _NETWORK,
    "timeout": _NETWORK,
    "tls": _NETWORK,
    "no-response": _NETWORK,
    "reset": _NETWORK,
    "not-http": _NETWORK,
    "head-bytes": _NETWORK,
    "header-count": _NETWORK,
    "incomplete-head": _NETWORK,
    "dataloss": _NETWORK,
    "url": _NETWORK,
    "network": _NETWORK,
    "local-files": _NOT_TRIED,
    "local-ports": _NOT_TRIED,
    "local-memory": _NOT_TRIED,
    "local-network": _NOT_TRIED,
    "local-resolver": _NOT_TRIED,
    CALLED_OFF: _NOT_TRIED,
    COMPONENT: Meaning(Failure.SERVER),
}
"""`dns` and `network`: a user's own component raised Scrapy's exception, so no socket of ours named the failure."""


BUSY_STATUSES = (429, 503)


def meaning_of(reason: str) -> Meaning | None:
    """None for a reason that is not a failed fetch: a refusal, such as by robots.txt."""
    return _DNS if reason.startswith("forbidden/") else MEANINGS.get(reason)


def failure_of_status(status: int) -> Failure:
    """What an HTTP status says about the host."""
    if status in BUSY_STATUSES:
        return Failure.BUSY
    return Failure.SERVER if status >= 500 else Failure.NONE


def failure_of(status: int, reason: str) -> Failure:
    """What a page says about its host. Status 0: there was no reply, and the reason says why."""
    if status:
        return failure_of_status(status)
    meaning = meaning_of(reason)
    return Failure.NONE if meaning is None else meaning.failure
