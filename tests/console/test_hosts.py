"""Hosts in order, of any number of hosts."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from statistics import median
from typing import Any, cast

import pytest

from webgraph_it.console.hosts import LIVE_HOSTS, SORTS, Hosts, Ranking, host_row
from webgraph_it.console.source import Crawl, Row
from webgraph_it.frontier.hosts import Host
from webgraph_it.frontier.politeness import Clock
from webgraph_it.frontier.records import Failure


def row(name: str, queued: int = 1, **clock: Any) -> Row:
    host = Host(name, queued=queued, accepted=queued, failed=clock.pop("failed", 0), clock=Clock(**clock))
    return name.encode(), host.packed()


class Store:
    """As much of a crawl as is asked for hosts."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows, self.host_count, self.read = rows, len(rows), 0
        self.parked: dict[str, float] = {}
        self.busy = Counter({"it,pieno": 7, "it,rotto": 2, "it,sparito": 9})

    def host_record(self, name: str) -> Row | None:
        return next((each for each in self.rows if each[0] == name.encode()), None)

    def host_rows(self) -> Iterator[Row]:
        return iter(self.rows)

    def committed_host_rows(self, first: bytes) -> Iterator[Row]:
        self.read += 1
        return (each for each in self.rows if each[0] >= first)


def hosts_of(store: Store) -> Hosts:
    return Hosts(cast(Crawl, store))


SOME = [
    row("it,lungo", 50),
    row("it,lento", 2, duration_seconds=9.0),
    row("it,pieno", 3, failures=4, failure=Failure.BUSY, failed=4),
    row("it,rotto", 3, failures=2, failure=Failure.NETWORK, failed=8),
    row("it,fermo", 3, parked=True, ready_at=5.0),
    row("it,vuoto", 0),
]


@pytest.mark.parametrize(
    ("sort", "first"),
    [
        ("queue", "it,lungo"),
        ("slow", "it,lento"),
        ("busy", "it,pieno"),
        ("failed", "it,rotto"),
        ("parked", "it,fermo"),
    ],
)
def test_orders(sort: str, first: str) -> None:
    found = asyncio.run(hosts_of(Store(SOME)).top(sort, 10))
    assert found["hosts"][0]["host"] == first
    assert found["complete"]


def test_hosts_that_said_429_or_503_are_in_order_of_how_often() -> None:
    found = asyncio.run(hosts_of(Store(SOME)).top("busy", 10))
    assert [(each["host"], each["busy"]) for each in found["hosts"]] == [("it,pieno", 7), ("it,rotto", 2)]


def test_a_record_is_shown() -> None:
    found = host_row(SOME[2], {"it,pieno": 7}, {})
    assert (found.host, found.queued, found.failure, found.failures, found.busy, found.parked) == (
        "it,pieno",
        3,
        "busy",
        4,
        7,
        False,
    )


def test_a_ranking_keeps_the_first_of_each_order() -> None:
    ranking = Ranking(most=3)
    ranking.add(row(f"it,h{number:03}", number) for number in range(100))
    assert [host_row(each, {}, {}).queued for each in ranking.top("queue")] == [99, 98, 97]
    assert set(SORTS) == {*ranking._heaps, "busy"}


def test_a_name_is_found_among_many() -> None:
    store = Store([row(f"it,h{number:05}") for number in range(LIVE_HOSTS * 2)])
    found = asyncio.run(hosts_of(store).find("it,h0012", 5))
    assert [each["host"] for each in found["hosts"]] == [f"it,h0012{digit}" for digit in range(5)]


def test_two_hundred_thousand_hosts_are_answered_in_a_tenth_of_a_second() -> None:
    store = Store([row(f"it,h{number:06}", number) for number in range(200_000)])

    async def asked() -> tuple[list[float], dict[str, Any]]:
        hosts, times = hosts_of(store), []
        while True:
            began = time.monotonic()
            found = await hosts.top("queue", 50)
            times.append(time.monotonic() - began)
            if found["complete"]:
                await hosts.top("slow", 50)
                await hosts.close()
                return times, found
            await asyncio.sleep(0.1)

    times, found = asyncio.run(asked())
    assert found["hosts"][0]["queued"] == 199_999
    assert found["read"] == 200_000
    assert store.read == 1, "one list serves every order for a while"
    assert median(times) < 0.1, "a busy machine may delay one of them"


def test_hosts_that_operators_parked_are_parked() -> None:
    store = Store(SOME)
    store.parked = {"it,lungo": 90.0, "it,lento": 95.0, "it,nuovo": 99.0}
    found = asyncio.run(hosts_of(store).top("parked", 9))["hosts"]
    assert [(each["host"], each["parked"], each["ready_at"]) for each in found] == [
        ("it,lento", True, 95.0),
        ("it,lungo", True, 90.0),
        ("it,fermo", True, 5.0),
    ]
