"""A Unix socket in the crawl directory, through which its owner steers the crawl (`webgraph-it control`).

One JSON object a line, and one answer a line: {"ok": …} or {"error": "one sentence"}. Who may speak is decided by the
file system: the directory is 0700, the socket 0600, and the kernel says whose process is at the other end.
"""

import asyncio
import json
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from webgraph_it.crawl.actions import ActionError
from webgraph_it.crawl.resuming import resume_command
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.formats import ShardError

SOCKET_FILE = "control.sock"
MAX_REQUEST_BYTES = 64_000_000
"""A list of seeds is the longest request there is."""
BEHALF = "for"
"""In a request: on whose behalf another crawl of the same owner asks."""
MAX_BEHALF_LENGTH = 200
CLOSE_SECONDS = 10.0
"""A crawl that ends waits so long for answers."""
ANSWER_SECONDS = 120.0
"""A checkpoint of a busy crawl takes seconds."""

Do = Callable[[object, str], Awaitable[Any]]
"""(what was said, who said it) → what to answer. ActionError: the sentence to answer."""


class ControlSocket:
    """Listens in `directory` until closed."""

    def __init__(self, directory: Path, do: Do) -> None:
        self._path = directory / SOCKET_FILE
        self._do = do
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.StreamWriter] = set()
        self._speaking: set[asyncio.Future[None]] = set()
        """Requests that are being carried out."""

    async def open(self) -> None:
        """A socket that a killed crawl left behind is replaced: whoever holds the directory's lock may do that."""
        self._path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with _short_path(self._path) as path:
            listening.bind(path)
        self._path.chmod(0o600)
        self._server = await asyncio.start_unix_server(self._serve, sock=listening, limit=MAX_REQUEST_BYTES)

    async def close(self) -> None:
        """What is being carried out is answered first: a block may be what ends the crawl."""
        if self._server is None:
            return
        self._server.close()
        if self._speaking:
            await asyncio.wait(self._speaking, timeout=CLOSE_SECONDS)
        for writer in list(self._talks):
            writer.close()
        await self._server.wait_closed()
        self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        who = _who(writer.get_extra_info("socket"))
        self._talks.add(writer)
        try:
            with suppress(ConnectionError):
                while line := await self._line(reader, writer):
                    speaking = asyncio.ensure_future(self._speak(line, who, writer))
                    self._speaking.add(speaking)
                    speaking.add_done_callback(self._speaking.discard)
                    await speaking
        finally:
            self._talks.discard(writer)
            writer.close()

    async def _speak(self, line: bytes, who: str, writer: asyncio.StreamWriter) -> None:
        writer.write(json.dumps(await self._answer(line, who)).encode() + b"\n")
        await writer.drain()

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        try:
            return await reader.readline()
        except ValueError:
            answer = {"error": f"the request is too long; expected: at most {MAX_REQUEST_BYTES:,} bytes"}
            writer.write(json.dumps(answer).encode() + b"\n")
            return b""

    async def _answer(self, line: bytes, who: str) -> dict[str, Any]:
        try:
            said = _said(line)
            if isinstance(said, dict) and (behalf := said.pop(BEHALF, "")):
                who = f"{who} for {str(behalf)[:MAX_BEHALF_LENGTH]}"
            return {"ok": await self._do(said, who)}
        except ActionError as error:
            return {"error": str(error)}


def _said(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise ActionError(
            'the request is not JSON; expected: an object such as {"action": "pause"}'
        ) from None


def _who(connected: socket.socket) -> str:
    """`user 1000 (process 4711)`, as the kernel knows it."""
    process, user, _ = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return f"user {user} (process {process})"


class _short_path:
    """A path of any length, by way of its folder's descriptor: the name of a Unix socket has 107 bytes at most."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> str:
        self._folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
        return f"/proc/self/fd/{self._folder}/{self._path.name}"

    def __exit__(self, *_: object) -> None:
        os.close(self._folder)


class ControlError(Exception):
    """The crawl could not be asked, or refused; one sentence."""


class NotRunning(ControlError):
    """Nobody listens in the directory."""


def _spider(directory: Path) -> str:
    """The spider of the crawl. ControlError if crawl.json is damaged."""
    try:
        return CrawlDirectory(directory).spider()
    except ShardError as error:
        raise ControlError(str(error)) from None


def ask(directory: Path, said: dict[str, Any]) -> Any:
    """Ask the crawl that runs in a directory. For another process: it waits for the answer."""
    with _troubles_of(directory), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(ANSWER_SECONDS)
        with _short_path(_socket_of(directory)) as short:
            asking.connect(short)
        asking.sendall(json.dumps(said).encode() + b"\n")
        line = asking.makefile("rb").readline()
    return _answer_of(directory, line)


async def ask_soon(directory: Path, said: dict[str, Any], behalf: str = "") -> Any:
    """`ask` in an event loop. `behalf`: who wants it, for the audit log of the other crawl."""
    request = {**said, BEHALF: behalf} if behalf else said
    with _troubles_of(directory):
        with _short_path(_socket_of(directory)) as short:
            reader, writer = await asyncio.open_unix_connection(short, limit=MAX_REQUEST_BYTES)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                writer.write(json.dumps(request).encode() + b"\n")
                line = await reader.readline()
        finally:
            writer.close()
    return _answer_of(directory, line)


def _socket_of(directory: Path) -> Path:
    path = directory / SOCKET_FILE
    if not path.is_socket():
        raise NotRunning(
            f"no crawl runs in {directory} (it has no {SOCKET_FILE}). Start or resume it with: "
            + resume_command(_spider(directory), directory)
        )
    return path


@contextmanager
def _troubles_of(directory: Path) -> Iterator[None]:
    """What the socket says, as a sentence."""
    try:
        yield
    except ConnectionError:
        raise NotRunning(f"no crawl runs in {directory}: the last one was killed. Resume it first.") from None
    except TimeoutError:
        raise ControlError(f"the crawl in {directory} did not answer within {ANSWER_SECONDS:g} s") from None


def _answer_of(directory: Path, line: bytes) -> Any:
    if not line:
        raise ControlError(f"the crawl in {directory} ended before it answered; its log says why")
    answer: dict[str, Any] = json.loads(line)
    if "error" in answer:
        raise ControlError(answer["error"])
    return answer["ok"]
