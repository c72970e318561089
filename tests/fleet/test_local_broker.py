"""The broker of a fleet on one machine: processes that share a file, and die whenever they like."""

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from webgraph_it.fleet.local_broker import LocalBroker, forget_starts
from webgraph_it.fleet.transport import (
    ALL_BANDWIDTH,
    LEASE_SECONDS,
    NOTHING,
    SHARE_SECONDS,
    Amounts,
    Report,
    TransportError,
)

CAPS = Amounts(ALL_BANDWIDTH, 60)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def the_file(folder: Path) -> Path:
    (path,) = folder.glob("*.db")
    return path


def files_of(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def remove(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def report(member: int, question: int, epoch: int = 1, wanted: Amounts = CAPS) -> Report:
    return Report(member, epoch, question, NOTHING, wanted)


def test_a_new_process_takes_over_what_its_killed_predecessor_had(tmp_path: Path) -> None:
    """The lock on the member's directory says that the other has ended."""

    async def talk() -> None:
        clock = Clock()
        before, after = (LocalBroker(tmp_path, CAPS, 2.0, clock) for _ in range(2))
        await before.exchange(report(1, 1))
        await before.lease_addresses(1, 1, ["192.0.2.1"], [])
        assert (await after.exchange(report(1, 1, epoch=2))).amounts == CAPS
        assert (await after.lease_addresses(1, 2, ["192.0.2.1"], [])).leased == {"192.0.2.1": LEASE_SECONDS}

    asyncio.run(talk())


def test_when_starts_are_forgotten_an_earlier_one_is_not_refused_and_leases_stay(tmp_path: Path) -> None:
    """After a change of size a number may belong to a member that is new."""

    async def talk() -> None:
        clock = Clock()
        broker = LocalBroker(tmp_path, CAPS, 2.0, clock)
        await broker.exchange(report(1, 1, epoch=9))
        await broker.lease_addresses(1, 9, ["192.0.2.1"], [])
        forget_starts(tmp_path)
        assert (await broker.exchange(report(1, 1, epoch=5))).amounts == CAPS
        for member in (1, 2):
            assert not (await broker.lease_addresses(member, 5, ["192.0.2.1"], [])).leased
        clock.now += LEASE_SECONDS
        granted = await broker.lease_addresses(1, 5, ["192.0.2.1"], [])
        assert granted.fresh == {"192.0.2.1"}

    asyncio.run(talk())
    forget_starts(tmp_path / "nothing")


def test_a_file_that_disappears_is_replaced_and_grants_nothing_for_a_while(tmp_path: Path) -> None:
    async def talk() -> None:
        clock = Clock()
        a, b = (LocalBroker(tmp_path, CAPS, 2.0, clock) for _ in range(2))
        assert (await a.exchange(report(1, 1))).amounts == CAPS
        assert (await b.exchange(report(2, 1))).amounts == NOTHING
        remove(tmp_path)
        assert (await b.exchange(report(2, 2))).amounts == NOTHING
        assert (await b.lease_addresses(2, 1, ["192.0.2.1"], [])).leased == {}
        clock.now += SHARE_SECONDS
        assert (await b.exchange(report(2, 3))).amounts == CAPS
        assert (await a.exchange(report(1, 2))).amounts == NOTHING
        the_file(tmp_path)

    asyncio.run(talk())


def test_its_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    async def talk() -> list[int]:
        broker = LocalBroker(tmp_path, CAPS, 2.0)
        await broker.exchange(report(1, 1))
        modes = [mode_of(path) for path in files_of(tmp_path)]
        await broker.close()
        return modes

    assert asyncio.run(talk()) == [0o600] * 3


def test_the_file_of_an_earlier_boot_is_removed(tmp_path: Path) -> None:
    (tmp_path / "broker-earlier.db").touch()
    (tmp_path / "broker-earlier.db-wal").touch()
    LocalBroker(tmp_path, CAPS, 2.0)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_grants_nothing_and_says_what_to_do(tmp_path: Path) -> None:
    async def talk() -> None:
        broker = LocalBroker(tmp_path, CAPS, 2.0)
        await broker.exchange(report(1, 1))
        await broker.close()
        path = the_file(tmp_path)
        path.write_bytes(b"no database" * 1000)
        with pytest.raises(
            TransportError, match=r"is damaged .* Stop all members, delete it, and start them again"
        ):
            await broker.exchange(report(1, 2))

    asyncio.run(talk())


def test_whoever_is_suspended_in_a_transaction_is_waited_for(tmp_path: Path) -> None:
    async def talk() -> None:
        broker = LocalBroker(tmp_path, CAPS, 2.0)
        await broker.exchange(report(1, 1))
        path = the_file(tmp_path)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(TransportError, match=r"cannot be used \(database is locked\)"):
            await broker.exchange(report(1, 2))
        other.execute("ROLLBACK")
        other.close()
        assert (await broker.exchange(report(1, 3))).amounts == CAPS

    asyncio.run(talk())


def test_leases_that_have_ended_are_forgotten(tmp_path: Path) -> None:
    async def talk() -> None:
        clock = Clock()
        broker = LocalBroker(tmp_path, CAPS, 2.0, clock)
        await broker.lease_addresses(1, 1, [f"192.0.2.{number}" for number in range(100)], [])
        clock.now += 60.0
        await broker.exchange(report(1, 1))
        path = the_file(tmp_path)
        assert sqlite3.connect(path).execute("SELECT count(*) FROM leases").fetchone() == (0,)

    asyncio.run(talk())


ASKING = """
import asyncio, sys
from pathlib import Path
from webgraph_it.fleet.local_broker import LocalBroker, forget_starts
from webgraph_it.fleet.transport import ALL_BANDWIDTH, NOTHING, Amounts, Report

async def ask(path, member, epoch):
    caps = Amounts(ALL_BANDWIDTH, 60)
    broker, names = LocalBroker(Path(path), caps, 2.0), [f"192.0.2.{n}" for n in range(50)]
    for question in range(1, 100_000):
        await broker.exchange(Report(member, epoch, question, NOTHING, caps))
        await broker.lease_addresses(member, epoch, names[question % 40:][:10], [])

asyncio.run(ask(sys.argv[1], *map(int, sys.argv[2:])))
"""


def test_kills_at_any_instant_leave_it_whole(tmp_path: Path) -> None:
    chance = random.Random(5)
    epochs = dict.fromkeys((1, 2, 3), 0)
    running: dict[int, subprocess.Popen[str]] = {}

    def start(member: int) -> None:
        epochs[member] += 1
        running[member] = subprocess.Popen(
            [sys.executable, "-c", ASKING, str(tmp_path), str(member), str(epochs[member])],
            stderr=subprocess.PIPE,
            text=True,
        )

    for member in epochs:
        start(member)
    try:
        for _ in range(12):
            time.sleep(chance.uniform(0.2, 0.35))
            member = chance.choice(list(running))
            assert running[member].poll() is None, running[member].communicate()[1]
            os.kill(running[member].pid, signal.SIGKILL)
            running[member].communicate()
            start(member)
    finally:
        for process in running.values():
            process.kill()
            process.communicate()
    path = the_file(tmp_path)
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    share = asyncio.run(LocalBroker(tmp_path, CAPS, 2.0).exchange(report(1, 1, epoch=99)))
    assert share.question == 1
