"""The streams of a crawl: what is read, and what is refused."""

from pathlib import Path

import pytest

from tests.convert.crawls import LINKS, digest, shard
from webgraph_it.shards.formats import (
    Part,
    ShardError,
    check_whole_records,
    is_shard_name,
    json_lines,
    lines,
    page_lines,
)
from webgraph_it.urls import names


def test_digest_written_by_hand_is_the_recipe_of_urls() -> None:
    assert all(names.digest(key) == digest(key) for key in LINKS)


def test_golden_record() -> None:
    """Pinned bytes: a parent and its child."""
    written = shard({"it,esempio)/": ["it,esempio)/about"]})
    assert written.hex() == "df4ae399ab26a76263741292a58c2a39" + "24035937234dd2f40dc21d0bdcf01928"


@pytest.mark.parametrize(
    ("folder", "name", "is_one"),
    [
        ("graph", "000001.g16", True),
        ("graph", "1234567.g16", True),
        ("graph", "000001.tsv", False),
        ("graph", "00001.g16", False),
        ("graph", "../000001.g16", False),
        ("frontier", "000001.g16", False),
    ],
)
def test_a_shard_has_a_number_and_the_suffix_of_its_stream(folder: str, name: str, is_one: bool) -> None:
    assert is_shard_name(folder, name) is is_one


def test_a_torn_shard_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ShardError, match="is torn: 20 bytes are 1 records"):
        check_whole_records(tmp_path / "1.g16", 20)


def test_lines_end_where_the_part_does(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"one\ntwo\nthree\n")
    assert list(lines(Part(tmp_path / "log", 8))) == [b"one", b"two"]
    with pytest.raises(ShardError, match="byte 10 is within a line"):
        list(lines(Part(tmp_path / "log", 10)))


def test_a_line_that_is_no_object_is_none_to_those_who_can_do_without_it(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b'{"a": 1}\n[1]\n{\n{"b": 2}\n{"c": 3}\n')
    assert list(json_lines(Part(tmp_path / "log", 24))) == [{"a": 1}, None, None, {"b": 2}]


def test_a_page_log_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"{\n")
    with pytest.raises(ShardError, match="is not a page log"):
        list(page_lines([Part(tmp_path / "log", 2)]))
