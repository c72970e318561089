"""The broker of a fleet on one machine: a small database in the fleet's directory, and no process of its own.

    DIR/broker-3f2a….db     shares and leases; the name has the machine's boot id

Whoever asks decides: a member opens a transaction, reads what all of them have, applies shares.py and leases.py, and
writes the result. So there is nobody who must be alive. A kill leaves the last whole transaction. The clock is the
machine's own, and a restart of the machine begins a new file, because no share of an earlier one can be in use. So a
new file means that there are no shares yet. Only if the file disappears while members run, those grant nothing for a
while.

A process that is suspended within a transaction (a fraction of a millisecond a second) blocks the others: their shares
run out, and they wait for it. If the file is damaged, no share is granted.
"""

import asyncio
import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar

from webgraph_it.files.own import NotOursError, refuse_file
from webgraph_it.fleet.leases import MAX_RECALLED, WAITING_SECONDS, AddressBook, Asked, Entry
from webgraph_it.fleet.shares import Ledger, Record
from webgraph_it.fleet.transport import Amounts, Granted, Report, Share, TransportError
from webgraph_it.steady import steady_seconds

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
PATIENCE_SECONDS = 1.0
"""How long to wait for others' transactions."""
PAUSE_SECONDS = 0.003
LONG_AGO = -3600.0
"""Nobody had a share before the machine was started."""

DAMAGE = (sqlite3.DatabaseError, ValueError, KeyError, TypeError)
"""What a damaged file raises, besides sqlite3.OperationalError."""

_TABLES = """
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder INT, epoch INT, until REAL, fresh_until REAL,
    turn_until REAL, waiting TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ended ON leases (until);
CREATE TABLE IF NOT EXISTS recalled (holder INT, name TEXT, PRIMARY KEY (holder, name)) WITHOUT ROWID;
"""

Result = TypeVar("Result")


class LocalBroker:
    """Broker in the fleet's own directory."""

    def __init__(
        self,
        directory: Path,
        caps: Amounts,
        address_delay_seconds: float,
        clock: Callable[[], float] = steady_seconds,
    ) -> None:
        self._path = _path(directory)
        self._caps = caps
        self._delay_seconds = address_delay_seconds
        self._clock = clock
        self._question = 0
        for old in directory.glob("broker-*.db*"):
            if not old.name.startswith(self._path.name):
                old.unlink(missing_ok=True)
        self._database: sqlite3.Connection | None = None
        self._inode = 0
        self._began = LONG_AGO

    def __repr__(self) -> str:
        return f"<LocalBroker {self._path}>"

    async def exchange(self, report: Report) -> Share:
        return await self._transacted(lambda database: self._grant(database, report))

    async def lease_addresses(
        self, member: int, epoch: int, wanted: Sequence[str], given_up: Sequence[str]
    ) -> Granted:
        self._question += 1
        asked = Asked(epoch, self._question)
        return await self._transacted(lambda database: self._lease(database, member, asked, wanted, given_up))

    async def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _grant(self, database: sqlite3.Connection, report: Report) -> Share:
        now = self._clock()
        known = _state(database, self._began)
        ledger = Ledger(
            known["began"],
            {int(member): _record(fields) for member, fields in known["records"].items()},
            [_record(fields) for fields in known["former"]],
        )
        # A member's process holds a lock on its directory. So an earlier one has ended.
        ledger.forget_former(report.member, report.epoch)
        share = ledger.grant(report, self._caps, now)
        known["records"] = {member: _fields(record) for member, record in ledger.records.items()}
        known["former"] = [_fields(record) for record in ledger.former]
        _keep(database, known)
        forgotten = now - self._delay_seconds - WAITING_SECONDS
        database.execute("DELETE FROM leases WHERE until < ?", (forgotten,))
        return share

    def _lease(
        self,
        database: sqlite3.Connection,
        member: int,
        asked: Asked,
        wanted: Sequence[str],
        given_up: Sequence[str],
    ) -> Granted:
        now = self._clock()
        known = _state(database, self._began)
        names = [*wanted, *given_up]
        rows = database.execute(f"SELECT * FROM leases WHERE name IN ({','.join('?' * len(names))})", names)
        entries = {
            name: Entry(holder, epoch, until, fresh_until, turn_until, _waiting(waiting))
            for name, holder, epoch, until, fresh_until, turn_until, waiting in rows
        }
        _take_over(entries, member, asked.epoch)
        recalled = database.execute(
            "SELECT name FROM recalled WHERE holder = ? LIMIT ?", (member, MAX_RECALLED)
        )
        book = AddressBook(self._delay_seconds, known["began"], entries, {member: dict(_named(recalled))})
        book.asked = {int(each): Asked(*of_it) for each, of_it in known["asked"].items()}
        granted = book.lease(member, asked, wanted, given_up, now)
        known["asked"] = book.asked
        _keep(database, known)
        database.executemany(
            "REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(name, *_numbers(each), json.dumps([*each.waiting.items()])) for name, each in entries.items()],
        )
        database.executemany(
            "DELETE FROM recalled WHERE holder = ? AND name = ?",
            [(member, name) for name in granted.wanted_by_others],
        )
        told = [(holder, name) for holder, held in book.recalled.items() if holder != member for name in held]
        database.executemany("INSERT OR IGNORE INTO recalled VALUES (?, ?)", told)
        return granted

    async def _transacted(self, step: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `step` in one transaction. Others' transactions are short, so waiting for them is, too."""
        end = self._clock() + PATIENCE_SECONDS
        while True:
            try:
                database = self._opened()
                database.execute("BEGIN IMMEDIATE")
                try:
                    result = step(database)
                    database.execute("COMMIT")
                    return result
                finally:
                    if database.in_transaction:
                        database.execute("ROLLBACK")
            except sqlite3.ProgrammingError:
                raise
            except NotOursError as error:
                raise TransportError(str(error)) from error
            except (sqlite3.OperationalError, OSError) as error:
                if self._clock() > end:
                    raise TransportError(f"{self._path} cannot be used ({error}); trying again") from error
            except DAMAGE as error:
                raise TransportError(_damaged(self._path, error)) from error
            await asyncio.sleep(PAUSE_SECONDS)

    def _opened(self) -> sqlite3.Connection:
        if self._database is not None and not self._is_in_place():
            self._database.close()
            self._database = None
            self._began = self._clock()
        if self._database is None:
            if os.path.lexists(self._path):
                refuse_file(self._path, self._path.lstat())
            os.close(
                os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            )  # for its owner alone
            database = sqlite3.connect(self._path, timeout=0, isolation_level=None)
            try:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = OFF")  # a power cut ends all shares, and this file
                database.executescript(_TABLES)
            except BaseException:
                with suppress(sqlite3.Error):
                    database.close()
                raise
            self._database, self._inode = database, self._path.stat().st_ino
        return self._database

    def _is_in_place(self) -> bool:
        """Whether the file is still the one that others use, too: somebody may have deleted it."""
        try:
            return self._path.stat().st_ino == self._inode
        except OSError:
            return False


def trouble_of(directory: Path) -> str:
    """Why the members cannot use the database now, in a sentence without its full stop. Empty if they can, and if there
    is none yet. Nothing is written. While another process opens the database, there may be a moment of trouble."""
    path = _path(directory)
    try:
        refuse_file(path, path.lstat())
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)) as database:
            _state(database, LONG_AGO)
            for table in ("leases", "recalled"):
                database.execute(f"SELECT count(*) FROM {table}").fetchone()
    except FileNotFoundError:
        return ""
    except NotOursError as error:
        return str(error).rstrip(".")
    except (sqlite3.OperationalError, OSError) as error:
        return f"{path} cannot be used ({error})"
    except DAMAGE as error:
        return _damaged(path, error)
    return ""


