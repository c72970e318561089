"""What operators changed survives as it is, and each verb changes what it names."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.crawl.actions import read_action
from webgraph_it.crawl.steering import Steering
from webgraph_it.urls.rules import Rule

SURTS = st.sampled_from(["it,a,", "it,b,", "it,a)"])
ACTIONS = st.one_of(
    st.builds(lambda reason: {"action": "pause", "reason": reason}, st.sampled_from("xy")),
    st.builds(lambda reason: {"action": "unpause", "reason": reason}, st.sampled_from("xy")),
    st.builds(
        lambda verb, surt: {"action": verb, "surt": surt}, st.sampled_from(["block", "unblock"]), SURTS
    ),
    st.builds(
        lambda surt, seconds: {"action": "delay", "surt": surt, "seconds": seconds},
        SURTS,
        st.sampled_from([0, 3]),
    ),
    st.builds(lambda surt: {"action": "max-pages", "surt": surt, "pages": 0}, SURTS),
    st.builds(lambda surt: {"action": "priority", "surt": surt, "priority": 0}, SURTS),
    st.just({"action": "bandwidth", "schedule": [["*", "1 MB/s"]]}),
    st.just({"action": "connections", "cap": 7}),
    st.just({"action": "checkpoint"}),
)


def steered(*said: dict[str, Any]) -> Steering:
    steering = Steering()
    for each in said:
        steering = steering.after(read_action(each))
    return steering


@given(st.lists(ACTIONS, max_size=8))
def test_it_comes_back_from_its_bytes(said: list[dict[str, Any]]) -> None:
    steering = steered(*said)
    assert Steering.from_bytes(steering.to_bytes()) == steering


@given(st.lists(ACTIONS, max_size=8), SURTS)
def test_a_prefix_is_blocked_if_the_last_word_about_it_says_so(said: list[dict[str, Any]], surt: str) -> None:
    words = [each["action"] for each in said if each.get("surt") == surt and "block" in each["action"]]
    assert steered(*said).is_blocked(surt) == (words[-1:] == ["block"])


def test_what_is_set_for_one_prefix_adds_up_and_the_newest_prefix_comes_first() -> None:
    steering = steered(
        {"action": "delay", "surt": "it,a,", "seconds": 3},
        {"action": "delay", "surt": "it,b,", "seconds": 4},
        {"action": "max-pages", "surt": "it,a,", "pages": 9},
    )
    assert steering.rules == (Rule(surt="it,a,", delay=3.0, max_pages=9), Rule(surt="it,b,", delay=4.0))


def test_a_block_that_is_lifted_leaves_nothing() -> None:
    assert steered({"action": "block", "surt": "it,a,"}, {"action": "unblock", "surt": "it,a,"}) == Steering()


def test_nothing_was_changed_before_anything_was() -> None:
    assert Steering.from_bytes(None) == Steering()


@pytest.mark.parametrize("action", ["checkpoint", "terminate", "reports", "status"])
def test_verbs_that_pass_leave_it_as_it_is(action: str) -> None:
    assert steered({"action": action}) == Steering()


def test_a_record_with_a_rule_that_says_nothing_is_read() -> None:
    packed = Steering(rules=(Rule(surt="it,a,", block=True), Rule(surt="it,b,"))).to_bytes()
    assert Steering.from_bytes(packed).rules == (Rule(surt="it,a,", block=True),)


@pytest.mark.parametrize(
    ("surt", "sentence"),
    [
        ("it,a,", None),
        ("it,a)", "it,a) is blocked by it,a,; expected: that prefix, whose block can be lifted"),
        ("it,a,b)/x/", "it,a,b)/x/ is blocked by it,a,; expected: that prefix, whose block can be lifted"),
        ("it,f,x,", "it,f,x, is blocked by the rule for it,f, in RULES_FILE; take the rule out there"),
        ("it,f,", "it,f, is blocked by the rule for it,f, in RULES_FILE; take the rule out there"),
        ("it,", "it, is not blocked"),
        ("it,ab,", "it,ab, is not blocked"),
        ("it,g,", "it,g, is not blocked"),
    ],
)
def test_who_lifts_a_block_hears_which_prefix_blocks(surt: str, sentence: str | None) -> None:
    in_file = (Rule(surt="it,f,", block=True), Rule(surt="it,g,", extension="pdf", block=True))
    assert steered({"action": "block", "surt": "it,a,"}).why_not_unblocked(surt, in_file) == sentence
