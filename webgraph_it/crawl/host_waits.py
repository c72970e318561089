"""Groups the hosts that wait by reason, and translates the frontier's reasons into the log's. Pure."""

from collections.abc import Container, Iterable

from webgraph_it.crawl.standstill import HostWait, Why
from webgraph_it.frontier.records import Failure, Wait

FAILURES = {
    Failure.BUSY: Why.BUSY,
    Failure.SERVER: Why.SERVER,
    Failure.NETWORK: Why.NETWORK,
    Failure.DNS: Why.DNS,
}


def why(wait: Wait, robots_waits: Container[str]) -> Why:
    """`robots_waits`: hosts whose robots.txt was unreachable."""
    if wait.for_address:
        return Why.ADDRESS
    if wait.host in robots_waits:
        return Why.ROBOTS
    if wait.failure is not Failure.NONE:
        return FAILURES[wait.failure]
    return Why.CRAWL_DELAY if wait.crawl_delay else Why.DELAY


def grouped(waits: Iterable[Wait], robots_waits: Container[str], ahead: float) -> tuple[HostWait, ...]:
    """Times are by the machine's clock; `ahead` is how many seconds the crawl's clock is ahead of it."""
    groups: dict[Why, tuple[int, float]] = {}
    for wait in waits:
        reason = why(wait, robots_waits)
        hosts, until = groups.get(reason, (0, wait.until))
        groups[reason] = (hosts + 1, min(until, wait.until))
    return tuple(HostWait(reason, hosts, until - ahead) for reason, (hosts, until) in groups.items())
