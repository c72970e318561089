"""Which differences only add."""

import pytest

from webgraph_it.crawl.changes import judged, only_raised


@pytest.mark.parametrize(
    ("before", "now", "allowed"),
    [(1, 2, True), (1, 0, True), (2, 2, True), (0, 0, True), (2, 1, False), (0, 5, False), (None, 5, False)],
)
def test_a_limit_may_be_raised_or_removed(before, now, allowed):
    assert only_raised(before, now) is allowed


def test_each_difference_is_allowed_or_refused():
    before = {"MAX_DEPTH": 1, "SCOPE_SURTS": ["it,"], "SEEDS": {"file": "a", "md5": "1"}, "recipe_version": 1}
    now = {"MAX_DEPTH": 2, "SCOPE_SURTS": ["com,"], "SEEDS": {"file": "b", "md5": "2"}, "recipe_version": 1}
    allowed, refused = judged(before, now, lambda _: True)
    assert [change.name for change in allowed] == ["MAX_DEPTH", "SEEDS"]
    assert [str(change) for change in refused] == ['SCOPE_SURTS was ["it,"] and is now ["com,"]']


def test_where_a_seed_file_lies_does_not_matter():
    assert judged(
        {"SEEDS": {"file": "a", "md5": "1"}}, {"SEEDS": {"file": "b", "md5": "1"}}, lambda _: False
    ) == ([], [])


def test_a_setting_that_an_earlier_version_did_not_know_counts_from_the_resume_on() -> None:
    allowed, refused = judged({}, {"MAX_HOSTS_PER_DOMAIN": 10_000}, lambda _: False)
    assert refused == []
    assert str(allowed[0]) == "MAX_HOSTS_PER_DOMAIN was unknown to this crawl and is now 10000"
    assert judged({"MAX_HOSTS_PER_DOMAIN": 5}, {"MAX_HOSTS_PER_DOMAIN": 9}, lambda _: False)[1]
