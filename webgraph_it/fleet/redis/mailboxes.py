"""Links and statuses over Redis or Valkey: a stream per receiver, and a hash for the notice board.

A batch is taken out of its mailbox when it is read. What is lost between there and the receiver's commit, its sender
sends again. A mailbox holds at most MAX_WAITING batches and a batch is compressed, so 64 MB are enough for a fleet of
sixteen members.
"""

import re
from collections.abc import Mapping, Sequence
from secrets import token_hex

import zstandard

from webgraph_it.fleet.redis.link import Answer, Link
from webgraph_it.fleet.redis.scripts import BOARD, COLLECT, PUBLISH, PUT
from webgraph_it.fleet.transport import MAX_BATCH_BYTES, Batch, Board, TransportError

MAX_WAITING = 32
"""Batches in a mailbox."""
MAX_AT_ONCE = 16
MAX_ENTRY_BYTES = 1024 * 1024
"""Of compressed batches that are read at once."""
MAX_LINES_BYTES = 4 * MAX_BATCH_BYTES
"""Of a batch. A single long line may be more than MAX_BATCH_BYTES."""
MAX_WINDOW_BYTES = 8 * 1024 * 1024
MAX_STATUS_BYTES = 256 * 1024
_NUMBER = re.compile(rb"[0-9]{1,18}")


class RedisMailboxes:
    """Mailboxes in a server that all members reach."""

    needs_publishing = True

    def __init__(self, url: str, size: int) -> None:
        self._link = Link(url)
        self._size = size
        self._compressor = zstandard.ZstdCompressor(level=1)

    def __repr__(self) -> str:
        return f"<RedisMailboxes {self._link!r}>"

    async def publish(self, batch: Batch) -> None:
        lines = self._compressor.compress(batch.lines)
        await self._link.run_for(
            batch.sender,
            PUBLISH,
            [f"mail:{batch.receiver}", "epochs"],
            [MAX_WAITING, batch.sender, batch.epoch, batch.begin, batch.end, lines],
        )

    async def collect(self, receiver: int, cursors: Mapping[int, int]) -> Sequence[Batch]:
        answer = await self._link.run(COLLECT, [f"mail:{receiver}"], [MAX_AT_ONCE, MAX_ENTRY_BYTES])
        if not isinstance(answer, list):
            raise TransportError(
                f"{self._link.place} answered {str(answer)[:80]}, which is no list of batches"
            )
        batches = (batch_of(fields, receiver, self._size) for fields in answer)
        return [batch for batch in batches if batch is not None]

    async def put(self, member: int, epoch: int, status: bytes) -> None:
        await self._link.run_for(member, PUT, ["board", "epochs"], [member, epoch, status])

    async def board(self) -> Board:
        answer = await self._link.run(BOARD, ["board", "run"], [token_hex(8), self._size, MAX_STATUS_BYTES])
        if not isinstance(answer, list) or not all(isinstance(each, bytes) for each in answer):
            raise TransportError(f"{self._link.place} answered {str(answer)[:80]}, which is no notice board")
        run, *rest = (each for each in answer if isinstance(each, bytes))
        numbers, statuses = rest[::2], rest[1::2]
        named = zip(numbers, statuses, strict=False)
        return Board(
            run.decode(errors="replace"), {int(each): found for each, found in named if each.isdigit()}
        )

    async def close(self) -> None:
        await self._link.close()


def batch_of(fields: Answer, receiver: int, size: int) -> Batch | None:
    """An entry of a mailbox as a batch; None if it is not one. Anybody may have written it."""
    if not isinstance(fields, list) or len(fields) != 10:
        return None
    texts = [each for each in fields if isinstance(each, bytes)]
    if len(texts) < 10 or texts[::2] != [b"s", b"e", b"b", b"n", b"l"]:
        return None
    *numbers, packed = texts[1::2]
    if not all(_NUMBER.fullmatch(each) for each in numbers):
        return None
    sender, epoch, begin, end = map(int, numbers)
    lines = _unpacked(packed)
    if lines is None or not 1 <= sender <= size or sender == receiver or end < begin:
        return None
    return Batch(sender, receiver, epoch, begin, end, lines)


def _unpacked(packed: bytes) -> bytes | None:
    """None if it is not one whole frame of zstd, or says that it is more than MAX_LINES_BYTES."""
    try:
        if not 0 <= zstandard.frame_content_size(packed) <= MAX_LINES_BYTES:
            return None
        return zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES).decompress(packed)
    except zstandard.ZstdError:
        return None
