"""How the web changed between the first and the last visit of a graph through time (`convert --history`).

Half-life: the time after which half of the links (or pages) are gone, if they disappear at the observed rate. The rate
is the number of ends divided by the days during which they were observed. An end happened between two visits; the
middle counts. What still exists is observed until its last visit. Nothing is said if nothing ended.

Guarantees: arcs and nodes stream through in blocks. Memory is needed for three numbers per host.
"""

import math
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import numpy as np

from webgraph_it.graph import node_table
from webgraph_it.graph.csr import Array
from webgraph_it.graph.days import date_of
from webgraph_it.graph.webgraph import NODES, WebGraph

DAYS = 1 << 16
NODES_AT_A_TIME = 1 << 17
FEWEST_REVISITS = 5
"""A host with fewer re-visits is not listed, because one change would decide."""
SHOWN_HOSTS = 12


@dataclass(frozen=True, slots=True)
class ChangingHost:
    name: str
    revisits: int
    changes: int

    @property
    def share(self) -> float:
        """Of the re-visits that found a change."""
        return self.changes / self.revisits


@dataclass(frozen=True, slots=True)
class Changes:
    """Numbers for the report."""

    first_day: date
    last_day: date
    pages_born: int
    """Seen for the first time after the first day."""
    pages_gone: int
    pages_changed: int
    """With other links at some re-visit."""
    page_half_life_days: float | None
    links_born: int
    """Seen for the first time after the first day."""
    links_gone: int
    link_half_life_days: float | None
    born_by_day: list[int]
    """Links, from the first day to the last."""
    gone_by_day: list[int]
    hosts: list[ChangingHost]
    """Those that change most."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"first_day": str(self.first_day), "last_day": str(self.last_day)}


def read_changes(graph: WebGraph) -> Changes | None:
    """None if the graph does not know its days, or if nothing was visited."""
    if not graph.has_days or not (graph.path / NODES).exists():
        return None
    born, ended, observed = _links(graph)
    pages = _Pages(graph)
    if pages.last_day < pages.first_day:
        return None
    days = slice(pages.first_day, pages.last_day + 1)
    born[: pages.first_day + 1] = 0
    return Changes(
        first_day=date_of(pages.first_day),
        last_day=date_of(pages.last_day),
        pages_born=pages.born,
        pages_gone=pages.gone,
        pages_changed=pages.changed,
        page_half_life_days=half_life(pages.gone, pages.observed_days),
        links_born=int(born.sum()),
        links_gone=int(ended.sum()),
        link_half_life_days=half_life(int(ended.sum()), observed),
        born_by_day=born[days].tolist(),
        gone_by_day=ended[days].tolist(),
        hosts=pages.changing_hosts(),
    )


def half_life(ends: int, observed_days: float) -> float | None:
    """In days; None if nothing ended."""
    return math.log(2) * observed_days / ends if ends else None


def _links(graph: WebGraph) -> tuple[Array, Array, float]:
    """(links born, links ended) by day, and the sum of the days during which links were observed."""
    born, gone, observed = np.zeros(DAYS, np.int64), np.zeros(DAYS, np.int64), 0.0
    for first, last, ended in graph.day_blocks():
        born += np.bincount(first, minlength=DAYS)
        gone += np.bincount(ended[ended > 0], minlength=DAYS)
        until = np.where(ended > 0, (last.astype(float) + ended) / 2, last)
        observed += float((until - first).sum())
    return born, gone, observed


class _Pages:
    """Sums over the rows of nodes.parquet."""

    def __init__(self, graph: WebGraph) -> None:
        columns = ["host", "first_seen", "last_visit", "visits", "changes", "gone"]
        self._names = graph.hosts.nodes(["name"])["name"] if (graph.path / "hosts").is_dir() else None
        hosts = len(graph.hosts) if self._names is not None else 0
        self._revisits, self._changes = np.zeros(hosts, np.int64), np.zeros(hosts, np.int64)
        self.first_day, self.last_day = DAYS, -1
        self.gone = self.changed = 0
        self.observed_days = 0.0
        self._by_first_day = np.zeros(DAYS, np.int64)
        for _, batch in node_table.batches(graph.path / NODES, len(graph), columns, NODES_AT_A_TIME):
            self._add(batch)
        self.born = int(self._by_first_day[self.first_day + 1 :].sum())

    def _add(self, batch: Any) -> None:
        visits, changes = (batch.column(name).to_numpy() for name in ("visits", "changes"))
        first = batch.column("first_seen").fill_null(date_of(0)).cast("int32").to_numpy()
        last = batch.column("last_visit").cast("int64").fill_null(0).to_numpy() / 86_400_000
        self._by_first_day += np.bincount(first[first > 0], minlength=DAYS)[:DAYS]
        visited = visits > 0
        if visited.any():
            self.first_day = min(self.first_day, int(first[visited].min()))
            self.last_day = max(self.last_day, int(last[visited].max()))
        gone = batch.column("gone").to_numpy(zero_copy_only=False)
        self.gone += int(gone.sum())
        self.changed += int((changes > 0).sum())
        self.observed_days += float((np.floor(last[visited]) - first[visited]).sum())
        if self._names is not None:
            host = batch.column("host").to_numpy()
            revisits = np.maximum(visits.astype(np.int64) - 1, 0)
            self._revisits += np.bincount(host, revisits, len(self._revisits)).astype(np.int64)
            self._changes += np.bincount(host, changes, len(self._changes)).astype(np.int64)

    def changing_hosts(self) -> list[ChangingHost]:
        """Those with the highest share of re-visits that found a change."""
        enough = np.flatnonzero((self._revisits >= FEWEST_REVISITS) & (self._changes > 0))
        share = self._changes[enough] / np.maximum(self._revisits[enough], 1)
        best = enough[np.lexsort((enough, -self._revisits[enough], -share))][:SHOWN_HOSTS]
        return [
            ChangingHost(self._names[host].as_py(), int(self._revisits[host]), int(self._changes[host]))
            for host in best.tolist()
            if self._names is not None
        ]
