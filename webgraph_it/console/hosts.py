"""Hosts in order: longest queues, most failures, slowest … of any number of hosts, at a bounded cost.

Of a small crawl they are read as they are now. Of a large one a thread reads what was committed, row by row, and keeps
the first TOP of each order. It takes a small share of a core, and reads again only while somebody asks.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from heapq import heappush, heappushpop
from itertools import islice
from typing import Any, NamedTuple

from webgraph_it.console.source import Crawl, Row
from webgraph_it.frontier.hosts import FAILURE_SHIFT, GIVEN_UP, PARKED, TAIL_MARK
from webgraph_it.frontier.layout import HOST_HEAD
from webgraph_it.frontier.records import Failure

TOP = 200
LIVE_HOSTS = 1_000
"""A crawl with no more hosts is read as it is now: five milliseconds."""
SLICE = 2_000
REST = 4
"""A slice that took a moment is followed by a rest of so many."""
AGAIN_SECONDS = 5.0
AGAIN_FACTOR = 200
"""A list is used for so many times the time that reading took: half a percent of a core."""
FIRST_WAIT_SECONDS = 0.05
"""Who asks first waits so long, and then gets what was read so far."""


class HostRow(NamedTuple):
    """What is shown of one host."""

    host: str
    queued: int
    accepted: int
    finished: int
    failed: int
    ready_at: float
    crawl_delay: float
    seconds: float
    """Of its last fetch."""
    failures: int
    """In a row."""
    parked: bool
    given_up: bool
    failure: str
    """What its last fetch came to; empty if all was well. `busy` is 429 or 503."""
    address: str
    busy: int
    """Answers 429 and 503 since the crawl began; 0 also for a host that has fewer than the 1,000 that have most."""


def host_row(row: Row, busy: Mapping[str, int], parked: Mapping[str, float]) -> HostRow:
    """From the frontier's record (frontier/layout.py). `parked`: by operators, and until when."""
    name, packed = row
    head = HOST_HEAD.unpack_from(packed)
    queued, accepted, finished, failed, ready_at, crawl_delay, seconds, failures, _, flags = head[:10]
    failure = Failure(flags >> FAILURE_SHIFT)
    until = parked.get(name.decode(), 0.0)
    return HostRow(
        name.decode(),
        *(queued, accepted, finished, failed, max(ready_at, until), crawl_delay, seconds, failures),
        bool((flags & PARKED or until) and queued),
        bool(flags & GIVEN_UP),
        "" if failure is Failure.NONE else failure.name.lower(),
        packed[HOST_HEAD.size :].partition(TAIL_MARK)[0].decode(),
        busy.get(name.decode(), 0),
    )


Rank = Callable[[Any], float]
"""Of a head as HOST_HEAD unpacks it: the higher, the earlier in the list; 0 or less is left out."""


RANKS: Mapping[str, Rank] = {
    "queue": lambda head: head[0],
    "finished": lambda head: head[2],
    "failed": lambda head: head[3],
    "slow": lambda head: head[6],
    "parked": lambda head: head[4] if head[9] & PARKED and head[0] else 0.0,
    "crawl-delay": lambda head: head[5],
}
BUSY = "busy"
"""By answers 429 and 503, which the crawl counts."""
SORTS = (*RANKS, BUSY)


class Ranking:
    """The first TOP rows of every order, of the rows that were given so far."""

    def __init__(self, most: int = TOP) -> None:
        self._most = most
        self._heaps: dict[str, list[tuple[float, bytes, bytes]]] = {name: [] for name in RANKS}
        self.read = 0

    def add(self, rows: Iterable[Row]) -> None:
        most, unpack = self._most, HOST_HEAD.unpack_from
        sorts = [(rank, self._heaps[name]) for name, rank in RANKS.items()]
        for name, packed in rows:
            head = unpack(packed)
            self.read += 1
            for rank, heap in sorts:
                value = rank(head)
                if value <= 0:
                    continue
                if len(heap) < most:
                    heappush(heap, (value, name, packed))
                elif value > heap[0][0]:
                    heappushpop(heap, (value, name, packed))

    def top(self, sort: str) -> list[Row]:
        return [(name, packed) for _, name, packed in sorted(self._heaps[sort], reverse=True)]


