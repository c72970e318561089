"""Reader processes: what they send is kept in order, whatever becomes of them."""

import asyncio
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.defaults import link_policy
from tests.ingest.archives import Capture, page, write
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.extract.worker import policy_fields
from webgraph_it.files.received import InputError
from webgraph_it.ingest import ahead
from webgraph_it.ingest.ahead import Ahead, ReaderBroken
from webgraph_it.ingest.archive import ARC, WARC, in_order, look
from webgraph_it.ingest.captures import MAX_KNOWN
from webgraph_it.ingest.directory import values_of
from webgraph_it.ingest.frames import BEGUN, unpacked
from webgraph_it.ingest.reading import Milestone
from webgraph_it.ingest.records import Record, records
from webgraph_it.settings_table import SettingsError

URLS = [f"http://uno.it/{n}" for n in range(30)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "a.warc.gz", [Capture(url, page("/x")) for url in URLS])


def options(folder: Path) -> dict[str, object]:
    seeds = folder / "none.txt"
    seeds.touch()
    return {
        "settings": {},
        "seeds": str(seeds),
        "policy": policy_fields(link_policy()),
        "cpu_seconds": 2.0,
        "memory_bytes": 300_000_000,
    }


async def taken(reader: Ahead) -> list[tuple[str, str]]:
    try:
        found = [unpacked(frame.head, frame.links) async for frame in reader.frames()]
    finally:
        reader.close()
    return [(reading.url, reading.reason) for reading in found]


def read(file: Path, folder: Path, first: int = 0) -> list[tuple[str, str]]:
    return asyncio.run(taken(Ahead(file, options(folder), first, folder)))


def test_a_reader_begins_where_it_is_told(file: Path, tmp_path: Path) -> None:
    assert [url for url, _ in read(file, tmp_path, 27)] == URLS[27:]


def test_a_reader_begins_at_a_milestone_without_reading_what_is_before(file: Path, tmp_path: Path) -> None:
    with file.open("rb") as opened:
        found = [item for item in records(opened, 1 << 20) if isinstance(item, Record)]
    at = Milestone(20, found[20].position, URLS[20])
    data = bytearray(file.read_bytes())
    data[100 : found[20].position] = bytes(found[20].position - 100)
    file.write_bytes(data)
    reader = Ahead(file, options(tmp_path), 25, tmp_path, at)
    assert [url for url, _ in asyncio.run(taken(reader))] == URLS[25:]


@pytest.mark.parametrize(
    "wrong", [Milestone(20, 17, URLS[20]), Milestone(28, 0, URLS[28]), Milestone(20, 10**9, "")]
)
def test_a_milestone_that_is_not_there_changes_nothing(wrong: Milestone, file: Path, tmp_path: Path) -> None:
    reader = Ahead(file, options(tmp_path), 27, tmp_path, wrong)
    assert [url for url, _ in asyncio.run(taken(reader))] == URLS[27:]


