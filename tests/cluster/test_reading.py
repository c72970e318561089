"""A task's bytes → rows: whatever the splits, every sequence and every line is read exactly once."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.convert.crawls import LINKS, URLS, digest, shard, write_crawl
from webgraph_it.cluster import reading
from webgraph_it.cluster.sources import FILE_BITS, Split, sources
from webgraph_it.shards.formats import ShardError


def pair(key: str) -> tuple[int, int]:
    """High and low of a digest, by struct and md5 alone."""
    found = digest(key)
    return int.from_bytes(found[:8], "big"), int.from_bytes(found[8:], "big", signed=True)


def rows_of(batches: list[pa.RecordBatch]) -> list[dict[str, object]]:
    return pa.Table.from_batches(batches).to_pylist() if batches else []


@pytest.mark.parametrize("split_bytes", [16, 32, 48, 1 << 20])
def test_sequences_are_whole_wherever_a_split_begins(split_bytes: int, tmp_path: Path) -> None:
    write_crawl(tmp_path, files=2)
    found = sources([str(tmp_path)], split_bytes)
    rows = rows_of([b for task in found.tasks("graph", split_bytes=1) for b in reading.sequences(task)])
    lists = {(row["high"], row["low"]): row["children"] for row in rows}
    assert len(rows) == len(LINKS)
    assert lists == {pair(key): b"".join(map(digest, children)) for key, children in LINKS.items()}


def test_every_record_is_read_once_and_knows_its_place(tmp_path: Path) -> None:
    write_crawl(tmp_path, files=2)
    found = sources([str(tmp_path)], 48)
    rows = rows_of([b for task in found.tasks("graph") for b in reading.records(task)])
    expected = [key for parent, children in LINKS.items() for key in (parent, *children)]
    assert sorted((row["high"], row["low"]) for row in rows) == sorted(map(pair, expected))
    for row in rows:
        data = Path(found.file_of(int(str(row["position"])))).read_bytes()
        place = int(str(row["position"])) % (1 << FILE_BITS) * 16
        high, low = (int.from_bytes(data[at : at + 8], "big", signed=True) for at in (place, place + 8))
        assert (high & (1 << 63) - 1, low) == (row["high"], row["low"])


@pytest.mark.parametrize("split_bytes", [1, 7, 64, 1 << 20])
def test_lines_are_whole_wherever_a_split_begins(split_bytes: int, tmp_path: Path) -> None:
    write_crawl(tmp_path, files=2)
    splits = [
        split._replace(start=start, stop=min(start + split_bytes, split.length))
        for split in sources([str(tmp_path)]).splits
        if split.stream != "graph"
        for start in range(0, split.length, split_bytes)
    ]
    rows = rows_of(list(reading.lines(tuple(splits))))
    whole = rows_of(list(reading.lines(sources([str(tmp_path)]).tasks("urls", "pages")[0])))
    assert [row | {"position": 0} for row in rows] == [row | {"position": 0} for row in whole]
    assert {row["key"]: row["url"] for row in rows if row["kind"] == 0} == URLS
    assert all((row["high"], row["low"]) == pair(str(row["key"])) for row in rows)
    positions = [row["position"] for row in rows]
    assert positions == sorted(set(positions)), "in order of precedence"  # type: ignore[type-var]


def test_a_sequence_longer_than_what_is_read_ahead_is_whole(tmp_path: Path) -> None:
    children = [f"it,a)/{number}" for number in range(3 * reading.AHEAD_BYTES // 16)]
    path = tmp_path / "000001.g16"
    path.write_bytes(shard({"it,a)/": children, "it,b)/": []}))
    length = path.stat().st_size
    first = Split(str(path), "graph", 0, 32, length, 0)
    (row,) = rows_of(list(reading.sequences((first,))))
    assert row["children"] == b"".join(map(digest, children))
    rest = [first._replace(start=at, stop=min(at + 4096, length)) for at in range(32, length, 4096)]
    (last,) = rows_of(list(reading.sequences(tuple(rest))))
    assert (last["high"], last["low"], last["children"]) == (*pair("it,b)/"), b"")


def test_a_shard_that_was_cut_at_its_front_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "000001.g16"
    path.write_bytes(digest("it,a)/"))
    with pytest.raises(ShardError, match=r"starts with a child that has no parent"):
        list(reading.sequences((Split(str(path), "graph", 0, 16, 16, 0),)))


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 2**62]), st.sampled_from([-(2**63), -1, 0, 1, 5]))
    )
)
def test_equal_children_of_a_page_are_kept_once(rows: list[tuple[int, int, int]]) -> None:
    row, high, low = (
        np.array(column, np.int64) for column in (zip(*rows, strict=True) if rows else ([], [], []))
    )
    kept = reading.distinct(row, high, low)
    assert [rows[place] for place in kept] == list(dict.fromkeys(rows))


def test_arcs_of_a_batch_have_their_source_and_each_target_once() -> None:
    lists = pa.array([digest("b") + digest("c") + digest("b"), b"", digest("a")], pa.binary())
    batch = pa.record_batch(
        [pa.array([1, 2, 3]), pa.array([4, 5, 6]), pa.array([0, 1, 2]), lists], schema=reading.SEQUENCE
    )
    found = rows_of(list(reading.arcs(iter([batch]))))
    assert [tuple(row.values()) for row in found] == [
        (1, 4, *pair("b")),
        (1, 4, *pair("c")),
        (3, 6, *pair("a")),
    ]
