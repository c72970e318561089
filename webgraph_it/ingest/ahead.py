"""Reader processes that work ahead of their turn: one per file, each with a spool for what it has sent.

    reader process ──socket──► thread ──► spool (a file without a name) ──► `frames`, when it is the file's turn

The captures of the first file are recorded before those of the second, whatever the number of readers, so the result
does not depend on it. A spool holds at most MAX_AHEAD_BYTES; then its reader waits.

A reader that dies is replaced by another that continues at the record where it died. The second death at the same
record is blamed on the document: it is recorded without being read, with the reason (`timeout`, `died`). After the
third the rest of the file is given up, by name. A reader that ends before the first record of the file, or before it
has begun to read, is our failure, not the file's: after as many attempts `frames` raises ReaderBroken.
"""

import asyncio
import io
import os
import signal
import subprocess
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final, NamedTuple, cast

from webgraph_it.extract.process import spawn
from webgraph_it.extract.worker import SPENT
from webgraph_it.ingest.frames import BEGUN, LENGTHS, lengths, unpacked
from webgraph_it.ingest.reading import Milestone, milestone_of

MAX_AHEAD_BYTES: Final = 256 << 20
STALLED_SECONDS: Final = 120.0
"""A reader that sends nothing for so long is ended. A record of a few gigabytes takes less."""
LOOK_SECONDS: Final = 0.005
TAKEN_AT_ONCE: Final = 1 << 20
MAX_LAST_WORDS: Final = 1 << 16
_MODULE: Final = "webgraph_it.ingest.reader"
_BUFFER_BYTES: Final = 1 << 18


class ReaderBroken(Exception):
    """Readers end before they have read anything, in one sentence. The file may be sound."""


class Frame(NamedTuple):
    """What a reader sent about one record."""

    head: bytes
    links: bytes


