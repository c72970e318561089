"""The connection cap: decisions without a socket."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.fetch.servers import run
from webgraph_it.fetch.connections import Governor, Place, Watcher
from webgraph_it.fetch.kernel import Flow

A, B = ("127.1.0.1", 80), ("127.1.0.2", 80)


def test_places_are_granted_up_to_the_cap_then_in_order() -> None:
    governor: Governor[str, str] = Governor(2, 10)
    assert governor.ask("first", A) == Place(True)
    assert governor.ask("second", B) == Place(True)
    assert governor.ask("third", A) == Place(False)
    assert governor.ask("fourth", B) == Place(False)
    assert repr(governor) == "[Sockets: 2 active, 0 idle, 0 closing, cap 2 | 2 waiting]"
    governor.closed("connection", "flow")
    assert governor.gone([]) == [], "closing is not gone"
    assert governor.gone(["flow"]) == ["third"]
    assert governor.sockets == 2


def test_an_idle_connection_is_used_again_by_its_key_only() -> None:
    governor: Governor[str, str] = Governor(2, 10)
    governor.ask("first", A)
    assert governor.rest("kept", A, now=5.0)
    assert governor.ask("other", B) == Place(True)
    assert governor.ask("same", A) == Place(True, reuse="kept")
    assert repr(governor) == "[Sockets: 2 active, 0 idle, 0 closing, cap 2 | 0 waiting]"


def test_at_the_cap_the_longest_idle_connection_makes_room() -> None:
    governor: Governor[str, str] = Governor(2, 10)
    for name in ("old", "new"):
        governor.ask(name, (name,))
        governor.rest(name, (name,), now=1.0)
    assert governor.ask("other", B) == Place(False, close="old")
    governor.closed("old", "flow")
    assert governor.gone(["flow"]) == ["other"]


def test_no_place_is_granted_while_none_may_be_opened() -> None:
    """A member of a fleet whose share has run out."""
    lasts = [True]
    governor: Governor[str, str] = Governor(2, 10, lambda: lasts[0])
    assert governor.ask("first", A) == Place(True)
    lasts[0] = False
    assert governor.ask("second", B) == Place(False)
    governor.closed("connection", "flow")
    assert governor.gone(["flow"]) == []
    lasts[0] = True
    assert governor.gone([]) == ["second"]


def test_nothing_rests_while_somebody_waits() -> None:
    governor: Governor[str, str] = Governor(1, 10)
    governor.ask("first", A)
    governor.ask("second", B)
    assert not governor.rest("connection", A, now=1.0)


def test_the_idle_pool_is_bounded_in_number_and_time() -> None:
    governor: Governor[str, str] = Governor(9, 2)
    for number in range(3):
        governor.ask(f"{number}", (number,))
    assert governor.rest("0", (0,), now=1.0)
    assert governor.rest("1", (1,), now=2.0)
    assert not governor.rest("2", (2,), now=3.0)
    assert governor.idle_since(1.5) == ["0"]


def test_a_new_cap_closes_only_the_idle_connections_above_it() -> None:
    governor: Governor[str, str] = Governor(4, 3)
    for number in range(4):
        governor.ask(f"{number}", (number,))
    for number in range(3):
        assert governor.rest(f"{number}", (number,), now=float(number))
    assert governor.resize(4, 3) == ([], [])
    assert governor.resize(4, 2) == (["0"], []), "more rest than may"
    assert governor.resize(2, 3) == (["0", "1"], []), "more are open than may be"


def test_of_more_hosts_in_turn_than_may_rest_those_that_rest_are_used_again() -> None:
    """Closing the oldest instead would keep each connection until just before its host's turn."""
    governor: Governor[str, str] = Governor(9, 2)
    opened = 0
    for turn in range(30):
        key = (turn % 3,)
        connection = governor.ask(f"{turn}", key).reuse or f"connection {turn}"
        opened += connection == f"connection {turn}"
        if not governor.rest(connection, key, now=float(turn)):
            governor.closed(connection, connection)
            governor.gone([connection])
    assert opened == 2 + 10


def test_who_gives_up_leaves_the_queue() -> None:
    governor: Governor[str, str] = Governor(1, 1)
    governor.ask("first", A)
    governor.ask("second", B)
    governor.ask("third", B)
    governor.give_up("second")
    governor.closed("connection", "flow")
    assert governor.gone(["flow"]) == ["third"]


def test_a_place_that_is_not_used_goes_to_the_next() -> None:
    governor: Governor[str, str] = Governor(1, 1)
    governor.ask("first", A)
    governor.ask("second", B)
    assert governor.give_back() == ["second"]
    assert governor.give_back() == []
    assert governor.sockets == 0


@dataclass(eq=False)
class FakeConnection:
    key: tuple[object, ...]


