"""What a re-visit says, compared with the visit before: the line, the sequence, the row."""

import json
from dataclasses import replace

import pytest

from tests.frontier.making import link
from webgraph_it.crawl.revisit import Revisit, first_visit, may_ask_conditionally, revisited
from webgraph_it.frontier.visits import BODY_CUT, GONE, LIED, PLANNED, REDIRECT, Visit
from webgraph_it.items import Page, State

POLICY = 77
A, B, C = (link(name).digest for name in "abc")
PAGE = Page("http://x.it/", "it,x)/", link("x").digest, 100.0, State.FETCHED, 200, 1, "it,v)/", etag=b'"1"')
BEFORE = first_visit(PAGE, [A, B], POLICY)._replace(file_number=3, offset=64, flags=PLANNED)


def again(children: list[bytes], before: Visit = BEFORE, **facts: object) -> Revisit:
    page = replace(PAGE, time=200.0, etag=b'"2"', **facts)  # type: ignore[arg-type]
    return revisited(page, before, children, POLICY, lambda: {A, B})


def test_the_first_visit_makes_a_row() -> None:
    row = first_visit(replace(PAGE, content_digest="ab" * 16, body_cut=True), [A, B], POLICY)
    assert (row.last_visit, row.last_change, row.visits, row.changes, row.links) == (100.0, 100.0, 1, 0.0, 2)
    assert (row.flags, row.content_digest, row.policy, row.etag) == (BODY_CUT, b"\xab" * 8, POLICY, b'"1"')
    assert (row.file_number, row.offset) == (0, 0), "it has no sequence"
    assert first_visit(PAGE, [], POLICY, (3, 64))[8:10] == (3, 64)
    assert first_visit(PAGE, [], POLICY).content_digest == bytes(8)


def test_the_same_links_in_another_order_are_unchanged() -> None:
    found = again([B, A])
    assert (found.page.state, found.name, found.change, found.links) == (State.UNCHANGED, "unchanged", 0.0, 2)
    assert (found.row.file_number, found.row.offset) == (3, 64), "its sequence is the old one"
    assert (found.row.visits, found.row.last_visit, found.row.last_change) == (2, 200.0, 100.0)
    assert found.row.etag == b'"2"'
    line = json.loads(found.line)
    assert (line["state"], line["visit"], line["change"], line["links"]) == ("unchanged", 2, 0, 2)


def test_a_304_keeps_everything_but_the_visit() -> None:
    found = again([], state=State.UNCHANGED, status=304)
    assert found.row == BEFORE._replace(visits=2, last_visit=200.0)
    assert (found.name, found.links, found.more_links) == ("unchanged", 2, 0)


def test_other_links_are_a_new_sequence() -> None:
    found = again([B, C])
    assert (found.page.state, found.name, found.more_links) == (State.FETCHED, "changed", 0)
    assert found.change == pytest.approx(2 / 3)
    assert (found.row.changes, found.row.last_change) == (found.change, 200.0)
    assert (found.row.visits, found.row.last_visit, found.row.links) == (2, 200.0, 2)
    assert again([C], BEFORE._replace(changes=2.0)).row.changes == 3.0
    assert again([A]).more_links == -1


def test_a_document_that_became_a_redirect_has_changed_although_its_links_did_not() -> None:
    found = again([A, B], state=State.REDIRECT, status=301)
    assert (found.name, found.change) == ("changed", 0.0)
    assert found.row.flags == REDIRECT
    assert found.row.etag == b""


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone_has_no_links_until_it_comes_back(status: int) -> None:
    gone = again([], state=State.ERROR, status=status)
    assert (gone.page.state, gone.name, gone.change, gone.links) == (State.GONE, "gone", 1.0, 0)
    assert (gone.row.flags, gone.row.etag, gone.more_links) == (GONE, b"", -2)
    still = again([], gone.row, state=State.ERROR, status=404)
    assert (still.name, still.change, still.more_links) == ("gone", 0.0, 0)
    assert still.row.visits == 3
    back = again([A, B], still.row)
    assert (back.name, back.change, back.more_links, back.row.flags) == ("changed", 1.0, 2, 0)


@pytest.mark.parametrize(
    "facts",
    [
        {"state": State.ERROR, "status": 403},
        {"state": State.ERROR, "status": 500},
        {"state": State.ERROR, "status": 0, "reason": "timeout"},
        {"state": State.ROBOTS_DENIED, "status": 0},
        {"state": State.QUOTA_CUT, "status": 0},
    ],
)
def test_whatever_else_happens_leaves_what_was_known(facts: dict[str, object]) -> None:
    found = again([], **facts)
    assert (found.page.state, found.change, found.row) == (State.REVISIT_FAILED, 0.0, BEFORE)
    assert (found.links, found.more_links) == (0, 0)


def test_validators_that_stay_although_the_links_change_are_not_trusted_again() -> None:
    assert not again([A]).row.flags & LIED
    liar = replace(PAGE, time=200.0)
    row = revisited(liar, BEFORE, [A], POLICY, lambda: {A, B}).row
    assert row.flags == LIED
    assert revisited(liar, row, [A], POLICY, lambda: {A}).row.flags == LIED, "also after an unchanged visit"
    assert again([B], row).row.flags == LIED
    silent = replace(liar, etag=b"")
    assert not revisited(silent, first_visit(silent, [B], POLICY), [A], POLICY, lambda: {B}).row.flags


def test_links_that_can_no_longer_be_read_count_as_all_changed() -> None:
    assert revisited(PAGE, BEFORE, [C], POLICY, lambda: None).change == 1.0


def test_a_page_outside_the_graph_counts_no_links() -> None:
    found = again([A], in_graph=False)
    assert found.more_links == 0
    assert json.loads(found.line)["links"] == 0


ROW = BEFORE._replace(flags=0)


@pytest.mark.parametrize(
    ("row", "may"),
    [
        (ROW, True),
        (ROW._replace(etag=b"", last_modified=b"Mon"), True),
        (ROW._replace(etag=b""), False),
        (ROW._replace(policy=POLICY + 1), False),
        (ROW._replace(flags=BODY_CUT), False),
        (ROW._replace(flags=GONE), False),
        (ROW._replace(flags=REDIRECT), False),
        (ROW._replace(flags=LIED), False),
        (ROW._replace(visits=2), True),
        (ROW._replace(visits=3), False),
        (ROW._replace(visits=4), True),
    ],
)
def test_a_304_is_asked_for_only_if_it_would_mean_the_same_links(row: Visit, may: bool) -> None:
    assert may_ask_conditionally(row, POLICY) is may
