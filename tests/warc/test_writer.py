"""The writer in the crawl's Shards: order, what a sync covers, which file, bounded memory, failures."""

import asyncio
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.warc.exchanges import exchange
from tests.warc.witnesses import records
from webgraph_it.shards.contract import BackgroundWriter
from webgraph_it.shards.writer import Durable, Shards
from webgraph_it.warc import writer
from webgraph_it.warc.capture import Capture
from webgraph_it.warc.stream import WarcStream
from webgraph_it.warc.writer import WarcWriter

SEQUENCES = {"graph": 4, "urls": 4, "pages": 4, "warc": 0}


class SlowStream(WarcStream):
    """Presses nothing before it may."""

    def __init__(self) -> None:
        super().__init__([("software", "x")])
        self.may = threading.Event()

    def members(self, captures: Iterable[Capture]) -> bytearray:
        assert self.may.wait(10)
        return super().members(captures)


class BrokenStream(WarcStream):
    def members(self, captures: Iterable[Capture]) -> bytearray:
        raise MemoryError("no room to press")


def opened(directory: Path, stream: WarcStream | None = None) -> tuple[Shards, Any]:
    used = stream or WarcStream([("software", "x")])
    shards = Shards(directory, None, SEQUENCES, own_classes={"warc": lambda a, s, _: WarcWriter(a, s, used)})  # type: ignore[arg-type,return-value]
    return shards, shards["warc"]


def capture(number: int, size: int = 10) -> Capture:
    return Capture(exchange(f"http://a.it/{number}", b"%d " % number * (size // 2)), None)


def urls(file: Path) -> list[str]:
    return [each.url for each in records(file) if each.kind == "response"]


def sync(shards: Shards, *, next_number: bool = False) -> dict[str, Durable]:
    committed: dict[str, Durable] = {}
    shards.sync(committed.update, next_number=next_number).result(timeout=10)
    return committed


def test_captures_reach_the_file_in_order_and_a_sync_covers_those_before_it(tmp_path: Path) -> None:
    shards, warc = opened(tmp_path)
    for number in range(300):
        warc.write(capture(number, 5000))
    committed = sync(shards)
    warc.write(capture(300))
    shards.close()
    file = tmp_path / "warc/000001.warc.gz"
    content = file.read_bytes()[: committed["warc/000001.warc.gz"].length]
    assert [each.url for each in records(content) if each.kind == "response"] == [
        f"http://a.it/{number}" for number in range(300)
    ]


def test_what_follows_a_checkpoint_is_in_the_next_file_with_a_warcinfo_of_its_own(tmp_path: Path) -> None:
    shards, warc = opened(tmp_path)
    warc.write(capture(1))
    done = shards.sync(lambda files: None, next_number=True)
    warc.write(capture(2))
    done.result(timeout=10)
    sync(shards)
    shards.close()
    first, second = tmp_path / "warc/000001.warc.gz", tmp_path / "warc/000002.warc.gz"
    assert (urls(first), urls(second)) == (["http://a.it/1"], ["http://a.it/2"])
    assert [records(file)[0].headers["WARC-Filename"] for file in (first, second)] == [
        first.name,
        second.name,
    ]


def test_a_sync_waits_for_what_is_still_being_pressed(tmp_path: Path) -> None:
    stream = SlowStream()
    shards, warc = opened(tmp_path, stream)
    warc.write(capture(1))
    committed: dict[str, Durable] = {}
    done = shards.sync(committed.update)
    assert not done.done()
    stream.may.set()
    done.result(timeout=10)
    shards.close()
    assert committed["warc/000001.warc.gz"].length > 0


def test_a_writer_that_holds_much_is_full_until_the_file_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MAX_HELD_BYTES", 100_000)
    monkeypatch.setattr(writer, "BATCH_BYTES", 20_000)
    stream = SlowStream()
    shards, warc = opened(tmp_path, stream)
    written = 0
    while not shards.full:
        warc.write(capture(written, 10_000))
        written += 1
    assert 8 <= written <= 10
    stream.may.set()
    asyncio.run(asyncio.wait_for(shards.room(), 10))
    assert not shards.full
    sync(shards)
    assert warc.held_bytes == 0
    shards.close()
    assert len(urls(tmp_path / "warc/000001.warc.gz")) == written


def test_after_a_capture_that_cannot_be_pressed_nothing_is_committed(tmp_path: Path) -> None:
    shards, warc = opened(tmp_path, BrokenStream([]))
    warc.write(capture(1))
    committed: list[object] = []
    for _ in range(2):
        with pytest.raises(MemoryError, match="no room to press"):
            shards.sync(committed.append).result(timeout=10)
    shards.close()
    assert committed == []


def test_shards_know_that_it_works_in_the_background(tmp_path: Path) -> None:
    shards, warc = opened(tmp_path)
    assert isinstance(warc, BackgroundWriter)
    assert not isinstance(shards["graph"], BackgroundWriter)
    shards.close()
