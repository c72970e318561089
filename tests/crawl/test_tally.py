"""The tally is bounded, whatever servers say."""

import json
from typing import Any

from webgraph_it.crawl.tally import MAX_DISTINCT, OTHER, Tally
from webgraph_it.items import Page, State


def page(number: int, **details: Any) -> Page:
    return Page(
        f"http://a.it/{number}", f"it,a)/{number}", b"\0" * 16, 0.0, State.FETCHED, 200, 1, "", **details
    )


def test_media_types_and_reasons_beyond_the_bound_count_as_other() -> None:
    tally = Tally()
    for number in range(3 * MAX_DISTINCT):
        tally.count(
            page(number, media_type=f"a/{number}", reason=f"perché-{number}", size_bytes=2), 0, is_parent=True
        )
    assert len(tally.media_types) == len(tally.media_bytes) == len(tally.reasons) == MAX_DISTINCT + 1
    assert tally.media_types[OTHER] == 2 * MAX_DISTINCT
    assert sum(tally.media_types.values()) == 3 * MAX_DISTINCT
    assert sum(tally.media_bytes.values()) == 6 * MAX_DISTINCT


def test_long_and_unprintable_names_count_as_other() -> None:
    tally = Tally()
    for number in range(1000):
        tally.count(page(number, media_type=f"{number}" + "x" * 62_000, reason="\x1b[2J"), 0, is_parent=True)
    assert tally.media_types == {OTHER: 1000}
    assert tally.reasons == {OTHER: 1000}
    assert len(tally.to_bytes()) < 1000


def test_what_was_committed_before_there_were_bounds_is_bounded_when_it_is_read() -> None:
    committed = json.dumps({"media_types": {"x" * 62_000: 3, "text/html": 4}, "media_bytes": {"\x1b": 7}})
    tally = Tally(committed.encode())
    assert tally.media_types == {OTHER: 3, "text/html": 4}
    assert tally.media_bytes == {OTHER: 7}
    assert Tally(tally.to_bytes()).to_bytes() == tally.to_bytes()


def test_hosts_that_say_busy_most_often_keep_their_place_among_any_number() -> None:
    tally = Tally()
    for number in range(3 * MAX_DISTINCT):
        tally.count_busy(f"it,once-{number}")
        tally.count_busy("it,spesso")
    assert len(tally.busy) == MAX_DISTINCT
    assert tally.busy.most_common(1) == [("it,spesso", 3 * MAX_DISTINCT)]
    assert Tally(tally.to_bytes()).busy == tally.busy
