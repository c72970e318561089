"""The state of a crawl and why: what `control status`, REST and the console show. Pure."""

from dataclasses import asdict
from typing import Any

from webgraph_it.crawl.progress import Snapshot
from webgraph_it.crawl.standstill import Facts
from webgraph_it.crawl.steering import Steering
from webgraph_it.frontier.records import Counts

NEARLY = 0.9
"""A cap that is used to this share is what limits the crawl."""


def status_of(snapshot: Snapshot, facts: Facts, steering: Steering) -> dict[str, Any]:
    """One JSON object."""
    return {
        "state": "paused" if facts.pauses else "running",
        "pauses": list(facts.pauses),
        "limit": limit_of(snapshot, facts),
        **asdict(snapshot),
        "rules": [rule.written() for rule in steering.rules],
        "parked": {host: until for host, until in steering.parked if until > snapshot.time},
    }


def limit_of(snapshot: Snapshot, facts: Facts) -> str:
    """What the crawl would need more of to be faster: pause, disk, plan, bandwidth, connections, cpu or politeness.

    `plan`: a continuous crawl has nothing to fetch and waits for its next plan."""
    if facts.pauses:
        return "pause"
    if facts.disk_is_full:
        return "disk"
    if facts.awaits_plan:
        return "plan"
    cap = snapshot.bandwidth_cap
    if cap is not None and (facts.waiting_for_bandwidth or snapshot.wire_bytes_per_second >= NEARLY * cap):
        return "bandwidth"
    if facts.waiting_for_connection:
        return "connections"
    return "cpu" if snapshot.hosts_ready else "politeness"


def with_parked(counts: Counts, parked: int) -> Counts:
    """The counts of the frontier with so many more hosts parked: by operators, of whom it does not know."""
    from_ready = max(0, parked - counts.hosts_waiting)
    return counts._replace(
        hosts_parked=counts.hosts_parked + parked,
        hosts_waiting=counts.hosts_waiting - parked + from_ready,
        hosts_ready=max(0, counts.hosts_ready - from_ready),
    )
