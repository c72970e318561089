"""What only a running crawl can find wrong with an action. The verbs themselves: tests/crawl/test_operations.py."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.defaults import default_scope, project_settings
from webgraph_it.crawl.actions import ActionError, read_action
from webgraph_it.engine.steered import Steered


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
