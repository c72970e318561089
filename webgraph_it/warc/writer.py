"""The writer of the stream `warc`: compresses in a thread of its own, so that the crawl does not wait for it.

    crawl thread    write ─► filling batch ──────┬── write ──►                swap ── sync ──►
    press thread                                 └─► digests, gzip ─┐
    scribe thread                                                   └─► write to file ──────► fsync, lengths

Guarantees: members reach the file in the order of `write`, whole captures only. What was written before `swap` is in
the file before what the scribe does after it. Memory is bounded: at MAX_HELD_BYTES the writer is `full`, and the crawl
waits for `room`. If a capture cannot be compressed, `failure` says why, and nothing is synced any more.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from webgraph_it.shards.formats import WARC_FOLDER, file_name
from webgraph_it.warc.capture import Capture
from webgraph_it.warc.note import Note
from webgraph_it.warc.stream import Finished, WarcStream

BATCH_BYTES = 1024 * 1024
"""Captures that are compressed and written together."""
MAX_HELD_BYTES = 16 * 1024 * 1024
"""What waits to be compressed and written, uncompressed."""


class WarcWriter:
    """`write` takes a Capture where other writers take encoded bytes."""

    def __init__(
        self, append: Callable[[bytearray], None], scribe: ThreadPoolExecutor, stream: WarcStream
    ) -> None:
        self._append = append
        self._scribe = scribe
        self._stream = stream
        self._press = ThreadPoolExecutor(1, thread_name_prefix="warc")
        self._filling: list[Capture | Note] = []
        self._filling_bytes = 0
        self._handed: deque[tuple[Future[None], int]] = deque()
        """What the scribe has not written yet, oldest first, with its size."""
        self._handed_bytes = 0
        self._line = asyncio.Lock()
        """Of those who wait for room."""
        self.failure: Exception | None = None

    def __repr__(self) -> str:
        return f"<WarcWriter {len(self._filling)} captures filling, {len(self._handed)} batches handed over>"

    def write(self, capture: Capture | Note) -> None:
        self._filling.append(capture)
        self._filling_bytes += capture.size_bytes
        if self._filling_bytes >= BATCH_BYTES:
            self.swap()

    def swap(self) -> None:
        if not self._filling:
            return
        pressed = self._press.submit(self._stream.members, self._filling)
        self._handed.append((self._scribe.submit(self._write, pressed), self._filling_bytes))
        self._handed_bytes += self._filling_bytes
        self._filling, self._filling_bytes = [], 0

    def begin_file(self, number: int) -> None:
        """What is written from now on is for the file with this number."""
        self._press.submit(self._stream.begin_file, file_name(WARC_FOLDER, number))

    def finish_file(self) -> None:
        """Nothing more is written."""
        self._press.submit(self._stream.begin_file, "")

    def take_finished(self) -> "Future[list[Finished]]":
        """The files that were finished since the last call. Perhaps they are not committed yet."""
        return self._press.submit(self._stream.take_finished)

    @property
    def held_bytes(self) -> int:
        """What is not in the file yet, uncompressed."""
        while self._handed and self._handed[0][0].done():
            self._handed_bytes -= self._handed.popleft()[1]
        return self._filling_bytes + self._handed_bytes

    @property
    def full(self) -> bool:
        return self.held_bytes >= MAX_HELD_BYTES

    async def room(self) -> None:
        if not self.full:
            return
        async with self._line:  # one waits for the press, and the others for it: they may be hundreds
            while self.full and self._handed:
                await asyncio.wait({asyncio.wrap_future(self._handed[0][0])})

    def close(self) -> None:
        self._press.shutdown(wait=True)

    def _write(self, pressed: "Future[bytearray]") -> None:
        """In the scribe's thread."""
        try:
            members = pressed.result()
        except Exception as error:
            self.failure = error
            raise
        if self.failure is None:
            self._append(members)
