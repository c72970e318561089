"""Links and statuses over a real server, which anybody may have written to."""

import asyncio
from collections.abc import Iterator

import pytest
import zstandard

from tests.fleet.redis.servers import Server, needs_server
from webgraph_it.fleet.redis import mailboxes as module
from webgraph_it.fleet.redis.link import Answer
from webgraph_it.fleet.redis.mailboxes import MAX_STATUS_BYTES, MAX_WAITING, RedisMailboxes, batch_of
from webgraph_it.fleet.transport import MAX_BATCH_BYTES, Batch, Fenced

EPOCH = (3 << 32) + 12345


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def server(shared: Server) -> Server:
    shared.forget()
    return shared


pytestmark = needs_server


def batch(begin: int, lines: bytes = b"a line\n", sender: int = 1, epoch: int = EPOCH) -> Batch:
    return Batch(sender, 2, epoch, begin, begin + len(lines), lines)


def test_batches_arrive_once_in_their_order(server: Server) -> None:
    async def talk() -> None:
        one, two = (RedisMailboxes(server.url, 3) for _ in range(2))
        sent = [batch(0), batch(7), batch(0, b"", sender=3)]
        for each in sent:
            await one.publish(each)
        assert await two.collect(1, {}) == []
        assert await two.collect(2, {1: 0}) == sent
        assert await two.collect(2, {1: 14}) == []
        await one.close()
        await two.close()

    asyncio.run(talk())


def test_a_large_batch_arrives_whole(server: Server) -> None:
    lines = b"".join(
        b"it,esempio,h%d)/pagina?n=%d\thttp://h%d.esempio.it/\n" % (n, n, n) for n in range(5000)
    )
    large = batch(0, lines[:MAX_BATCH_BYTES])

    async def talk() -> None:
        boxes = RedisMailboxes(server.url, 3)
        await boxes.publish(large)
        assert server.client().memory_usage("webgraph_it:mail:2", samples=0) < MAX_BATCH_BYTES / 2
        assert await boxes.collect(2, {}) == [large]
        await boxes.close()

    asyncio.run(talk())


def test_a_full_mailbox_takes_nothing_more_until_it_is_emptied(server: Server) -> None:
    async def talk() -> None:
        boxes = RedisMailboxes(server.url, 3)
        for number in range(MAX_WAITING + 5):
            await boxes.publish(batch(7 * number))
        found: list[Batch] = []
        while more := await boxes.collect(2, {}):
            found += more
        assert found == [batch(7 * number) for number in range(MAX_WAITING)]
        await boxes.publish(batch(0))
        assert await boxes.collect(2, {}) == [batch(0)]
        await boxes.close()

    asyncio.run(talk())


def test_statuses_stand_on_the_board_until_the_server_forgets(server: Server) -> None:
    async def talk() -> None:
        boxes = RedisMailboxes(server.url, 3)
        before = await boxes.board()
        await boxes.put(1, EPOCH, b"{}")
        await boxes.put(3, EPOCH, b"\x00three")
        await boxes.put(1, EPOCH, b"new")
        board = await boxes.board()
        assert (board.run, board.statuses) == (before.run, {1: b"new", 3: b"\x00three"})
        server.forget()
        after = await boxes.board()
        assert after.statuses == {}
        assert after.run != before.run
        await boxes.close()

    asyncio.run(talk())


def test_an_older_epoch_can_neither_put_nor_publish(server: Server) -> None:
    async def talk() -> None:
        boxes = RedisMailboxes(server.url, 3)
        await boxes.put(1, EPOCH, b"")
        with pytest.raises(Fenced, match="another process runs as member 1"):
            await boxes.put(1, EPOCH - 1, b"")
        with pytest.raises(Fenced):
            await boxes.publish(batch(0, epoch=EPOCH - 1))
        await boxes.close()

    asyncio.run(talk())


def packed(lines: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(lines)


GOOD = [b"s", b"1", b"e", b"5", b"b", b"0", b"n", b"7", b"l", packed(b"a line\n")]


@pytest.mark.parametrize(
    "changed",
    [
        {1: b"0"},
        {1: b"2"},
        {1: b"4"},
        {1: b"-1"},
        {1: b"1.0"},
        {1: b""},
        {3: b"9" * 30},
        {5: b"8"},
        {5: "٣".encode()},
        {0: b"x"},
        {9: b"no zstd"},
        {9: packed(bytes(2 << 30 >> 3))},
        {9: packed(b"a line\n")[:-3]},
        {9: b""},
        {7: [b"7"]},
        {7: 7},
        {7: None},
    ],
    ids=lambda changed: str(changed)[:30],
)
def test_what_is_no_batch_is_dropped(changed: dict[int, Answer]) -> None:
    assert batch_of([*GOOD], 2, 3) == Batch(1, 2, 5, 0, 7, b"a line\n")
    fields: list[Answer] = [*GOOD]
    for place, value in changed.items():
        fields[place] = value
    assert batch_of(fields, 2, 3) is None


@pytest.mark.parametrize("fields", [None, 3, b"text", [], [b"s", b"1"], [*GOOD, b"x", b"y"]])
def test_what_has_another_shape_is_dropped(fields: Answer) -> None:
    assert batch_of(fields, 2, 3) is None


def test_strangers_entries_do_not_stop_the_others(server: Server) -> None:
    """Too long, of another shape, or of members that do not exist: not even read, or dropped."""
    client = server.client()
    client.xadd("webgraph_it:mail:2", {"l": bytes(3 * module.MAX_ENTRY_BYTES)})
    client.xadd("webgraph_it:mail:2", {f"f{number}": "x" for number in range(5)})
    client.xadd("webgraph_it:mail:2", {"s": "99", "e": "1", "b": "0", "n": "1", "l": b""})
    client.hset(
        "webgraph_it:board", mapping={"77": "x", "no number": "y", "1": bytes(MAX_STATUS_BYTES + 1), "2": "z"}
    )
    client.set("webgraph_it:run", "r" * 5_000_000)

    async def talk() -> None:
        boxes = RedisMailboxes(server.url, 3)
        await boxes.publish(batch(0))
        assert await boxes.collect(2, {}) == [batch(0)]
        board = await boxes.board()
        assert (board.statuses, len(board.run)) == ({2: b"z"}, 100)
        await boxes.close()

    asyncio.run(talk())
    assert client.xlen("webgraph_it:mail:2") == 0
