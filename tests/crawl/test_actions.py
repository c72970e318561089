"""Every verb is read from one table; a mistake is one sentence."""

from typing import Any

import pytest

from webgraph_it.crawl.actions import ActionError, read_action


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ({"action": "pause"}, {"reason": "operator"}),
        ({"action": "unpause", "reason": "backup"}, {"reason": "backup"}),
        ({"action": "block", "surt": "esempio.it"}, {"surt": "it,esempio,"}),
        ({"action": "block", "surt": "esempio.it:8080"}, {"surt": "it,esempio):8080/"}),
        ({"action": "block", "surt": "esempio.it:80"}, {"surt": "it,esempio)"}),
        ({"action": "delay", "surt": "it,x)", "seconds": 3}, {"surt": "it,x)", "seconds": 3.0}),
        ({"action": "park", "host": "www.esempio.it"}, {"host": "it,esempio", "seconds": 3_600.0}),
        ({"action": "wake", "host": "it,esempio)"}, {"host": "it,esempio"}),
        ({"action": "add-seeds", "seeds": "a.it\nb.it\n"}, {"seeds": ("a.it", "b.it")}),
        ({"action": "connections", "cap": 5}, {"cap": 5}),
    ],
)
def test_a_request_becomes_an_action(said: dict[str, Any], arguments: dict[str, Any]) -> None:
    action = read_action(said)
    assert (action.name, dict(action.arguments)) == (said["action"], arguments)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ([], "expected: an object"),
        ({"action": 3}, "expected: an object"),
        ({"action": "stop"}, "'stop' is not an action; expected: one of status, pause"),
        ({"action": "block"}, "block needs 'surt'"),
        ({"action": "pause", "why": "x"}, "pause has no argument 'why'"),
        ({"action": "pause", "reason": "\x1b[2J"}, "expected: a few printable words"),
        ({"action": "block", "surt": "http://"}, "SURT prefix"),
        ({"action": "delay", "surt": "it,x)", "seconds": "3"}, "expected: seconds"),
        ({"action": "park", "host": "::"}, "expected: a host"),
        ({"action": "park", "host": "esempio.it:8080"}, "expected: a host without a port"),
        ({"action": "wake", "host": "http://esempio.it:8080/"}, "expected: a host without a port"),
        ({"action": "wake", "host": "it,esempio):8080"}, "expected: a host without a port"),
        (
            {"action": "delay", "surt": "esempio.it:8080", "seconds": 3},
            "expected: a surt without a path or a port",
        ),
        ({"action": "block", "surt": 3}, "surt is 3; expected: a text such as it,esempio,"),
        ({"action": "block", "surt": None}, "surt is None; expected: a text"),
        ({"action": "wake", "host": 3}, "host is 3; expected: a host"),
        ({"action": "add-seeds", "seeds": []}, "expected 1 to"),
        ({"action": "bandwidth", "schedule": "fast"}, "expected: a list such as"),
        ({"action": "connections", "cap": True}, "expected: a whole number"),
    ],
)
def test_a_mistake_is_one_sentence(said: object, sentence: str) -> None:
    with pytest.raises(ActionError) as refused:
        read_action(said)
    assert sentence in str(refused.value)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize(
    "said",
    [
        {"action": "delay", "surt": "it,a)/path/", "seconds": 5},
        {"action": "max-pages", "surt": "http://a.it/path/", "pages": 0},
        {"action": "delay", "surt": "it,a):8080", "seconds": 5},
    ],
)
def test_an_effect_on_hosts_needs_a_prefix_of_whole_hosts(said: dict[str, Any]) -> None:
    """Such a record could not be read by the next resume."""
    with pytest.raises(ActionError, match="holds for whole hosts"):
        read_action(said)
