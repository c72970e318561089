"""Records with the places where they end; reading stops at the first that is not whole."""

from pathlib import Path

import pytest

from tests.convert.crawls import HOME, LINKS, digest, page_line, shard
from webgraph_it.repair.streams import Place, listed, logged, sequences
from webgraph_it.shards.formats import Part


def part(path: Path, content: bytes) -> Part:
    path.write_bytes(content)
    return Part(path, len(content))


def test_sequences_are_those_written_by_hand(tmp_path: Path) -> None:
    found = list(sequences([part(tmp_path / "1", shard(LINKS))]))
    expected = [(digest(parent), [digest(child) for child in children]) for parent, children in LINKS.items()]
    assert [(each.parent, each.children) for each in found] == expected
    assert found[-1].end == Place(0, len(shard(LINKS)))


@pytest.mark.parametrize("torn", [b"it,c)/\thttp", b"no tab\n", b"no host\thttp://x/\n"])
def test_a_list_ends_before_what_is_torn(tmp_path: Path, torn: bytes) -> None:
    whole = b"it,a)/\thttp://a.it/\n"
    found = list(listed([part(tmp_path / "1", whole), part(tmp_path / "2", whole + torn)]))
    assert [line.end for line in found] == [Place(0, len(whole)), Place(1, len(whole))]


def test_a_log_tells_whether_the_page_was_tried(tmp_path: Path) -> None:
    fetched = page_line(HOME, "http://a.it/", "fetched").encode()
    lines = [fetched, fetched.replace(b'"fetched"', b'"trap-cut"')]
    found = list(logged([part(tmp_path / "1", b"".join([*lines, b"{}\n", *lines]))]))
    assert [line.was_tried for line in found] == [True, False]
    assert found[1].start == found[0].end
