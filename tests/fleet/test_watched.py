"""What `webgraph-it fleet` says about the broker of a fleet on one machine."""

import asyncio
from pathlib import Path

import pytest

from webgraph_it.fleet.local_broker import LocalBroker, trouble_of
from webgraph_it.fleet.transport import ALL_BANDWIDTH, NOTHING, Amounts, Report, TransportError
from webgraph_it.fleet.watched import LOOK_SECONDS, WatchedDirectory


def ask(directory: Path) -> None:
    """A member asks for a share."""

    async def once() -> None:
        broker = LocalBroker(directory, Amounts(ALL_BANDWIDTH, 60), 0.0)
        try:
            await broker.exchange(Report(1, 1, 1, NOTHING, NOTHING))
        finally:
            await broker.close()

    asyncio.run(once())


def test_a_broker_that_works_or_is_not_there_yet_is_no_trouble(tmp_path: Path) -> None:
    assert trouble_of(tmp_path) == ""
    ask(tmp_path)
    assert trouble_of(tmp_path) == ""


@pytest.mark.parametrize("what", ["bytes", "folder"])
def test_a_broker_that_cannot_be_used_is_said_once_as_a_member_says_it(tmp_path: Path, what: str) -> None:
    ask(tmp_path)
    (path,) = tmp_path.glob("*.db")
    path.unlink()
    if what == "bytes":
        path.write_bytes(bytes(range(256)) * 20)
    else:
        path.mkdir()
    with pytest.raises(TransportError) as refused:
        ask(tmp_path)
    said: list[str] = []
    now = 0.0
    watched = WatchedDirectory(tmp_path, said.append, lambda: now)
    for _ in range(5):
        now += LOOK_SECONDS
        assert watched() == {}
    sentence = str(refused.value).rstrip(".")
    assert said == [f"No member gets a share, and without one it does not fetch: {sentence}."]
    assert str(path) in sentence
    path.unlink() if what == "bytes" else path.rmdir()
    for _ in range(2):
        now += LOOK_SECONDS
        watched()
    assert len(said) == 1