class Hosts:
    """Answers within a tenth of a second, however many hosts there are."""

    def __init__(self, crawl: Crawl, now: Callable[[], float] = time.monotonic) -> None:
        self._crawl = crawl
        self._now = now
        self._done: Ranking | None = None
        self._under_way = Ranking()
        self._good_until = 0.0
        self._reading: asyncio.Task[None] | None = None
        self._closed = False

    async def top(self, sort: str, most: int) -> dict[str, Any]:
        """`complete` False: the list is of the first `read` hosts only, ask again."""
        if sort == BUSY:
            names = [name for name, _ in self._crawl.busy.most_common(most)]
            rows = [row for name in names if (row := self._crawl.host_record(name)) is not None]
            return self._answer(rows, sort, self._crawl.host_count, complete=True)
        if self._crawl.host_count <= LIVE_HOSTS:
            ranking = Ranking()
            ranking.add(self._crawl.host_rows())
            return self._answer(self._first(ranking, sort, most), sort, ranking.read, complete=True)
        if self._reading is None and self._now() >= self._good_until and not self._closed:
            self._reading = asyncio.create_task(self._read())
        if self._done is None and self._reading is not None:
            await asyncio.wait([self._reading], timeout=FIRST_WAIT_SECONDS)
        ranking = self._done or self._under_way
        rows = self._first(ranking, sort, most)
        return self._answer(rows, sort, ranking.read, complete=self._done is not None)

    def _first(self, ranking: Ranking, sort: str, most: int) -> list[Row]:
        """Hosts that operators parked come before those that failed."""
        if sort != "parked":
            return ranking.top(sort)[:most]
        by_operators = self._crawl.parked
        names = sorted(by_operators, key=lambda name: by_operators[name], reverse=True)
        first = [row for name in names[:most] if (row := self._crawl.host_record(name)) is not None]
        return [*first, *(row for row in ranking.top(sort) if row[0].decode() not in by_operators)][:most]

    async def find(self, start: str, most: int) -> dict[str, Any]:
        """Hosts whose key begins so, in order of the name."""
        first = start.encode("ascii", "ignore")
        if self._crawl.host_count <= LIVE_HOSTS:
            rows = [row for row in self._crawl.host_rows() if row[0].startswith(first)][:most]
        else:
            rows = await asyncio.to_thread(self._committed_from, first, most)
        found = [row for row in rows if row[0].startswith(first)]
        return self._answer(found, "name", self._crawl.host_count, complete=True)

    def _answer(self, rows: list[Row], sort: str, read: int, *, complete: bool) -> dict[str, Any]:
        hosts = [host_row(row, self._crawl.busy, self._crawl.parked)._asdict() for row in rows]
        return {"sort": sort, "complete": complete, "read": read, "hosts": hosts}

    def _committed_from(self, first: bytes, most: int) -> list[Row]:
        return list(islice(self._crawl.committed_host_rows(first), most))

    async def close(self) -> None:
        """Afterwards the store may be closed."""
        self._closed = True
        if self._reading is not None:
            await asyncio.wait([self._reading])

    async def _read(self) -> None:
        spent = await asyncio.to_thread(self._read_all)
        self._good_until = self._now() + max(AGAIN_SECONDS, AGAIN_FACTOR * spent)
        self._reading = None

    def _read_all(self) -> float:
        """Every committed host, a slice at a time, in a thread that rests most of the time. Seconds of work."""
        ranking = self._under_way = Ranking()
        spent, rows = 0.0, self._crawl.committed_host_rows(b"")
        while not self._closed:
            began = self._now()
            before = ranking.read
            ranking.add(islice(rows, SLICE))
            if ranking.read == before:
                self._done = ranking
                break
            took = self._now() - began
            spent += took
            time.sleep(took * REST)
        return spent
