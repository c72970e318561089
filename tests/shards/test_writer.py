"""The writers: order, atomic appends, bounded memory, what a sync covers, and what recovery cuts."""

import asyncio
import errno
import os
import resource
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.shards.formats import ShardError
from webgraph_it.shards.writer import (
    AppendFile,
    DoubleBufferedWriter,
    Durable,
    Place,
    Shards,
    UnbufferedWriter,
    cut,
    recover,
)

SEQUENCES = {"graph": 4, "urls": 4, "pages": 4}
WRITERS = [DoubleBufferedWriter, UnbufferedWriter]


def sync(shards: Shards, *, next_number: bool = False) -> dict[str, Durable]:
    committed: dict[str, Durable] = {}
    shards.sync(committed.update, next_number=next_number).result(timeout=10)
    return committed


@pytest.mark.parametrize("writer_class", WRITERS)
@given(records=st.lists(st.binary(max_size=40), max_size=30))
def test_files_hold_the_records_in_order(
    writer_class: type[DoubleBufferedWriter] | type[UnbufferedWriter],
    records: list[bytes],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    directory = tmp_path_factory.mktemp("crawl")
    shards = Shards(directory, None, SEQUENCES, writer_class)
    for record in records:
        shards["graph"].write(record)
    committed = sync(shards)
    shards.close()
    content = (directory / "graph/000001.g16").read_bytes()
    assert content == b"".join(records)
    assert committed["graph/000001.g16"].length == len(content)


@pytest.mark.parametrize("writer_class", WRITERS)
def test_what_is_written_after_a_sync_is_not_covered_by_it(
    writer_class: type[DoubleBufferedWriter] | type[UnbufferedWriter], tmp_path: Path
) -> None:
    shards = Shards(tmp_path, None, SEQUENCES, writer_class)
    shards["pages"].write(b"before")
    committed = sync(shards)
    for _ in range(9):
        shards["pages"].write(b"after!")
    shards.close()
    assert committed["pages/000001.jsonl"].length == len(b"before")


def test_a_checkpoint_starts_the_next_number_in_all_three_folders(tmp_path: Path) -> None:
    shards = Shards(tmp_path, None, SEQUENCES)
    shards["graph"].write(b"one")
    committed = sync(shards, next_number=True)
    shards["graph"].write(b"two")
    later = sync(shards)
    shards.close()
    assert committed["graph/000001.g16"] == later["graph/000001.g16"]
    assert (tmp_path / "graph/000001.g16").read_bytes() == b"one"
    assert (tmp_path / "graph/000002.g16").read_bytes() == b"two"
    assert sorted(p.name for p in (tmp_path / "urls").iterdir()) == ["000001.tsv", "000002.tsv"]


def test_a_restart_continues_the_numbers(tmp_path: Path) -> None:
    shards = Shards(tmp_path, None, SEQUENCES)
    shards["graph"].write(b"one")
    committed = sync(shards)
    shards.close()
    again = Shards(tmp_path, committed, SEQUENCES)
    again["graph"].write(b"two")
    sync(again)
    again.close()
    assert (tmp_path / "graph/000001.g16").read_bytes() == b"one"
    assert (tmp_path / "graph/000002.g16").read_bytes() == b"two"


def test_a_writer_is_full_while_the_scribe_is_busy_and_has_room_after() -> None:
    released = threading.Event()
    written: list[bytes] = []

    def slow_append(buffer: bytearray) -> None:
        released.wait(10)
        written.append(bytes(buffer))

    with ThreadPoolExecutor(1) as scribe:
        writer = DoubleBufferedWriter(slow_append, scribe, 2)
        for record in (b"1", b"2", b"3"):
            writer.write(record)
        assert not writer.full
        writer.write(b"4")
        assert writer.full
        released.set()
        asyncio.run(writer.room())
        assert not writer.full
        writer.swap()
    assert b"".join(written) == b"1234"


def test_a_failed_append_leaves_no_part_of_the_buffer(tmp_path: Path) -> None:
    file = AppendFile(tmp_path / "000001.g16")
    file.append(b"whole")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            file.append(b"0123456789")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    file.close()
    assert (tmp_path / "000001.g16").read_bytes() == b"whole"


def test_a_full_disk_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webgraph_it.shards.writer.RETRY_SECONDS", 0.01)
    shards = Shards(tmp_path, None, SEQUENCES)
    real_append, refusals = AppendFile.append, iter(range(3))

    def append(file: AppendFile, buffer: bytearray) -> None:
        if next(refusals, None) is not None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real_append(file, buffer)

    monkeypatch.setattr(AppendFile, "append", append)
    shards["graph"].write(b"patience")
    sync(shards)
    shards.close()
    assert (tmp_path / "graph/000001.g16").read_bytes() == b"patience"


def test_nothing_is_synced_after_a_write_that_failed_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = Shards(tmp_path, None, SEQUENCES)

    def append(file: AppendFile, buffer: bytearray) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(AppendFile, "append", append)
    shards["graph"].write(b"lost")
    with pytest.raises(OSError, match="Input/output"):
        sync(shards)
    monkeypatch.undo()
    with pytest.raises(OSError, match="Input/output"):
        sync(shards)
    shards.close()


@pytest.mark.parametrize("length", [*range(50), 1000, 1 << 20])
def test_recovery_cuts_a_torn_tail_of_every_length_and_says_so(length: int, tmp_path: Path) -> None:
    tail = b"x" * length
    shards = Shards(tmp_path, None, SEQUENCES)
    shards["graph"].write(b"committed")
    committed = sync(shards)
    shards.close()
    with (tmp_path / "graph/000001.g16").open("ab") as file:
        file.write(tail)
    sentences = recover(tmp_path, committed)
    assert (tmp_path / "graph/000001.g16").read_bytes() == b"committed"
    expected = [f"graph/000001.g16: cut {length} bytes written after the last commit"] if tail else []
    assert sentences == expected


def test_recovery_removes_files_that_no_commit_knows(tmp_path: Path) -> None:
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph/000001.g16").write_bytes(b"never committed")
    assert recover(tmp_path, {}) == ["graph/000001.g16: cut 15 bytes written after the last commit"]
    assert not list((tmp_path / "graph").iterdir())


def test_recovery_refuses_a_file_that_is_shorter_than_committed(tmp_path: Path) -> None:
    committed = {"graph/000001.g16": Durable(10, 0)}
    with pytest.raises(ShardError, match="has 0 bytes, but 10 were committed"):
        recover(tmp_path, committed)


def test_recovery_makes_files_again_of_which_nothing_was_committed(tmp_path: Path) -> None:
    committed = {"pages/000001.jsonl": Durable(0, 0), "graph/000001.g16": Durable(0, 0)}
    assert recover(tmp_path, committed) == []
    assert [(tmp_path / name).read_bytes() for name in committed] == [b"", b""]


def test_recovery_refuses_a_flipped_bit(tmp_path: Path) -> None:
    shards = Shards(tmp_path, None, SEQUENCES)
    shards["graph"].write(b"committed")
    committed = sync(shards)
    shards.close()
    path = Path(tmp_path / "graph/000001.g16")
    path.write_bytes(b"committee")
    with pytest.raises(ShardError, match="is damaged"):
        recover(tmp_path, committed)


def test_a_cut_is_on_disk_before_recovery_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the torn tail may be back after a power cut, in front of what is written next."""
    (tmp_path / "shard").write_bytes(b"committed and torn")
    sizes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: sizes.append(os.fstat(descriptor).st_size))
    before = os.listdir("/proc/self/fd")
    cut(tmp_path / "shard", 9)
    assert os.listdir("/proc/self/fd") == before
    assert sizes == [9]
    assert (tmp_path / "shard").read_bytes() == b"committed"


def test_checkpoints_and_the_end_leave_no_file_open(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    shards = Shards(tmp_path, None, SEQUENCES)
    open_files = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        sync(shards, next_number=True)
    assert len(os.listdir("/proc/self/fd")) == open_files
    shards.close()
    assert set(os.listdir("/proc/self/fd")) == before


def test_closing_waits_for_what_the_scribe_is_writing(tmp_path: Path) -> None:
    shards = Shards(tmp_path, None, SEQUENCES)
    ended = threading.Event()

    def slowly(files: dict[str, Durable]) -> None:
        threading.Event().wait(0.2)
        ended.set()

    shards.sync(slowly)
    shards.close()
    assert ended.is_set()


def test_an_unbuffered_writer_always_has_room(tmp_path: Path) -> None:
    shards = Shards(tmp_path, None, SEQUENCES, UnbufferedWriter)
    for _ in range(9):
        shards["graph"].write(b"x")
        assert not shards.full
    shards.close()


def test_shards_are_full_while_one_of_their_writers_is(tmp_path: Path) -> None:
    shards = Shards(tmp_path, None, SEQUENCES)
    released = threading.Event()
    shards._scribe.submit(released.wait, 10)
    for _ in range(2 * SEQUENCES["urls"]):
        assert not shards.full
        shards["urls"].write(b"x")
    assert shards.full
    released.set()
    asyncio.run(shards.room())
    assert not shards.full
    shards.close()


def test_a_stream_that_was_asked_for_is_committed_with_the_others_and_kept_when_it_is_not(
    tmp_path: Path,
) -> None:
    shards = Shards(tmp_path, None, {**SEQUENCES, "warc": 4})
    shards["warc"].write(b"record")
    committed = sync(shards)
    shards.close()
    with (tmp_path / "warc/000001.warc.gz").open("ab") as file:
        file.write(b"not committed")
    without = Shards(tmp_path, committed, SEQUENCES)
    assert "warc/000001.warc.gz: cut 13 bytes written after the last commit" in without.recovered
    assert sync(without)["warc/000001.warc.gz"] == committed["warc/000001.warc.gz"]
    without.close()
    assert [file.name for file in (tmp_path / "warc").iterdir()] == ["000001.warc.gz"]
    assert (tmp_path / "warc/000001.warc.gz").read_bytes() == b"record"


def test_disk_operations_are_counted_over_all_files_of_all_streams(tmp_path: Path) -> None:
    shards = Shards(tmp_path, None, SEQUENCES, UnbufferedWriter)
    for _ in range(3):
        shards["graph"].write(b"sequence")
    sync(shards, next_number=True)
    assert shards.operations == 3 + len(SEQUENCES), "three writes, and a sync of each file"
    shards["urls"].write(b"line")
    assert shards.operations == 3 + len(SEQUENCES) + 1
    shards.close()


def test_a_sequence_is_where_its_place_says(tmp_path: Path) -> None:
    shards = Shards(tmp_path, None, SEQUENCES)
    first, second = (bytes((0x80 | n,)) * 16 + b"a" * 16 * n for n in (0, 2))
    places = [shards.write_sequence(first), shards.write_sequence(second)]
    committed = sync(shards, next_number=True)
    places.append(shards.write_sequence(second))
    sync(shards)
    assert places == [(1, 0), (1, 16), (2, 0)]
    assert [b"".join(shards.sequence_at(place, n)) for place, n in zip(places, (0, 2, 2), strict=True)] == [
        first,
        second,
        second,
    ]
    assert shards.sequence_at(places[2], 3) == [], "it has only two links"
    assert shards.sequence_at(Place(9, 0), 0) == []
    shards.close()
    again = Shards(tmp_path, committed, SEQUENCES)
    assert again.write_sequence(first) == (2, 0), "the file that was not committed begins again"
    again.close()
