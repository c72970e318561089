"""Which differences only add."""

from typing import Any

import pytest

from webgraph_it.crawl.changes import judged, only_raised


@pytest.mark.parametrize(
    ("before", "now", "allowed"),
    [(1, 2, True), (1, 0, True), (2, 2, True), (0, 0, True), (2, 1, False), (0, 5, False), (None, 5, False)],
)
def test_a_limit_may_be_raised_or_removed(before: int | None, now: int, allowed: bool) -> None:
    assert only_raised(before, now) is allowed


def test_each_difference_is_allowed_or_refused() -> None:
    before = {"MAX_DEPTH": 1, "SCOPE_SURTS": ["it,"], "SEEDS": {"file": "a", "md5": "1"}, "recipe_version": 1}
    now = {"MAX_DEPTH": 2, "SCOPE_SURTS": ["com,"], "SEEDS": {"file": "b", "md5": "2"}, "recipe_version": 1}
    allowed, refused = judged(before, now, lambda _: True)
    assert [change.name for change in allowed] == ["MAX_DEPTH", "SEEDS"]
    assert [str(change) for change in refused] == ['SCOPE_SURTS was ["it,"] and is now ["com,"]']


def test_where_a_seed_file_lies_does_not_matter() -> None:
    assert judged(
        {"SEEDS": {"file": "a", "md5": "1"}}, {"SEEDS": {"file": "b", "md5": "1"}}, lambda _: False
    ) == ([], [])


@pytest.mark.parametrize(
    ("found", "now", "refused"),
    [
        ({"LINK_KINDS_FOLLOWED": ["css"]}, ["css"], []),
        ({"LINK_KINDS_FOLLOWED": ["css"]}, [], ['LINK_KINDS_FOLLOWED was ["css"] and is now []']),
        ({"settings": {"LINK_KINDS_FOLLOWED": ["css"]}}, ["css"], []),
        (
            {"settings": {"LINK_KINDS_FOLLOWED": ["css"]}},
            [],
            ['LINK_KINDS_FOLLOWED was ["css"] and is now []'],
        ),
        ({"settings": {}}, [], []),
        ({"settings": {}}, ["css"], ['LINK_KINDS_FOLLOWED was [] and is now ["css"]']),
        ({}, ["css"], []),
    ],
    ids=[
        "same",
        "other",
        "same, old",
        "other, old",
        "default, old",
        "not the default, old",
        "unknown, very old",
    ],
)
def test_the_kinds_that_are_followed_make_nodes_and_stay_as_they_were(
    found: dict[str, Any], now: list[str], refused: list[str]
) -> None:
    """An earlier version recorded them with the other settings, if they were given; one before it, not at all."""
    assert [
        str(change) for change in judged(found, {"LINK_KINDS_FOLLOWED": now}, lambda _: False)[1]
    ] == refused


def test_a_setting_without_a_value_is_damage_even_if_it_may_be_absent() -> None:
    assert judged({"ALLOWED_PORTS": None}, {"ALLOWED_PORTS": []}, lambda _: False)[1]


def test_a_setting_that_an_earlier_version_did_not_know_counts_from_the_resume_on() -> None:
    allowed, refused = judged({}, {"MAX_HOSTS_PER_DOMAIN": 10_000}, lambda _: False)
    assert refused == []
    assert str(allowed[0]) == "MAX_HOSTS_PER_DOMAIN was unknown to this crawl and is now 10000"
    assert judged({"MAX_HOSTS_PER_DOMAIN": 5}, {"MAX_HOSTS_PER_DOMAIN": 9}, lambda _: False)[1]
