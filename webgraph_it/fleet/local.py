"""The transport of a fleet on one machine: files in the fleet's directory, and nothing to install.

    DIR/board/member-01.json     the notice board: the last status of each member
    DIR/member-01/links/         the mailboxes: receivers read the senders' logs, as far as their statuses say

A status is always a committed state. So what a receiver reads here is committed, and a killed sender cuts back only
what nobody has read.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from webgraph_it.files.own import make_folder
from webgraph_it.fleet.exchange import Status, StatusError, starts, status_of
from webgraph_it.fleet.log import lines_for, read_range
from webgraph_it.fleet.slices import Table
from webgraph_it.fleet.transport import Batch, Board, Fenced
from webgraph_it.shards.fleet import BOARD_FOLDER, member_folder

SUFFIX = ".json"
READ_BYTES = 64 * 1024
"""Of each sender's log at once: reading and applying them takes a few milliseconds."""


class LocalMailboxes:
    """Mailboxes in the fleet's own directory."""

    needs_publishing = False

    def __init__(self, directory: Path, table: Table) -> None:
        self._directory = directory
        self._board = directory / BOARD_FOLDER
        self._table = table
        self._known: dict[str, tuple[tuple[int, int, int], bytes, Status]] = {}
        """Name of a file → what it was, and what it said."""
        make_folder(self._board)

    def __repr__(self) -> str:
        return f"<LocalMailboxes {self._directory}>"

    async def publish(self, batch: Batch) -> None:
        """Does nothing: receivers read the log itself."""

    async def collect(self, receiver: int, cursors: Mapping[int, int]) -> Sequence[Batch]:
        batches = []
        for sender, status in self._statuses().items():
            begin = cursors.get(sender, 0)
            if sender == receiver or begin >= status.log_end:
                continue
            end, data = read_range(self._directory / member_folder(sender), status.log, begin, READ_BYTES)
            if end > begin:
                lines = lines_for(data, self._table, receiver)
                batches.append(Batch(sender, receiver, status.epoch, begin, end, lines))
        return batches

    async def put(self, member: int, epoch: int, status: bytes) -> None:
        known = self._statuses().get(member)
        if known is not None and known.epoch > epoch:
            raise Fenced(
                f"start {starts(known.epoch)} of member {member} is known, and this is another one, "
                f"start {starts(epoch)}"
            )
        path = self._path(member)
        new = path.with_suffix(".new")
        new.write_bytes(status)
        os.replace(new, path)  # not synced: after a power cut, the member's next start puts it again

    async def board(self) -> Board:
        return Board(str(self._directory), {member: found for member, (found, _) in self._read().items()})

    async def close(self) -> None:
        """Nothing is open."""

    def _path(self, member: int) -> Path:
        return self._board / f"{member_folder(member)}{SUFFIX}"

    def _statuses(self) -> dict[int, Status]:
        return {member: status for member, (_, status) in self._read().items()}

    def _read(self) -> dict[int, tuple[bytes, Status]]:
        """The board. A file is read again only when it has changed: this is asked several times a second."""
        found = {}
        for entry in os.scandir(self._board):
            if not entry.name.endswith(SUFFIX):
                continue
            try:
                stat = entry.stat()
                mark = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
                if entry.name not in self._known or self._known[entry.name][0] != mark:
                    data = Path(entry.path).read_bytes()
                    self._known[entry.name] = mark, data, status_of(data)
            except (OSError, StatusError):  # a power cut left it empty
                continue
            _, data, status = self._known[entry.name]
            if entry.name == member_folder(status.member) + SUFFIX:
                found[status.member] = data, status
        return found


def board_of(directory: Path) -> dict[int, Status]:
    """The statuses on the notice board of a fleet's directory. One that cannot be read is left out."""
    found = {}
    for path in sorted((directory / BOARD_FOLDER).glob("member-*.json")):
        try:
            status = status_of(path.read_bytes())
        except (OSError, StatusError):
            continue
        if path.stem == member_folder(status.member):
            found[status.member] = status
    return found
