"""From the committed files of a crawl to a plan of re-visits.

    page logs ─► visits ─┐
                         ├─► C, T, I, O of every page ─► policy ─► revisits.tsv, in order of key
    shards ─► degrees ───┘                          untried URLs by in-degree ─► untried.u18, in order of digest

The first two steps are those of convert (names, map), in a folder of their own below JOBDIR/recrawl that is removed
at the end. I and O are degrees in the graph of the last visits. A page that is gone has no links, and may be planned.

Guarantees: the crawl may be running; only what it committed is read. The plan appears whole or not at all. Memory:
what is given for sorting and mapping, 8 bytes for every node, and about 100 bytes for every page of the budget (for
all pages, if there is no budget). One plan is made at a time.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from webgraph_it.convert import names, rows, steps
from webgraph_it.convert.job import FolderIsBusy, Job
from webgraph_it.convert.lines import NEVER_TRIED, NO_DEPTH
from webgraph_it.convert.sources import ConvertError, from_crawls
from webgraph_it.convert.threads import in_order
from webgraph_it.convert.visits import OTHER, SAME, SEQUENCE, Visits
from webgraph_it.files.own import make_folder
from webgraph_it.graph.bv import Parameters
from webgraph_it.progress import Progress
from webgraph_it.recrawl import policies
from webgraph_it.recrawl.plan_files import LOWEST_PRIORITY, Planned, PlanWriter, new_plan, popularity
from webgraph_it.recrawl.policies import Array, Visited
from webgraph_it.shards.directory import RECRAWL

WORK = "planning"
NODES_AT_ONCE = 1 << 20
DIGEST_BYTES = 16
BUCKETS = 128
"""The first bit of a digest is 0, so its first byte has so many values."""


UNTRIED_TYPE = np.dtype([("digest", "V16"), ("in", "<u4")])


class Made(NamedTuple):
    """What a plan holds."""

    path: Path
    revisits: int
    untried: int


@dataclass(frozen=True, slots=True)
class Degrees:
    """Of all nodes, in the graph of the last visits."""

    incoming: Array
    outgoing: Array


@dataclass(frozen=True, slots=True)
class Candidates:
    """Some pages: their ids, and what the policies need to know."""

    nodes: Array
    pages: Visited

    def chosen(self, places: Array) -> "Candidates":
        """Some of them, in order of id."""
        places = np.sort(places)
        columns = {name: getattr(self.pages, name)[places] for name in Visited.__slots__}
        return Candidates(self.nodes[places], Visited(**columns))


def make_plan(
    jobdir: Path,
    policy: str,
    budget: int | None,
    now: float,
    memory_bytes: int,
    threads: int,
    progress: Progress,
) -> Made:
    """Plan at most `budget` re-visits (all pages, if None) at the time `now`."""
    sources = replace(from_crawls([jobdir]), timed=True)
    if not sources.pages:
        raise ConvertError(f"{jobdir} has no page log (pages/000001.jsonl): nothing was fetched yet.")
    make_folder(jobdir / RECRAWL)
    job = Job(jobdir / RECRAWL / WORK, sources, memory_bytes, threads, Parameters(), progress)
    try:
        job.open()
    except FolderIsBusy:
        raise ConvertError(f"another plan is being made for {jobdir}: wait until it is finished.") from None
    try:
        for step in steps.STEPS[:2]:
            steps.ensure(job, step, steps.STEPS)
        progress.begin("degrees", job.counts["records"])
        degrees = _degrees(job)
        progress.end(f"{int(degrees.outgoing.sum()):,} arcs")
        progress.begin("plan", job.counts["nodes"])
        with new_plan(jobdir, policy, now) as plan:
            _write_revisits(job, degrees, policy, budget, now, plan)
            _write_untried(job, degrees, plan)
        progress.end(f"{plan.revisits:,} re-visits, {plan.untried:,} untried")
        return Made(plan.path, plan.revisits, plan.untried)
    finally:
        shutil.rmtree(job.out, ignore_errors=True)  # while it is locked: the next plan starts in a new folder
        job.close()


def _degrees(job: Job) -> Degrees:
    nodes, parts = job.counts["nodes"], job.out / steps.PARTS
    gone = np.fromfile(job.out / steps.GONE, np.uint32)
    incoming, outgoing = np.zeros(nodes, np.uint32), np.zeros(nodes, np.uint32)
    width, first = int((parts / "width").read_text()), 0
    for _, degrees, targets, _, _ in in_order(
        lambda each: rows.rows_of_range(each, gone), rows.ranges(parts, nodes, width, job), job.threads
    ):
        outgoing[first : first + len(degrees)] = degrees
        np.add.at(incoming, targets, np.uint32(1))
        first += len(degrees)
        job.progress.at(first)
    return Degrees(incoming, outgoing)


def _write_revisits(
    job: Job, degrees: Degrees, policy: str, budget: int | None, now: float, plan: PlanWriter
) -> None:
    visits = Visits(job.out / steps.VISITS)
    chosen = _choose(_candidates(visits, degrees, policy), policies.POLICIES[policy], now, budget)
    order = np.argsort(chosen)
    ids, ranks = chosen[order], np.arange(len(chosen))[order]
    priorities = ranks * (LOWEST_PRIORITY + 1) // max(len(chosen), 1)
    first = 0
    for batch in names.batches(job.out / steps.NODES):
        here = slice(*np.searchsorted(ids, [first, first + len(batch)]))
        some = batch.take(ids[here] - first).select(["key", "url", "depth", "host_depth", "via"]).to_pydict()
        for row in zip(priorities[here].tolist(), *some.values(), strict=True):
            plan.revisit(Planned(*row))
        first += len(batch)
        job.progress.at(first)


def _choose(
    candidates: Iterator[Candidates], policy: policies.Policy, now: float, budget: int | None
) -> Array:
    """The ids that the policy chooses, the most urgent first.

    Of each range of nodes only candidates are kept. Twice the budget has all that can be chosen in the end, although a
    fifth goes to the oldest.
    """
    kept: list[Candidates] = []
    for some in candidates:
        count = len(some.nodes) if budget is None else 2 * budget + policies.OLDEST_EVERY
        kept.append(some.chosen(policy(some.pages, now, count)))
        if budget is not None and len(kept) > 1 and sum(len(each.nodes) for each in kept) > 4 * count:
            whole = _joined(kept)
            kept = [whole.chosen(policy(whole.pages, now, count))]
    whole = _joined(kept)
    count = len(whole.nodes)
    chosen = policy(whole.pages, now, count if budget is None else min(budget, count))
    ids: Array = whole.nodes[chosen]
    return ids


def _joined(some: list[Candidates]) -> Candidates:
    columns = {
        name: np.concatenate([getattr(each.pages, name) for each in some]) for name in Visited.__slots__
    }
    return Candidates(np.concatenate([each.nodes for each in some]), Visited(**columns))


def _candidates(visits: Visits, degrees: Degrees, policy: str) -> Iterator[Candidates]:
    """All pages that were ever fetched, in ranges of nodes."""
    for low in range(0, max(len(degrees.incoming), 1), NODES_AT_ONCE):
        yield of_visits(visits.between(low, low + NODES_AT_ONCE), degrees, with_due=policy == "adaptive")


def of_visits(visits: Array, degrees: Degrees, with_due: bool) -> Candidates:
    """What the visits of some nodes (in order of node) say about those that were ever fetched."""
    visits = visits[visits["what"] != OTHER]
    fetched = np.unique(visits["node"][visits["what"] == SEQUENCE])
    visits = visits[np.isin(visits["node"], fetched)]
    visits = visits[np.lexsort((visits["time"], visits["node"]))]
    nodes, starts, counts = np.unique(visits["node"], return_index=True, return_counts=True)
    last = starts + counts - 1
    change = visits["change"].astype(np.float64)
    change[starts] = 0
    pages = Visited(
        last_visit=visits["time"][last],
        revisits=counts - 1,
        changes=np.add.reduceat(change, starts) if len(starts) else np.empty(0),
        last_change=np.where(counts > 1, change[last], 1.0),
        indegree=degrees.incoming[nodes],
        outdegree=degrees.outgoing[nodes],
        due=_due(visits, starts, counts) if with_due else np.zeros(len(nodes)),
    )
    return Candidates(nodes, pages)


def _due(visits: Array, starts: Array, counts: Array) -> Array:
    """When Nutch's schedule visits the pages again: first all first visits, then all second ones, and so on."""
    modified = visits["time"][starts].astype(np.float64)
    interval = np.full(len(starts), policies.DEFAULT_INTERVAL_SECONDS)
    due: Array = modified + interval
    for number in range(1, int(counts.max(initial=0))):
        some = np.flatnonzero(counts > number)
        visit = visits[starts[some] + number]
        due[some], interval[some], modified[some] = policies.next_due(
            interval[some], modified[some], visit["time"], visit["what"] != SAME
        )
    return due


