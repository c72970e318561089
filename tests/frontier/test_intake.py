"""What is queued, what is cut, and why."""

import pytest

from tests.defaults import frontier_limits
from webgraph_it.frontier import MemoryStore
from webgraph_it.frontier.intake import Intake
from webgraph_it.frontier.layers import Layers
from webgraph_it.frontier.order import breadth
from webgraph_it.frontier.roster import Roster
from webgraph_it.frontier.state import Totals
from webgraph_it.items import State

from .making import EAGER, NOW, link, links


def make(**limits: int) -> tuple[Intake, Totals]:
    layers, totals = Layers(MemoryStore()), Totals()
    roster = Roster(layers, totals, EAGER, NOW)
    return Intake(layers, roster, totals, frontier_limits(**limits), breadth), totals


@pytest.mark.parametrize(
    ("limits", "depth", "paths", "state", "reason"),
    [
        ({"max_depth": 1}, 2, ["/x"], State.QUOTA_CUT, "depth"),
        ({"max_pages_per_host": 1}, 0, ["/x", "/y"], State.QUOTA_CUT, "pages-per-host"),
        ({"max_queries_per_path": 1}, 0, ["/x?a=1", "/x?a=2"], State.TRAP_CUT, "queries-per-path"),
    ],
)
def test_each_limit_cuts_with_its_reason(
    limits: dict[str, int], depth: int, paths: list[str], state: State, reason: str
) -> None:
    intake, totals = make(**limits)
    added = intake.add([link("a", path) for path in paths], depth, "", NOW)
    assert [(cut.link.key, cut.state, cut.reason) for cut in added.cut] == [
        (f"it,a){paths[-1]}", state, reason)
    ]
    assert (totals.seen, totals.cut, totals.entries) == (len(paths), 1, len(paths) - 1)


def test_what_was_seen_is_not_queued_again() -> None:
    intake, totals = make()
    assert intake.add(links("ab", 2), 0, "", NOW).new == links("ab", 2)
    assert intake.add(links("ab", 3), 1, "", NOW).new == [link("a", "/2"), link("b", "/2")]
    assert (totals.entries, totals.hosts, totals.hosts_with_urls) == (6, 2, 2)


def test_a_quota_that_was_raised_lets_in_what_it_cut() -> None:
    intake, totals = make(max_depth=1)
    cut = link("a", "/x")
    intake.add([cut], 2, "it,b)/", NOW)
    assert not intake.reconsider(cut, 2, 0, "it,b)/", "depth", NOW)
    intake._limits = frontier_limits(max_depth=2)
    assert intake.reconsider(cut, 2, 0, "it,b)/", "depth", NOW)
    assert not intake.reconsider(cut, 2, 0, "it,b)/", "depth", NOW)
    assert (totals.cut, totals.entries) == (0, 1)
