"""The first rule that matches a URL decides; what is wrong with a rule is one sentence."""

import re
import timeit
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.urls import key as key_of
from webgraph_it.urls.rules import Rule, RuleError, Rules, rule_of, rules_of


def surts(*rules: dict[str, Any]) -> Rules:
    return rules_of([{"block": True, **rule} for rule in rules])


def decided(rules: Rules, url: str, mime: str = "") -> int | None:
    """The number of the rule that decides, from 1."""
    key = key_of(url)
    assert isinstance(key, str)
    rule = rules.first(key, url, mime)
    return None if rule is None else rules.rules.index(rule) + 1


RULES = surts(
    {"surt": "it,unipd,math)/calendario/"},
    {"match": r"[?&]sort="},
    {"surt": "unipd.it", "block": False, "accept": True},
    {"extension": ".PDF"},
    {"mime": "application/pdf"},
    {"surt": "it,", "match": "/privato/"},
    {"surt": "it,comune,"},
)


@pytest.mark.parametrize(
    ("url", "number"),
    [
        ("http://math.unipd.it/calendario/2026", 1),
        ("http://math.unipd.it/calendari", 3),
        ("http://math.unipd.it/lista?sort=up", 2),
        ("http://www.unipd.it/", 3),
        ("http://unipd.it/a.pdf", 3),
        ("http://unipd.it:8080/", 3),
        ("http://altro.it/a.Pdf?x=1", 4),
        ("http://altro.it/a.pdf/b", None),
        ("http://altro.it/privato/x", 6),
        ("http://altro.it/", None),
        ("http://comune.it/", 7),
        ("http://a.b.comune.it/x", 7),
        ("http://xcomune.it/x", None),
    ],
)
def test_the_first_rule_that_matches_decides(url: str, number: int | None) -> None:
    assert decided(RULES, url) == number


def test_a_media_type_matches_a_reply_and_no_link() -> None:
    assert decided(RULES, "http://altro.it/doc") is None
    assert decided(RULES, "http://altro.it/doc", "application/pdf") == 5


def test_a_rule_of_a_host_is_the_first_that_covers_it_whole() -> None:
    rules = rules_of(
        [
            {"surt": "it,sito)/a/", "block": True},
            {"surt": "it,sito,", "delay": 30},
            {"surt": "it,", "max_pages": 10},
        ]
    )
    assert rules.of_host("it,sito") == Rule(surt="it,sito,", delay=30.0)
    assert rules.of_host("it,altro") == Rule(surt="it,", max_pages=10)
    assert rules.of_host("com,altro") is None


NAMES = st.sampled_from(["it,a", "it,b", "it,a,c", "it,a,c,d", "it,ab"])
PATHS = st.sampled_from(["/", "/x", "/x/y", "/z.pdf"])
SURTS = st.sampled_from(["it,", "it,a,", "it,a)", "it,a)/x", "it,a,c)/x/", "it,b,", "it,ab)", "it,a,c,"])


@given(st.lists(st.tuples(SURTS, st.sampled_from(["", "x", "z"])), max_size=6), NAMES, PATHS)
def test_it_equals_asking_each_rule_in_turn(conditions: list[tuple[str, str]], host: str, path: str) -> None:
    rules = Rules(
        Rule(surt=surt, match=re.compile(pattern) if pattern else None, block=True)
        for surt, pattern in conditions
    )
    key = f"{host}){path}"
    expected = next((rule for rule in rules.rules if rule.covers(key, key, "")), None)
    assert rules.first(key, key) == expected
    assert rules.first(key, key) == expected  # from what was remembered of the host


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"block": True}, "it has no condition; expected: one of surt, match, extension, mime"),
        ({"surt": "it,x,"}, "it has no effect"),
        ({"surt": "it,x,", "blok": True}, "'blok' is unknown"),
        ({"surt": "it,x,", "block": 1}, "block is 1; expected: true or false"),
        ({"surt": "it,x,", "block": True, "accept": True}, "it blocks and accepts"),
        ({"surt": "http://", "block": True}, "SURT prefix"),
        ({"match": "(", "block": True}, "not a regular expression"),
        ({"match": "x", "delay": 3}, "delay holds for whole hosts"),
        ({"surt": "it,x)/a", "max_pages": 3}, "max_pages holds for whole hosts"),
        ({"surt": "it,x,", "delay": -1}, "delay is -1; expected: seconds"),
        ({"surt": "it,x,", "max_depth": True}, "max_depth is True; expected: a whole number"),
        ({"surt": "it,x,", "priority": 101}, "priority is 101"),
        ({"mime": "pdf", "block": True}, "mime is 'pdf'"),
    ],
)
def test_a_mistake_is_one_sentence(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RuleError, match=re.escape(sentence)):
        rule_of(said)


def test_a_mistake_names_the_rule_by_its_number() -> None:
    with pytest.raises(RuleError, match=r"^rule 2: it has no effect"):
        rules_of([{"surt": "it,x,", "block": True}, {"surt": "it,x,"}])


def test_a_rule_is_written_as_it_was_said() -> None:
    said = {"surt": "it,x,", "match": "a|b", "block": True}
    assert rule_of(said).written() == said


@pytest.mark.parametrize("end", [",", ")", ")/percorso/"])
def test_ten_thousand_prefixes_cost_less_than_a_microsecond_a_link(end: str) -> None:
    rules = Rules(Rule(surt=f"it,sito-{number}{end}", priority=1) for number in range(10_000))
    hosts = [number * 7 % 12_000 for number in range(1_000)]
    links = [(f"it,sito-{host})/percorso/p.html", f"http://sito-{host}.it/percorso/p.html") for host in hosts]

    def judged() -> None:
        for key, url in links:
            rules.first(key, url)

    assert min(timeit.repeat(judged, number=1, repeat=100)) / len(links) < 1e-6


def test_a_rule_for_a_port_is_not_one_for_the_whole_host() -> None:
    rules = Rules([Rule(surt="it,a):8080", block=True)])
    assert rules.first("it,a)/x", "http://a.it/x") is None
    assert rules.first("it,a):8080/x", "http://a.it:8080/x") is not None
    assert rules.of_host("it,a") is None


def test_a_zero_is_written() -> None:
    rule = Rule(surt="it,a,", delay=0.0, max_pages=0, max_depth=0, priority=0)
    assert rule_of(rule.written()) == rule
