"""The fleet's part of a running crawl: which transport it gets, and what a refused member is told to do."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from webgraph_it.crawl.membership import Membership
from webgraph_it.engine.fleet import FleetPart, mailboxes_of
from webgraph_it.fleet.exchange import Fault
from webgraph_it.fleet.local import LocalMailboxes
from webgraph_it.fleet.slices import balanced


def test_one_machine_needs_nothing_but_the_directory(tmp_path: Path) -> None:
    membership = Membership(tmp_path, 1, 2, "local", balanced(2), {})
    assert isinstance(mailboxes_of(membership), LocalMailboxes)


@pytest.mark.parametrize(
    ("transport", "words"),
    [
        ("redis://a.it/0", "stop them, empty the server's database (FLUSHDB), and start again"),
        (
            "local",
            "stop them, empty what remembers it (rm -r '/a b/board' '/a b'/broker-*.db*), and start again",
        ),
    ],
)
def test_a_fleet_that_was_restored_is_told_what_remembers_its_later_starts(
    transport: str, words: str
) -> None:
    part: Any = FleetPart.__new__(FleetPart)
    part.membership = Membership(Path("/a b"), 1, 2, transport, balanced(2), {})
    part.member = SimpleNamespace(contradictions=SimpleNamespace(fault=Fault.OUTDATED))
    assert part._remedy() == (
        f"restore its newest copy. If all members were restored together, or are new, {words}"
    )


@pytest.mark.parametrize(
    ("transport", "words"),
    [
        (
            "redis://a.it/0",
            ", or the server has served another fleet. If this fleet is new or was restored as a whole, stop all its "
            "members, empty the server's database (FLUSHDB), and start again. Otherwise restore",
        ),
        ("local", ". Restore"),
    ],
)
def test_a_copy_is_told_to_be_restored_unless_the_server_remembers_another_fleet(
    transport: str, words: str
) -> None:
    part: Any = FleetPart.__new__(FleetPart)
    part.membership = Membership(Path("/a b"), 1, 2, transport, balanced(2), {})
    part.member = SimpleNamespace(contradictions=SimpleNamespace(fault=Fault.COPY))
    assert part._remedy() == (
        f"the directory is a clone or an old copy{words} its newest copy, or let it start again and crawl all its "
        "pages again: webgraph-it fleet give-up '/a b' 1"
    )