@dataclass(eq=False)
class FakeTicket:
    key: tuple[object, ...] = field(default=())


class AnyCrawl(RuleBasedStateMachine):
    """Requests, answers, closes and confirmations in any order: never more sockets than the cap."""

    CAP = 4

    def __init__(self) -> None:
        super().__init__()
        self.governor: Governor[FakeConnection, FakeTicket] = Governor(self.CAP, 2)
        self.active: list[FakeConnection] = []
        self.idle: list[FakeConnection] = []
        self.closing: list[object] = []
        self.waiting: list[FakeTicket] = []

    def close(self, connection: FakeConnection | None) -> None:
        if connection is not None:
            self.idle.remove(connection)
            self.governor.closed(connection, connection)
            self.closing.append(connection)

    @rule(key=st.integers(0, 3))
    def ask(self, key: int) -> None:
        ticket = FakeTicket((key,))
        place = self.governor.ask(ticket, (key,))
        if place.reuse is not None:
            self.idle.remove(place.reuse)
            self.active.append(place.reuse)
        elif place.granted:
            self.active.append(FakeConnection((key,)))
        else:
            self.waiting.append(ticket)
        self.close(place.close)

    @precondition(lambda self: self.active)
    @rule(keep=st.booleans())
    def finish(self, keep: bool) -> None:
        connection = self.active.pop(0)
        self.idle.append(connection)
        if not (keep and self.governor.rest(connection, connection.key, 0.0)):
            self.close(connection)

    @precondition(lambda self: self.closing)
    @rule()
    def confirm(self) -> None:
        for ticket in self.governor.gone([self.closing.pop()]):
            assert ticket is self.waiting.pop(0), "out of turn"
            self.active.append(FakeConnection(ticket.key))

    @invariant()
    def never_above_the_cap(self) -> None:
        sockets = len(self.active) + len(self.idle) + len(self.closing)
        assert sockets == self.governor.sockets <= self.CAP

    @invariant()
    def nobody_waits_while_there_is_room_that_could_be_had(self) -> None:
        if self.waiting:
            assert self.governor.sockets == self.CAP
            assert not self.idle or self.closing


TestAnyCrawl = AnyCrawl.TestCase
TestAnyCrawl.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def test_the_watcher_confirms_what_is_gone_and_looks_only_while_something_is_closing() -> None:
    here, there = Flow(("127.0.0.1", 8080), ("127.0.0.1", 50000)), Flow(("127.0.0.1", 1), ("127.0.0.1", 2))

    class FakeKernel:
        def __init__(self) -> None:
            self.flows = {here}

        def existing(self, flows: Iterable[Flow]) -> set[Flow]:
            return self.flows & set(flows)

        def close(self) -> None: ...

    async def watch() -> None:
        kernel = FakeKernel()
        closing: dict[object, None] = {here: None, there: None, "never connected": None}
        gone: list[object] = []

        def confirm(names: list[object]) -> None:
            gone.extend(names)
            for name in names:
                del closing[name]

        watcher = Watcher(closing, confirm, kernel)
        watcher.wake()
        assert gone == [], "who closes does not wait"
        await asyncio.sleep(0.05)
        assert gone == [there, "never connected"]
        kernel.flows = set()
        await asyncio.sleep(0.3)
        assert gone == [there, "never connected", here]
        looks = watcher.looks
        await asyncio.sleep(0.1)
        assert watcher.looks == looks
        watcher.stop()

    run(watch())


def test_the_watcher_looks_once_however_often_it_is_woken_and_never_after_the_stop() -> None:
    class EmptyKernel:
        def existing(self, flows: Iterable[Flow]) -> set[Flow]:
            return set(flows)

        def close(self) -> None: ...

    async def watch() -> None:
        closing: dict[object, None] = {}
        watcher = Watcher(closing, lambda names: None, EmptyKernel())
        for _ in range(3):
            watcher.wake()
        await asyncio.sleep(0.05)
        assert watcher.looks == 1
        watcher.wake()
        watcher.stop()
        watcher.wake()
        watcher.stop()
        await asyncio.sleep(0.05)
        assert watcher.looks == 1

    run(watch())


def test_the_watcher_looks_often_while_looking_costs_little() -> None:
    """A place is free soon after its socket is gone."""

    class QuickKernel:
        def existing(self, flows: Iterable[Flow]) -> set[Flow]:
            return set(flows)

        def close(self) -> None: ...

    async def watch() -> None:
        flow = Flow(("127.0.0.1", 1), ("127.0.0.1", 2))
        watcher = Watcher({flow: None}, lambda names: None, QuickKernel())
        watcher.wake()
        await asyncio.sleep(2 * Watcher.LONGEST_SECONDS)
        watcher.stop()
        assert watcher.looks > 4

    run(watch())
