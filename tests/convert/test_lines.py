"""Rows out of lines: each line belongs to one piece, and a wrong one is named by its number."""

from pathlib import Path

import pytest

from tests.convert.crawls import page_line
from webgraph_it.convert.lines import LISTED, NO_DEPTH, STATES, TRIED, Piece, sorted_piece
from webgraph_it.shards.formats import Part, ShardError

LINES = b"it,c)/\thttp://c.it/\nit,a)/\thttp://a.it/\nit,b)/\thttp://b.it/\n"


def piece(path: Path, content: bytes, kind: int, start: int = 0, stop: int | None = None) -> Piece:
    path.write_bytes(content)
    return Piece(Part(path, len(content)), start, len(content) if stop is None else stop, kind)


def test_rows_are_sorted_by_key(tmp_path: Path) -> None:
    table = sorted_piece(piece(tmp_path / "urls", LINES, LISTED))
    assert table["key"].to_pylist() == ["it,a)/", "it,b)/", "it,c)/"]
    assert set(table["depth"].to_pylist()) == {NO_DEPTH}


@pytest.mark.parametrize("cut", range(1, len(LINES)))
def test_wherever_a_list_is_cut_each_line_comes_once(tmp_path: Path, cut: int) -> None:
    halves = [piece(tmp_path / "urls", LINES, LISTED, *ends) for ends in ((0, cut), (cut, len(LINES)))]
    keys = [key for half in halves for key in sorted_piece(half)["key"].to_pylist()]
    assert sorted(keys) == ["it,a)/", "it,b)/", "it,c)/"]


def test_keys_are_made_where_there_are_none(tmp_path: Path) -> None:
    table = sorted_piece(piece(tmp_path / "urls", b"https://www.unipd.it/a\n", LISTED))
    assert table["key"].to_pylist() == ["it,unipd)/a"]


def test_a_page_keeps_its_state(tmp_path: Path) -> None:
    line = page_line("it,a)/", "http://a.it/", "redirect").encode()
    table = sorted_piece(piece(tmp_path / "pages", line, TRIED))
    assert [STATES[state] for state in table["state"].to_pylist()] == ["redirect"]


@pytest.mark.parametrize(("kind", "line"), [(LISTED, b"it,d\tx\n"), (TRIED, b"{}\n")])
def test_a_wrong_line_is_named_and_not_shown(tmp_path: Path, kind: int, line: bytes) -> None:
    good = LINES if kind == LISTED else page_line("it,a)/", "http://a.it/", "fetched").encode() * 3
    with pytest.raises(ShardError, match="line 4 is wrong"):
        sorted_piece(piece(tmp_path / "file", good + line, kind))
