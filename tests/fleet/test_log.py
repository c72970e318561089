"""The lines of the link log, and reading ranges of it."""

from pathlib import Path

import pytest

from tests.frontier.making import link
from webgraph_it.fleet.exchange import Span
from webgraph_it.fleet.log import Found, LogError, found_in, lines_for, lines_of, read_range
from webgraph_it.fleet.slices import balanced, slice_of

GOLDEN = (
    b"388\t4\t\tit,unipd)/corsi\thttp://a.it/x\n388\t4\tsame-content\tit,unipd)/corsi\thttp://a.it/y?z=1\n"
)


def test_a_line_is_written_as_the_format_says() -> None:
    first, second = link("a", "/x"), link("a", "/y?z=1")
    plain = lines_of([(slice_of(first.key), first)], 4, "it,unipd)/corsi")
    trap = lines_of([(slice_of(second.key), second)], 4, "it,unipd)/corsi", is_copy=True)
    assert plain + trap == GOLDEN
    both = lines_of([(5, second)], 4, "it,a)/", is_copy=True, outside={second.digest})
    assert both == b"005\t4\tsame-content,outside\tit,a)/\thttp://a.it/y?z=1\n"
    assert (
        lines_of([(5, second)], 4, "", outside={second.digest}) == b"005\t4\toutside\t\thttp://a.it/y?z=1\n"
    )


def test_what_is_written_is_read() -> None:
    assert list(found_in(GOLDEN)) == [
        Found(4, False, "it,unipd)/corsi", "http://a.it/x"),
        Found(4, True, "it,unipd)/corsi", "http://a.it/y?z=1"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        b"388\t4\t\tit,unipd)/corsi\thttp://a.it/x",  # no end
        b"388\t4\tit,unipd)/corsi\thttp://a.it/x\n",  # a field less
        b"4e3\t4\t\tit,unipd)/corsi\thttp://a.it/x\n",  # no slice
        b"388\t-4\t\tit,unipd)/corsi\thttp://a.it/x\n",
        b"388\t444444\t\tit,unipd)/corsi\thttp://a.it/x\n",
        b"388\t4\trm-rf\tit,unipd)/corsi\thttp://a.it/x\n",
        b"388\t4\t\tnowhere\thttp://a.it/x\n",
        b"388\t4\t\tit,unipd)/corsi\thttp://a.it/\xff\n",
        b"388\t4\t\tit,unipd)/corsi\t\n",
    ],
)
def test_what_is_not_a_link_is_refused(line: bytes) -> None:
    with pytest.raises(LogError):
        list(found_in(GOLDEN + line))


def test_every_line_is_for_one_member() -> None:
    table = balanced(5)
    links = [link(f"sito{n}") for n in range(100)]
    data = lines_of([(slice_of(each.key), each) for each in links], 1, "it,a)/")
    parts = [lines_for(data, table, member) for member in range(1, 6)]
    assert all(parts)
    assert sorted(b"".join(parts).splitlines()) == sorted(data.splitlines())


def test_a_range_is_whole_lines_of_one_file(tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links/000003.tsv").write_bytes(b"one\ntwo\nthree, not committed\n")
    (tmp_path / "links/000004.tsv").write_bytes(b"a very long line\nx\n")
    log = (Span(3, 100, 108), Span(4, 108, 127))
    assert read_range(tmp_path, log, 100) == (108, b"one\ntwo\n")
    assert read_range(tmp_path, log, 100, most=5) == (104, b"one\n")
    assert read_range(tmp_path, log, 104, most=5) == (108, b"two\n")
    assert read_range(tmp_path, log, 108, most=5) == (125, b"a very long line\n")
    assert read_range(tmp_path, log, 127) == (127, b"")
    assert read_range(tmp_path, log, 50) == (50, b"")
    (tmp_path / "links/000003.tsv").unlink()
    assert read_range(tmp_path, log, 100) == (100, b"")