def _write_untried(job: Job, degrees: Degrees, plan: PlanWriter) -> None:
    """Sorted by digest through files, one for each first byte."""
    folder = job.staging
    job.clear_staging()
    files = [(folder / f"{number:03d}").open("wb") for number in range(BUCKETS)]
    try:
        for digests, incoming in _untried(job, degrees):
            record = np.empty(len(digests), UNTRIED_TYPE)
            record["digest"], record["in"] = digests.view("V16").reshape(-1), incoming
            bucket = digests[:, 0]
            order = np.argsort(bucket, kind="stable")
            bounds = np.searchsorted(bucket[order], np.arange(BUCKETS + 1))
            for number in np.unique(bucket).tolist():
                record[order[bounds[number] : bounds[number + 1]]].tofile(files[number])
    finally:
        for file in files:
            file.close()
    for number in range(BUCKETS):
        found = np.fromfile(folder / f"{number:03d}", UNTRIED_TYPE)
        words = np.ascontiguousarray(found["digest"]).view(">u8").reshape(-1, 2)
        order = np.lexsort((words[:, 1], words[:, 0]))
        sorted_digests = words[order].tobytes()
        for place, incoming in enumerate(found["in"][order].tolist()):
            digest = sorted_digests[DIGEST_BYTES * place : DIGEST_BYTES * (place + 1)]
            plan.put_untried(digest, popularity(incoming))


def _untried(job: Job, degrees: Degrees) -> Iterator[tuple[Array, Array]]:
    """(digests, in-degrees) of nodes that have no line in the page log."""
    first = 0
    with (job.out / steps.DIGESTS).open("rb") as file:
        for batch in names.batches(job.out / steps.NODES, ["state", "depth"]):
            digests = np.fromfile(file, np.uint8, DIGEST_BYTES * len(batch)).reshape(-1, DIGEST_BYTES)
            states, depths = batch["state"].to_numpy(), batch["depth"].to_numpy()
            untried = np.flatnonzero((states == NEVER_TRIED) & (depths == NO_DEPTH))
            yield digests[untried], degrees.incoming[first + untried]
            first += len(batch)
