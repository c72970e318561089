"""A note says why a URL has no reply, and is read back as it was written."""

from pathlib import Path

import pytest

from tests.crawl.crawling import run_crawl
from tests.warc.archives import archived, page_log
from webgraph_it.items import Page, State
from webgraph_it.simweb import SimWeb
from webgraph_it.urls import Name, name
from webgraph_it.urls.sitemaps import as_sitemap
from webgraph_it.warc.note import STATES, Note, note_of, read

PLACE = name("http://www.unipd.it/segreto")
assert isinstance(PLACE, Name)


def page(state: State, place: Name = PLACE) -> Page:
    return Page(*place, 1e9, state, 0, 3, "it,unipd)/", reason="dns-nxdomain")


@pytest.mark.parametrize("state", sorted(STATES))
def test_a_note_is_read_back(state: State) -> None:
    note = note_of(page(state))
    assert note == Note(PLACE.url, 1e9, state, 0, "dns-nxdomain")
    assert read(note.url, note.time, note.block) == note


@pytest.mark.parametrize("state", [State.FETCHED, State.REDIRECT, State.UNCHANGED])
def test_a_page_whose_reply_tells_all_has_none(state: State) -> None:
    assert note_of(page(state)) is None


def test_a_sitemap_has_none() -> None:
    assert note_of(page(State.ERROR, as_sitemap(PLACE))) is None


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"depth: 1\r\nstate: error\r\n",
        b"state: fetched\r\nstatus: 200\r\nreason: \r\n",
        b"state: no-such\r\nstatus: 0\r\nreason: \r\n",
        b"state: error\r\nstatus: 0\r\nreason: a b\r\n",
        b"state: error\r\nstatus: 0\r\nreason: x\r\noutlink: http://www.unipd.it/\r\n",
        b"state: error\r\nstatus: 1234\r\nreason: \r\n",
    ],
)
def test_anything_else_is_no_note(block: bytes) -> None:
    assert read(PLACE.url, 1e9, block) is None


def test_a_crawl_notes_what_its_page_log_says_of_urls_without_a_reply(tmp_path: Path) -> None:
    with SimWeb(hosts=20, pages=200, seed=5) as web:
        run_crawl(web, tmp_path / "crawl", WARC=True)
    kinds = [record for record in archived(tmp_path / "crawl") if record.kind == "metadata"]
    notes = {note.url: note for each in kinds if (note := read(each.url, 0.0, each.block))}
    logged = {line["url"]: line for line in page_log(tmp_path / "crawl") if line["state"] in STATES}
    assert {url: str(note.state) for url, note in notes.items()} == {
        url: line["state"] for url, line in logged.items()
    }
    assert {note.reason for note in notes.values()} == {line["reason"] for line in logged.values()}
    assert {State.ROBOTS_DENIED, State.ERROR, State.TRAP_CUT} <= {note.state for note in notes.values()}
