"""What runs in the server decides exactly as shares.py and leases.py do."""

import random
from pathlib import Path

import pytest

from tests.fleet.redis.servers import Server, needs_server
from webgraph_it.fleet.leases import MAX_RECALLED, TURN_SECONDS, WAITING_SECONDS, AddressBook, Asked
from webgraph_it.fleet.redis.scripts import CLOCK, GRANT, LEASE
from webgraph_it.fleet.shares import SILENT_SECONDS, Ledger
from webgraph_it.fleet.transport import LEASE_SECONDS, SHARE_SECONDS, Amounts, Fenced, Granted, Report

CAPS = Amounts(1_000_000, 60)
DELAY = 2.0
NAMES = [f"192.0.2.{number}" for number in range(6)]

pytestmark = needs_server


def with_time(script: str) -> str:
    """The same script with the time as its last argument, instead of the server's."""
    found = "local time = redis.call('TIME')\n  local wall = time[1] + time[2] / 1000000"
    assert script.count(found) == 1
    return script.replace(found, "local wall = tonumber(table.remove(ARGV))").replace(
        "MAX_STEP_SECONDS = 2", "MAX_STEP_SECONDS = 1000000"
    )


@pytest.mark.parametrize("seed", range(3))
def test_shares_are_those_of_a_ledger(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    with Server(tmp_path) as server:
        client = server.client()
        script = client.register_script(with_time(GRANT))
        ledger, now = Ledger(began=0.0), 100.0
        epochs, questions = dict.fromkeys(range(1, 6), (1 << 32) + 1), dict.fromkeys(range(1, 6), 0)
        client.hset("broker", mapping={"wall": "0", "steady": "0"})
        for _ in range(400):
            now += chance.choice([0.0, 0.1, 0.5, 3.0, 5.0, 20.0]) if chance.random() < 0.5 else 0.01
            now = round(now, 3)
            member = chance.choice(list(epochs))
            if chance.random() < 0.05:
                epochs[member] += 1 << 32
            epoch = epochs[member] - ((1 << 32) if chance.random() < 0.03 else 0)
            questions[member] += chance.choice([1, 1, 1, 1, -1])
            used, wanted = (
                Amounts(chance.choice([0, 1000, 250_000, 333_333, 1_000_000]), chance.choice([0, 1, 7, 60]))
                for _ in range(2)
            )
            report = Report(member, epoch, questions[member], used, wanted)
            answer = script(
                ["broker", "epochs"],
                [
                    *(member, epoch, report.question, *used, *wanted, *CAPS),
                    SHARE_SECONDS,
                    SILENT_SECONDS,
                    now,
                ],
            )
            try:
                expected = [b"%d" % each for each in ledger.grant(report, CAPS, now).amounts]
            except Fenced:
                expected = b"FENCED"
            assert answer == expected


@pytest.mark.parametrize("seed", range(3))
def test_leases_are_those_of_an_address_book(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    with Server(tmp_path) as server:
        client = server.client()
        script = client.register_script(with_time(LEASE))
        book, now = AddressBook(DELAY, 0.0, {}), 1.0
        epochs, questions = dict.fromkeys((1, 2, 3), 1), dict.fromkeys((1, 2, 3), 0)
        client.hset("broker", mapping={"wall": "0", "steady": "0"})
        granted_some = 0
        for _ in range(600):
            now = round(now + chance.choice([0.01, 0.1, 0.5, 1.0, 4.0]), 3)
            member = chance.choice((1, 2, 3))
            if chance.random() < 0.02:
                epochs[member] += 1
            questions[member] += chance.choice([1, 1, 1, 1, 0])
            wanted = chance.sample(NAMES, chance.randint(0, 4))
            given_up = [name for name in NAMES if name not in wanted and chance.random() < 0.2]
            answer = script(
                ["broker", "epochs", "questions", "leases", "ended", f"recall:{member}"],
                [
                    *(member, epochs[member], questions[member], DELAY, LEASE_SECONDS, WAITING_SECONDS),
                    *(TURN_SECONDS, MAX_RECALLED, "recall:", len(given_up), *given_up, *wanted, now),
                ],
            )
            asked = Asked(epochs[member], questions[member])
            expected = book.lease(member, asked, wanted, given_up, now)
            assert read(answer, wanted) == rounded(expected)
            granted_some += len(expected.leased)
        assert granted_some > 100


def read(answer: list[bytes], wanted: list[str]) -> Granted:
    words = [word.decode() for word in answer]
    told = {name: word for name, word in zip(wanted, words, strict=False) if word}
    leased = {name: round(float(word.lstrip("*")), 3) for name, word in told.items()}
    fresh = frozenset(name for name, word in told.items() if word.startswith("*"))
    return Granted(leased, fresh, frozenset(words[len(wanted) :]))


def rounded(granted: Granted) -> Granted:
    leased = {name: round(seconds, 3) for name, seconds in granted.leased.items()}
    return Granted(leased, granted.fresh, granted.wanted_by_others)


def test_leases_that_have_ended_are_forgotten(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        client = server.client()
        script = client.register_script(with_time(LEASE))
        client.hset("broker", mapping={"wall": "0", "steady": "0"})
        keys = ["broker", "epochs", "questions", "leases", "ended", "recall:1"]
        facts = [DELAY, LEASE_SECONDS, WAITING_SECONDS, TURN_SECONDS, MAX_RECALLED, "recall:", 0]
        script(keys, [1, 1, 1, *facts, *NAMES, 100.0])
        assert client.hlen("leases") == client.zcard("ended") == len(NAMES)
        script(keys, [1, 1, 2, *facts, 100.0 + LEASE_SECONDS + DELAY + WAITING_SECONDS])
        assert client.hlen("leases") == client.zcard("ended") == 0


def test_the_clock_follows_the_servers_but_never_jumps(tmp_path: Path) -> None:
    """Somebody sets the server's clock: no share ends early by more than a moment."""
    with Server(tmp_path) as server:
        client = server.client()
        script = client.register_script(CLOCK + "return string.format('%.6f', clock(KEYS[1]))")
        assert float(script(["broker"])) == 0.0
        client.hincrbyfloat("broker", "wall", -3600.0)  # as if the server's clock had been set an hour ahead
        assert 2.0 <= float(script(["broker"])) < 2.5
        client.hincrbyfloat("broker", "wall", 3600.0)  # and back
        assert 2.0 <= float(script(["broker"])) < 2.5
