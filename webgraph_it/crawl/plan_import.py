"""From a plan on disk (recrawl/plan_files.py) to the frontier, in slices.

A plan is checked as a whole before its first page is queued (recrawl/plan_check.py). A line is skipped if its page is
out of scope now, or if its URL is not a URL of its page: what is found there would become the page's arcs.

How far the import is, is committed with what was imported. So a crash neither loses nor repeats a page, and the next
run continues there. Memory holds one slice and what is not committed."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.records import PlannedVisit
from webgraph_it.killpoint import reached
from webgraph_it.recrawl.plan_check import checked, made_at
from webgraph_it.recrawl.plan_files import Plan, Planned, UntriedList, discard, planned_from
from webgraph_it.urls.names import Refusal, name
from webgraph_it.urls.scope import Scope

META_NAME = "plan"
AT_ONCE = 250
"""Pages, or untried URLs, of a slice: about five milliseconds."""


class Import:
    """The import of one plan. It is over when the iterator ends; then commit, and call `discard_imported`."""

    def __init__(self, frontier: Frontier, plan: Plan, scope: Scope, *, moves_untried: bool) -> None:
        """`moves_untried`: the order is `popular`."""
        self._frontier = frontier
        self._plan = plan
        self._scope = scope
        self._moves_untried = moves_untried
        self.out_of_scope = 0
        """Pages that were skipped."""
        self.misnamed = 0
        """Lines that were skipped because their URL is not one of the page."""
        self.first_misnamed = ""
        """The page of the first of them."""

    def slices(self, now: float) -> Iterator[int]:
        """Yields after each slice how many pages were planned so far; a commit may follow. PlanError if it is damaged:
        nothing of it was used."""
        frontier, plan, count = self._frontier, self._plan, 0
        if is_imported(frontier, plan):
            return
        for _ in checked(plan):
            yield count
        made, progress = made_at(plan), _progress(frontier)
        offset = progress["offset"] if _is_of(progress, plan, made) else 0
        lines = planned_from(plan, offset)
        while batch := list(islice(lines, AT_ONCE)):
            pages = [PlannedVisit(*page) for page, _ in batch if self._usable(page)]
            count += frontier.plan_visits(pages, made, now)
            self._note(made, offset=batch[-1][1])
            reached("plan-import")
            yield count
        if self._moves_untried:
            for _ in _moved(frontier, plan):
                yield count
        self._note(made, done=True)
        yield count

    def _usable(self, page: Planned) -> bool:
        named = name(page.url)
        if isinstance(named, Refusal) or (named.url, named.key) != (page.url, page.key):
            self.misnamed += 1
            self.first_misnamed = self.first_misnamed or page.key
            return False
        is_in_scope = self._scope.verdict(page.key, page.url).fetchable
        self.out_of_scope += not is_in_scope
        return is_in_scope

    def _note(self, made: float, *, offset: int = 0, done: bool = False) -> None:
        progress = {"number": self._plan.number, "made": made, "offset": offset, "done": done}
        self._frontier.put_meta(META_NAME, json.dumps(progress).encode())


def is_imported(frontier: Frontier, plan: Plan) -> bool:
    """Whether the frontier has the whole plan, although plan.json does not say so."""
    progress = _progress(frontier)
    if (
        not plan.revisits.exists()
    ):  # a crash in the middle of `discard`, or a plan from before they were marked
        return bool(
            plan.number < progress["number"] or (plan.number == progress["number"] and progress["done"])
        )
    return bool(progress["done"]) and _is_of(progress, plan, made_at(plan))


def discard_imported(frontier: Frontier, plan: Plan) -> None:
    """Remove the lists of a plan if its import was committed."""
    if is_imported(frontier, plan):
        discard(plan)


def _is_of(progress: dict[str, Any], plan: Plan, made: float) -> bool:
    """Whether it is about this plan. If a folder is removed, its number is given again."""
    return bool(plan.number == progress["number"] and progress.get("made", made) == made)


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
