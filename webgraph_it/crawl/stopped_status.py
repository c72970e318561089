"""The status of a member that does not run, from its own directory. Nothing is written.

The notice board has the last status of each member. A change of size and a give-up empty it, because it contradicts the
new directories, and the board of a server is empty after a restart. What is committed is still known. A kill comes
after the status of pages that were not committed, and a directory may be restored from another copy.
"""

import json
from dataclasses import replace
from pathlib import Path

from webgraph_it.crawl.inbox import META as CURSORS
from webgraph_it.crawl.link_log import log_start_of, runs_of, spans_of
from webgraph_it.crawl.survey import refuse_missing_parts
from webgraph_it.crawl.tally import Tally
from webgraph_it.fleet.exchange import Cursor, Status
from webgraph_it.fleet.local import board_of
from webgraph_it.frontier.layout import META, STATE
from webgraph_it.frontier.records import FrontierError
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.frontier.state import state_of
from webgraph_it.shards.committed import unpacked
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.fleet import member_folder, members, missing_members


class _Metadata:
    """What the caller of a frontier has kept in it."""

    def __init__(self, store: RocksStore) -> None:
        self._store = store

    def get_meta(self, name: str) -> bytes | None:
        return self._store.get(META + name.encode())


def stopped_status(path: Path, number: int) -> Status | None:
    """As of the last commit, but never idle: whether it has loaded its seeds is not looked at. None if there was no
    commit, or it cannot be read."""
    directory = CrawlDirectory(path)
    if not directory.has_frontier:
        return None
    try:
        store = RocksStore(directory.frontier, read_only=True)
    except FrontierError:
        return None
    try:
        return _status(store, number)
    except (FrontierError, ValueError, KeyError, TypeError):
        return None
    finally:
        store.close()


def last_status(path: Path, number: int, put: Status | None) -> Status | None:
    """What is known of a member that does not run: its last commit. If what it `put` on the notice board is of that
    commit, then also what only the board has. A directory may have been replaced by another copy since."""
    committed = stopped_status(path, number)
    if committed is None or put is None:
        return committed or put
    if (put.epoch, put.log, put.cursors) != (committed.epoch, committed.log, committed.cursors):
        return committed
    is_idle = put.is_idle and put.facts.get("pages") == committed.facts["pages"]
    return replace(put, is_idle=is_idle, facts={**put.facts, **committed.facts})


def lost_member(directory: Path) -> int:
    """The first member of a fleet that has no directory here and has crawled, as the notice board or the cursors of the
    others say: started again, it would be blank. 0 if there is none. DirectoryError if only its crawl.json is lost.

    A first start that was killed may have begun some members only. The others can still be started."""
    missing = missing_members(directory)
    if not missing:
        return 0
    for number in missing:
        refuse_missing_parts(directory / member_folder(number))
    known = set(board_of(directory))
    for number, path in members(directory).items():
        if (status := stopped_status(path, number)) is not None:
            known.update(sender for sender, cursor in status.cursors.items() if cursor.offset)
    return next((number for number in missing if number in known), 0)


def _status(store: RocksStore, number: int) -> Status:
    kept = _Metadata(store)
    runs = runs_of(kept)
    log = spans_of(unpacked(kept.get_meta("shards")), log_start_of(kept))
    cursors = json.loads(kept.get_meta(CURSORS) or b"{}")
    facts = {"pages": Tally(kept.get_meta("tally")).pages, "queued": state_of(store.get(STATE))[0].entries}
    return Status(
        number,
        runs[-1].epoch if runs else 0,
        False,
        runs,
        log,
        {int(sender): Cursor(*cursor) for sender, cursor in cursors.items()},
        {},
        facts,
    )
