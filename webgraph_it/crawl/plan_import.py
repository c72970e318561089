"""From a plan on disk (recrawl/plan_files.py) to the frontier, in slices.

How far the import is, is committed with what was imported. So a crash neither loses nor repeats a page, and the next
run continues there. Memory holds one slice and what is not committed."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.records import PlannedVisit
from webgraph_it.killpoint import reached
from webgraph_it.recrawl.plan_files import Plan, UntriedList, discard, made_at, planned_from, plans

META_NAME = "plan"
AT_ONCE = 250
"""Pages, or untried URLs, of a slice: about five milliseconds."""


def imported(frontier: Frontier, directory: Path, now: float, *, moves_untried: bool) -> Iterator[int]:
    """Import the waiting plans. Yields after each slice how many pages were planned so far; a commit may follow.

    After the last slice, commit and call `discard_imported`. `moves_untried`: the order is `popular`.
    """
    count = 0
    for plan in plans(directory):
        progress = _progress(frontier)
        if plan.number < progress["number"] or (plan.number == progress["number"] and progress["done"]):
            continue
        offset = progress["offset"] if plan.number == progress["number"] else 0
        for planned, offset_now in _revisits(frontier, plan, offset, now):
            count += planned
            _note(frontier, plan, offset=offset_now)
            reached("plan-import")
            yield count
        if moves_untried:
            for _ in _moved(frontier, plan):
                yield count
        _note(frontier, plan, done=True)
        yield count


def discard_imported(frontier: Frontier, directory: Path) -> None:
    """Remove the lists of plans whose import was committed."""
    progress = _progress(frontier)
    for plan in plans(directory):
        if plan.number < progress["number"] or (plan.number == progress["number"] and progress["done"]):
            discard(plan)


def _revisits(frontier: Frontier, plan: Plan, offset: int, now: float) -> Iterator[tuple[int, int]]:
    """Plan a slice of pages at a time. Yields how many were planned, and the offset of the next line."""
    made = made_at(plan)
    lines = planned_from(plan, offset)
    while batch := list(islice(lines, AT_ONCE)):
        pages = [PlannedVisit(*page) for page, _ in batch]
        yield frontier.plan_visits(pages, made, now), batch[-1][1]


def _moved(frontier: Frontier, plan: Plan) -> Iterator[None]:
    """Move untried URLs a slice at a time. If it is repeated, it changes nothing."""
    with UntriedList(plan) as untried:
        after = frontier.move_untried(b"", AT_ONCE, untried.priority)
        while after:
            yield
            after = frontier.move_untried(after, AT_ONCE, untried.priority)


def _progress(frontier: Frontier) -> dict[str, Any]:
    packed = frontier.get_meta(META_NAME)
    found: dict[str, Any] = json.loads(packed) if packed else {"number": 0, "offset": 0, "done": True}
    return found


def _note(frontier: Frontier, plan: Plan, *, offset: int = 0, done: bool = False) -> None:
    progress = {"number": plan.number, "offset": offset, "done": done}
    frontier.put_meta(META_NAME, json.dumps(progress).encode())