def forget_starts(directory: Path) -> None:
    """Once members were replaced, and all are stopped: starts count anew. Leases stay, so that address delays hold."""
    path = _path(directory)
    if not path.exists():
        return
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DELETE FROM state")


def _take_over(entries: dict[str, Entry], member: int, epoch: int) -> None:
    """What an earlier process of this member held is its own: that process has ended, and this one waits at first."""
    for entry in entries.values():
        if entry.holder == member and entry.epoch < epoch:
            entry.epoch = epoch


def _state(database: sqlite3.Connection, began: float) -> dict[str, Any]:
    row = database.execute("SELECT value FROM state").fetchone()
    if row is None:
        return {"began": began, "records": {}, "former": [], "asked": {}}
    known = json.loads(row[0])
    if not isinstance(known, dict):
        raise ValueError("its state is not an object")
    return known


def _keep(database: sqlite3.Connection, known: dict[str, Any]) -> None:
    database.execute("REPLACE INTO state VALUES ('all', ?)", (json.dumps(known),))


def _record(fields: Sequence[float]) -> Record:
    epoch, question, bandwidth, connections, wanted_bandwidth, wanted_connections = map(int, fields[:6])
    used, wanted = Amounts(bandwidth, connections), Amounts(wanted_bandwidth, wanted_connections)
    return Record(epoch, question, used, wanted, fields[6])


def _fields(record: Record) -> Sequence[float]:
    return (record.epoch, record.question, *record.amounts, *record.wanted, record.until)


def _numbers(entry: Entry) -> tuple[float, ...]:
    return entry.holder, entry.epoch, entry.until, entry.fresh_until, entry.turn_until


def _waiting(text: str) -> dict[int, float]:
    return {int(member): float(until) for member, until in json.loads(text)}


def _named(rows: sqlite3.Cursor) -> list[tuple[str, None]]:
    return [(name, None) for (name,) in rows]


def _damaged(path: Path, error: Exception) -> str:
    return f"{path} is damaged ({error}). Stop all members, delete it, and start them again"


def _path(directory: Path) -> Path:
    return directory / f"broker-{_boot_id()}.db"


def _boot_id() -> str:
    try:
        return BOOT_ID.read_text().strip()[:18]
    except OSError:
        return "boot"
