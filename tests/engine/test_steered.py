"""What only a running crawl can find wrong with an action. The verbs themselves: tests/crawl/test_operations.py."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.defaults import default_scope, project_settings
from tests.frontier.making import CALM, NOW, commit, links, open_frontier
from webgraph_it.crawl.actions import ActionError, read_action
from webgraph_it.engine.steered import Steered, below
from webgraph_it.frontier import MemoryStore


def steered() -> Steered:
    crawler: Any = SimpleNamespace(settings=project_settings(MAX_TCP_CONNECTIONS=100))
    running: Any = SimpleNamespace(scheduler=SimpleNamespace(drop=None))
    return Steered(crawler, running, default_scope())


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"action": "connections", "cap": 101}, "cap is 101; expected: at most 100"),
        ({"action": "bandwidth", "schedule": [["*", "fast"]]}, "a rate such as"),
    ],
)
def test_a_value_that_this_crawl_cannot_take_is_refused(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ActionError, match=sentence):
        steered().check(read_action(said))


@pytest.mark.parametrize(
    "said", [{"action": "connections", "cap": 100}, {"action": "bandwidth", "schedule": [["*", "1 MB/s"]]}]
)
def test_what_it_can_take_passes(said: dict[str, Any]) -> None:
    steered().check(read_action(said))


@pytest.mark.parametrize(
    ("surt", "facts"),
    [
        ("it,a,", {"hosts": 2, "urls_not_fetched": 6}),
        ("it,a)", {"hosts": 1, "urls_not_fetched": 3}),
        ("it,", {"hosts": 4, "urls_not_fetched": 12}),
        ("it,a)/x/", {"hosts": 1}),
        ("it,b,", {"hosts": 0, "urls_not_fetched": 0}),
    ],
)
def test_a_block_knows_what_it_meets(surt: str, facts: dict[str, int]) -> None:
    frontier = open_frontier(MemoryStore(), CALM, now=NOW)
    frontier.add(links(["a", "a,x", "a-b", "ab"], 3), 0, "", NOW)
    commit(frontier)
    assert below(frontier, surt) == facts