def test_a_reader_that_is_killed_loses_nothing(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, started = ahead.spawn, []

    def spawn(*arguments: object) -> object:
        """The first reader dies before it has sent anything."""
        channel, process = real(*arguments)  # type: ignore[arg-type]
        if not started:
            os.kill(process.pid, signal.SIGKILL)
        started.append(process)
        return channel, process

    monkeypatch.setattr(ahead, "spawn", spawn)
    assert [url for url, _ in read(file, tmp_path)] == URLS
    assert len(started) == 2


def killed_after(sent: bytes) -> Callable[..., object]:
    """A reader that sends this, and is dead."""

    def spawn(*_: object) -> object:
        ours, theirs = socket.socketpair()
        theirs.sendall(sent)
        theirs.close()
        return ours, subprocess.Popen(["false"])

    return spawn


@pytest.mark.parametrize(("first", "sent"), [(0, b""), (0, BEGUN), (5, b"")])
def test_a_reader_that_ends_before_it_has_read_anything_is_our_failure(
    first: int, sent: bytes, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "spawn", killed_after(sent))
    with pytest.raises(ReaderBroken, match=r"a\.warc\.gz could not be read, .* not marked as ingested"):
        read(file, tmp_path, first)


def test_it_says_why_it_ended(file: Path, tmp_path: Path) -> None:
    wrong = {**options(tmp_path), "seeds": "niente.txt"}
    with pytest.raises(ReaderBroken, match=r"niente\.txt"):
        asyncio.run(taken(Ahead(file, wrong, 0, tmp_path)))


def test_a_record_that_kills_every_reader_ends_the_file_by_name(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "spawn", killed_after(BEGUN))
    reader = Ahead(file, options(tmp_path), 5, tmp_path)
    assert asyncio.run(taken(reader)) == []
    assert reader.failure == "its record 6 cannot be read (died)"


def test_a_document_that_takes_too_long_is_a_page_without_links(tmp_path: Path) -> None:
    slow = page(*(f"/{n}" for n in range(300_000)))
    captures = [Capture(URLS[0], page("/x")), Capture(URLS[1], slow), Capture(URLS[2], page("/x"))]
    file = write(tmp_path / "a.warc.gz", captures)
    hasty = {**options(tmp_path), "cpu_seconds": 0.05, "settings": {"MAX_BODY_BYTES": "20 MB"}}
    found = asyncio.run(taken(Ahead(file, hasty, 0, tmp_path)))
    assert found == [(URLS[0], ""), (URLS[1], "timeout"), (URLS[2], "")]


def test_a_spool_is_bounded(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "MAX_AHEAD_BYTES", 1)
    assert [url for url, _ in read(file, tmp_path)] == URLS


def test_a_file_that_is_gone_is_a_failure_of_that_file(tmp_path: Path) -> None:
    reader = Ahead(tmp_path / "niente", options(tmp_path), 0, tmp_path)
    assert asyncio.run(taken(reader)) == []
    assert reader.failure == "No such file or directory"


def test_no_reader_is_left_behind(file: Path, tmp_path: Path) -> None:
    reader = Ahead(file, options(tmp_path), 0, tmp_path)
    while reader._process is None:
        pass
    reader.close()
    assert isinstance(reader._process, subprocess.Popen)
    assert reader._process.poll() is not None


def test_files_are_taken_in_order_of_time_each_once(tmp_path: Path) -> None:
    later = write(tmp_path / "a.warc.gz", [Capture("http://uno.it/", date="2024-06-01T00:00:00Z")])
    earlier = write(tmp_path / "b.warc.gz", [Capture("http://uno.it/", date="2024-05-01T00:00:00Z")])
    assert [each.path for each in in_order([later, earlier, later])] == [earlier, later]
    assert look(later).format == WARC
    old = tmp_path / "c.arc"
    old.write_bytes(b"filedesc://a.arc 0.0.0.0 20100301120000 text/plain 13\n1 0 Archive\n\n\n")
    assert look(old).format == ARC
    with pytest.raises(InputError, match="is a folder, expected a regular file"):
        look(tmp_path)


def test_settings_are_the_crawls_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path / "job")
    values, typed = values_of(directory, {"MAX_BODY_BYTES": "1 MB"}, "italy")
    assert values.MAX_BODY_BYTES == 1_000_000
    assert typed["CRAWL_NAME"] == "italy"
    with pytest.raises(SettingsError, match=r"MAX_BODY_BYTE is not a setting; did you mean MAX_BODY_BYTES\?"):
        values_of(directory, {"MAX_BODY_BYTE": "1 MB"}, "italy")
    assert MAX_KNOWN


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux has the sandbox")
def test_a_reader_works_in_the_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While its spool is full it cannot end, so there is time to look."""
    monkeypatch.setattr(ahead, "MAX_AHEAD_BYTES", 1)
    many = page(*(f"/{n}" for n in range(2000)))
    reader = Ahead(
        write(tmp_path / "a.warc.gz", [Capture(f"http://uno.it/{n}", many) for n in range(60)]),
        options(tmp_path),
        0,
        tmp_path,
    )
    try:
        deadline = time.monotonic() + 30
        while not reader._written and time.monotonic() < deadline:
            time.sleep(0.01)
        assert reader._process is not None
        status = Path(f"/proc/{reader._process.pid}/status").read_text()
        assert "Seccomp:\t2" in status
        assert "NoNewPrivs:\t1" in status
        time.sleep(1.5)
        assert reader._process.poll() is None
        assert reader._written < 1 << 20
    finally:
        reader.close()
