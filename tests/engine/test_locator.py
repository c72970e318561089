"""Strangers are looked up some at a time, and told of once."""

import asyncio
from typing import Any

import pytest

from webgraph_it.engine import locator
from webgraph_it.engine.locator import AT_A_TIME, MAX_AT_ONCE, Locator
from webgraph_it.fetch.dns import Answer
from webgraph_it.frontier.records import Stranger


class Strangers:
    """A scheduler with very many of them, and a resolver that answers when told to."""

    ended = paused = held = False

    def __init__(self) -> None:
        self.asked: list[asyncio.Future[Answer]] = []
        self.found: list[tuple[str, str]] = []
        self.looks = 0

    def next_stranger(self) -> Stranger:
        return Stranger(f"it,h{len(self.asked)}", f"http://h{len(self.asked)}.it/")

    def locate(self, host: str) -> asyncio.Future[Answer]:
        self.asked.append(asyncio.get_running_loop().create_future())
        return self.asked[-1]

    def located(self, host: str, address: str) -> None:
        self.found.append((host, address))

    def look_again(self) -> None:
        self.looks += 1


def test_lookups_are_bounded_in_rate_and_in_number() -> None:
    async def crowd() -> tuple[int, int]:
        world: Any = Strangers()
        looking = Locator(world, world)
        for _ in range(100):
            looking.look()
        first = len(world.asked)
        await asyncio.sleep(1.0)
        return first, len(world.asked)

    assert asyncio.run(crowd()) == (AT_A_TIME, MAX_AT_ONCE)


def test_answers_of_one_turn_are_told_of_once() -> None:
    async def crowd() -> tuple[list[tuple[str, str]], int]:
        world: Any = Strangers()
        Locator(world, world).look()
        for asked in world.asked:
            asked.set_result(Answer((), "nxdomain"))
        await asyncio.sleep(0.005)
        world.paused = True
        return world.found, world.looks

    found, looks = asyncio.run(crowd())
    assert found == [(f"it,h{n}", "") for n in range(AT_A_TIME)]
    assert looks == 1


def test_answered_lookups_make_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locator, "MAX_AT_ONCE", AT_A_TIME)

    async def crowd() -> tuple[int, int]:
        world: Any = Strangers()
        looking = Locator(world, world)
        looking.look()
        await asyncio.sleep(0.1)
        before = len(world.asked)
        for asked in world.asked[:3]:
            asked.set_result(Answer((), "nxdomain"))
        await asyncio.sleep(0.01)
        looking.look()
        return before, len(world.asked)

    assert asyncio.run(crowd()) == (AT_A_TIME, AT_A_TIME + 3)


@pytest.mark.parametrize("state", ["ended", "paused", "held"])
def test_nobody_is_looked_up_after_the_end_or_in_a_pause(state: str) -> None:
    async def crowd() -> int:
        world: Any = Strangers()
        setattr(world, state, True)
        Locator(world, world).look()
        return len(world.asked)

    assert asyncio.run(crowd()) == 0
