"""The fleet's part of a running crawl: which transport it gets."""

from pathlib import Path

from webgraph_it.crawl.membership import Membership
from webgraph_it.engine.fleet import mailboxes_of
from webgraph_it.fleet.local import LocalMailboxes
from webgraph_it.fleet.slices import balanced


def test_one_machine_needs_nothing_but_the_directory(tmp_path: Path) -> None:
    membership = Membership(tmp_path, 1, 2, "local", balanced(2), {})
    assert isinstance(mailboxes_of(membership), LocalMailboxes)