class Ahead:
    """Reads one file in a thread and a process of its own. Started at once."""

    def __init__(
        self,
        path: Path,
        options: dict[str, object],
        first: int,
        folder: Path,
        milestone: Milestone | None = None,
    ) -> None:
        self.path = path
        self.failure = ""
        """Why the rest of the file could not be read; empty if it was."""
        self.broken = ""
        """Why no reader could begin; empty if one did."""
        self._options = options
        self._number = first
        """Of the next record."""
        self._milestone = milestone
        self._kept = b"", first
        """The frames that were kept last, and the number of the first of them."""
        self._unread = ""
        self._strikes = 0
        self._careful = False
        """Whether readers send each frame at once, because one has died."""
        self._spool = cast("IO[bytes]", TemporaryFile(dir=folder))  # noqa: SIM115 - closed by `close`
        self._written = self._taken = 0
        self._finished = self._closing = False
        self._room = threading.Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._begun = False
        """Whether the current reader has begun to read."""
        self._last_words = cast("IO[bytes]", TemporaryFile(dir=folder))  # noqa: SIM115 - closed by `close`
        """What readers write to stderr before they enter the sandbox."""
        self._thread = threading.Thread(target=self._run, name=f"ahead of {path.name}", daemon=True)
        self._thread.start()

    # -- the thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            with self.path.open("rb") as file:
                while not self._closing and not self._read_with_one(file.fileno()):
                    pass
        except OSError as error:
            self.failure = error.strerror or str(error)
        self._finished = True

    def _read_with_one(self, file: int) -> bool:
        """Read with one process. True if nothing more is to be read."""
        options = {
            **self._options,
            "file": file,
            "first": self._number,
            "milestone": self._milestone,
            "unread": self._unread,
            "careful": self._careful,
        }
        channel, self._process = spawn(options, self._last_words.fileno(), _MODULE, (file,))
        channel.settimeout(STALLED_SECONDS)
        before, problem, self._begun = self._number, "", False
        with channel, channel.makefile("rb", _BUFFER_BYTES) as sent:
            try:
                if self._keep_all(cast("io.BufferedReader", sent)):
                    self._process.wait()
                    return True
            except TimeoutError:
                problem = "timeout"
            except (EOFError, ConnectionError):
                problem = "died"
            except ValueError:
                problem = "bad-reply"
        self._process.kill()
        code = self._process.wait()
        if self._closing:
            return True
        self._milestone = last_milestone(*self._kept) or self._milestone
        self._blame("timeout" if code == -signal.SIGPROF else problem, code, progressed=self._number > before)
        return bool(self.failure or self.broken)

    def _keep_all(self, sent: io.BufferedReader) -> bool:
        """Keep the frames until the reader says that the file has ended. False if we are closing before that.

        Raises EOFError if the reader ends before, ValueError if it lies.
        """
        if sent.read(len(BEGUN)) != BEGUN:
            raise EOFError
        self._begun = True
        rest = b""
        while not self._closing:
            chunk = sent.read1(_BUFFER_BYTES)
            if not chunk:
                raise EOFError
            rest += chunk
            count, end, has_ended = whole_frames(rest)
            if count:
                self._keep(rest[:end], count)
                rest = rest[end:]
            if has_ended:
                return True
        return False

    def _blame(self, problem: str, code: int, *, progressed: bool) -> None:
        """Decide how the next reader treats the record at which this one ended."""
        if code == SPENT:  # it has sent the record, and is only tired
            self._strikes, self._unread = 0, ""
            return
        certain = code == -signal.SIGPROF and self._careful
        self._careful = True
        self._strikes = 1 if progressed else self._strikes + 1
        if self._unread and not progressed:
            if self._number and self._begun:
                self.failure = f"its record {self._number + 1} cannot be read ({problem})"
            else:
                self.broken = self._described(problem, code)
        self._unread = problem if certain or self._strikes > 1 else ""

    def _described(self, problem: str, code: int) -> str:
        self._last_words.seek(0)
        lines = self._last_words.read(MAX_LAST_WORDS).decode("utf-8", "replace").split("\n")
        said = next((line for line in reversed(lines) if line.strip()), f"exit code {code}")
        return (
            f"{self.path} could not be read, because each of three reader processes ended before it had read a record "
            f"({problem}; {said}). The file is not marked as ingested: the same command tries it again."
        )

    def _keep(self, data: bytes, frames: int) -> None:
        with self._room:
            while self._written - self._taken > MAX_AHEAD_BYTES and not self._closing:
                self._room.wait(1.0)
        os.pwrite(self._spool.fileno(), data, self._written)
        self._written += len(data)
        self._kept = data, self._number
        self._number += frames

    # -- the main thread ------------------------------------------------------------------------------------

    async def frames(self) -> AsyncIterator[Frame]:
        """Every frame, in order, as they come. Then `failure` says whether that was all. Raises ReaderBroken."""
        rest = b""
        while True:
            finished = self._finished
            end = self._written
            if self._taken == end:
                if finished and self.broken:
                    raise ReaderBroken(self.broken)
                if finished:
                    return
                await asyncio.sleep(LOOK_SECONDS)
                continue
            data = os.pread(self._spool.fileno(), min(end - self._taken, TAKEN_AT_ONCE), self._taken)
            rest += data
            at = 0
            while (frame := _frame_in(rest, at)) is not None:
                yield frame
                at += LENGTHS.size + len(frame.head) + len(frame.links)
            rest = rest[at:]
            with self._room:
                self._taken += len(data)
                self._room.notify()

    def close(self) -> None:
        """End the process and the thread."""
        self._closing = True
        with self._room:
            self._room.notify()
        with suppress(ProcessLookupError):
            if self._process is not None:
                self._process.kill()
        self._thread.join(10)
        self._spool.close()
        self._last_words.close()


def whole_frames(data: bytes) -> tuple[int, int, bool]:
    """How many whole frames the data begins with, where they end, and whether the end of the file follows.

    Raises ValueError if a frame is longer than a reader may send.
    """
    count = at = 0
    while len(data) >= at + LENGTHS.size:
        head, links = lengths(data[at : at + LENGTHS.size])
        if not head:
            return count, at, True
        end = at + LENGTHS.size + head + links
        if end > len(data):
            break
        count, at = count + 1, end
    return count, at, False


def last_milestone(data: bytes, number: int) -> Milestone | None:
    """The last of these frames from which reading may continue; `number` is that of the first."""
    found = None
    at = 0
    while (frame := _frame_in(data, at)) is not None:
        with suppress(ValueError):
            found = milestone_of(unpacked(*frame), number) or found
        number += 1
        at += LENGTHS.size + len(frame.head) + len(frame.links)
    return found


def _frame_in(data: bytes, at: int) -> Frame | None:
    start = at + LENGTHS.size
    if len(data) < start:
        return None
    head, links = LENGTHS.unpack_from(data, at)
    end = start + head + links
    return Frame(data[start : start + head], data[start + head : end]) if len(data) >= end else None
