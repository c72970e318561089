"""The visit row, byte by byte, and what it says about links."""

import pytest

from webgraph_it.frontier.visits import (
    GONE,
    PLANNED,
    VISIT_HEAD,
    Visit,
    change_of,
    links_digest,
    packed_visit,
    visit_of,
)

GOLDEN = bytes.fromhex(
    "09" "41da9a0000000000" "41da98c000000000" "00000003" "3f000000" "6162636465666768" "0000000000000000"
    "01020304" "00000002" "0000000000000020" "00000007" "03" "00" "226122"
)  # fmt: skip
VISIT = Visit(
    GONE | PLANNED,
    1_785_200_640.0,
    1_784_872_960.0,
    3,
    0.5,
    b"abcdefgh",
    bytes(8),
    0x01020304,
    2,
    32,
    7,
    b'"a"',
)


def test_a_row_has_these_bytes() -> None:
    assert VISIT_HEAD.size == 63
    assert packed_visit(VISIT).hex() == GOLDEN.hex()
    assert visit_of(GOLDEN) == VISIT
    assert VISIT.is_gone
    assert VISIT.is_planned


def test_a_row_keeps_both_validators() -> None:
    visit = VISIT._replace(etag=b"e" * 128, last_modified=b"m" * 128, flags=0)
    assert visit_of(packed_visit(visit)) == visit
    assert not visit.is_gone
    assert not visit.is_planned


def test_the_digest_of_a_link_set_ignores_the_order() -> None:
    assert links_digest([b"b" * 16, b"a" * 16]) == links_digest([b"a" * 16, b"b" * 16])
    assert links_digest([b"a" * 16]) != links_digest([])


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [("ab", "ab", 0.0), ("ab", "bc", 2 / 3), ("ab", "", 1.0), ("", "", 1.0)],
)
def test_change_is_the_share_of_links_that_are_not_in_both(before: str, now: str, change: float) -> None:
    sets = [{letter.encode() for letter in letters} for letters in (before, now)]
    assert change_of(*sets) == pytest.approx(change)
