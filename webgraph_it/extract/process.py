"""The crawl process's end of one worker process: starts it, sends documents, takes replies, notices its end.

It does not decide what a worker's end means for the documents that it held; the pool does (workers.py).
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Protocol, cast

import webgraph_it
from webgraph_it.extract import frames
from webgraph_it.extract.records import Document, Extraction

_STALLED_TICKS_STARTING = 60
_EXIT_POLL_SECONDS = 0.01
_EXIT_POLLS = 200
_BUFFER_BYTES = 1 << 16


class Owner(Protocol):
    """Receives a worker's events."""

    def started(self, worker: "Worker") -> None: ...

    def answered(self, worker: "Worker", extraction: Extraction) -> None: ...

    def lost(self, worker: "Worker") -> None: ...


class Job:
    """A document that waits for its extraction."""

    __slots__ = ("attempts", "document", "future")

    def __init__(self, document: Document, future: "asyncio.Future[Extraction]") -> None:
        self.document = document
        self.future = future
        self.attempts = 0


async def start(options: dict[str, object], owner: Owner) -> "Worker":
    """Start a worker. Documents may be given at once; it reads them when it is ready."""
    channel, process = spawn(options)
    replies = channel.dup()
    loop = asyncio.get_running_loop()
    _, worker = await loop.create_unix_connection(lambda: Worker(owner, process, replies), sock=channel)
    return worker


WORKER = "webgraph_it.extract.worker"


def spawn(
    options: dict[str, object], stderr: int | None = None, module: str = WORKER, files: tuple[int, ...] = ()
) -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    """Start a worker process, which inherits `files`. Returns our end of its socket, and the process. Takes a few
    milliseconds."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with theirs:
        arguments = json.dumps({**options, "socket": theirs.fileno()})
        process = subprocess.Popen(
            [*_command(module), arguments],
            pass_fds=(theirs.fileno(), *files),
            stdin=subprocess.DEVNULL,
            stderr=stderr,
            process_group=0,  # Ctrl-C in a terminal is only for the crawl
            env=_environment(),
            cwd="/",
        )
    return ours, process


def _command(module: str) -> list[str]:
    """-P: no module is imported from the directory where the crawl was started."""
    return [sys.executable, "-P", "-m", module]


def _environment() -> dict[str, str]:
    """Only what Python needs to start and to find this package, and nothing that a document could leak."""
    package = str(Path(webgraph_it.__file__).parents[1])
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [package, *(path for path in given if os.path.isabs(path))]
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}


_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "LANG", "LC_ALL", "SYSTEMROOT")


class Worker(asyncio.BufferedProtocol):
    """The crawl process's end of one worker: what was sent (in order), what came back.

    It receives into one buffer of its own: asyncio would otherwise allocate 256 KB for each of our small replies.
    """

    transport: asyncio.Transport

    def __init__(self, owner: Owner, process: "subprocess.Popen[bytes]", replies: socket.socket) -> None:
        self.jobs: deque[Job] = deque()
        self.ready = False
        self.measures: tuple[str, ...] = ()
        """The measures of its sandbox that are in force (sandbox.py)."""
        self.overdue = False
        self.leaving = False
        self.lied = ""
        """What was wrong with its reply, if anything. Then nothing more is read from it."""
        self._owner = owner
        self._process = process
        self._replies = replies
        self._received = bytearray(_BUFFER_BYTES)
        self._filled = 0
        self._stalled_ticks = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's does not inherit from it

    def give(self, job: Job) -> None:
        self.jobs.append(job)
        self.transport.writelines((frames.request(job.document), job.document.body))

    def get_buffer(self, sizehint: int) -> memoryview:
        return memoryview(self._received)[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        if self.lied:
            return
        self._stalled_ticks = 0
        self._filled += nbytes
        try:
            taken = self._take_replies()
        except ValueError as error:
            self._end_liar(str(error))
            return
        if taken:
            self._received[: self._filled - taken] = self._received[taken : self._filled]
            self._filled -= taken
        if self._filled == len(self._received):  # the largest reply so far
            self._received = self._received + bytes(len(self._received))

    def _take_replies(self) -> int:
        """Pass on all complete replies. Returns their size in bytes."""
        start = 0
        while start + frames.REPLY.size <= self._filled:
            end = start + frames.reply_length(self._received, start)
            if end > self._filled:
                break
            self._take(bytes(self._received[start:end]))
            start = end
        return start

    def _end_liar(self, why: str) -> None:
        self.lied = why
        self.leaving = True
        self._process.kill()
        self.transport.abort()

    def _take(self, frame: bytes) -> None:
        if not self.ready:
            self.measures = frames.measures(frame)
            self.ready = True
            self._owner.started(self)
        elif self.jobs:
            self._owner.answered(self, frames.extraction(frame, self.jobs[0].document.media_type))
        else:
            raise ValueError("a worker replied without a request")

    def connection_lost(self, error: Exception | None) -> None:
        """First take the replies that arrived before the end, so that only the last document is blamed.

        A failed write closes the transport even if replies wait to be read, so there is a second handle on the socket.
        """
        self.leaving = True
        with self._replies:
            try:
                while not self.lied and (received := self._replies.recv_into(self.get_buffer(-1))):
                    self.buffer_updated(received)
            except OSError:  # nothing more
                pass
        self._owner.lost(self)

    def tick(self, most_ticks: int) -> None:
        """Count another second without a reply. After `most_ticks` the worker is killed."""
        self._stalled_ticks = self._stalled_ticks + 1 if self.jobs else 0
        if self._stalled_ticks >= (most_ticks if self.ready else _STALLED_TICKS_STARTING):
            self.overdue = True
            self._process.kill()

    async def exit_code(self) -> int:
        """Wait for the process without blocking. Kill it if it does not end soon."""
        for _ in range(_EXIT_POLLS):
            if (code := self._process.poll()) is not None:
                return code
            await asyncio.sleep(_EXIT_POLL_SECONDS)
        self._process.kill()
        return self._process.wait()
