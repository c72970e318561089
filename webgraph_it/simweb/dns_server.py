"""DNS over UDP and TCP, with messages built by hand: A records of simweb's hosts, NXDOMAIN for all other names.

The question is copied from the query, so its case is preserved. A query for another type of a
known name gets an empty answer. It is not a resolver: it asks no other server.
"""

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, cast

from webgraph_it.simweb.hits import HitLog

TTL_SECONDS = 300
NOERROR, FORMERR, SERVFAIL, NXDOMAIN = 0, 1, 2, 3
TYPE_A, CLASS_IN = 1, 1
_LOGGED_ADDRESSES = 8
_TYPE_NAMES = {1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 12: "PTR", 15: "MX", 16: "TXT", 28: "AAAA", 255: "ANY"}


class Reply(NamedTuple):
    """The reply for a name."""

    code: int
    addresses: tuple[str, ...] = ()
    delay_seconds: float = 0.0
    lost: bool = False
    """Send nothing at all."""
    ttl_seconds: int = TTL_SECONDS


Book = Callable[[str, int], Reply]
"""From a name in lower case and the number of earlier queries for it, to the reply."""


class Question(NamedTuple):
    name: str
    type: int
    end: int
    """Where the question ends in the query."""


def parse_question(query: bytes) -> Question | None:
    """The first question of a query. None if it cannot be read."""
    labels, at = [], 12
    while at < len(query) and query[at]:
        size = query[at]
        if size > 63 or at + 1 + size >= len(query):
            return None
        labels.append(query[at + 1 : at + 1 + size].decode("latin-1").lower())
        at += 1 + size
    if at + 5 > len(query) or len(query) < 12:
        return None
    return Question(".".join(labels), int.from_bytes(query[at + 1 : at + 3], "big"), at + 5)


def message(query: bytes, question: Question | None, reply: Reply) -> bytes:
    """The bytes of a reply to a query."""
    number = query[:2]
    if question is None:
        return number + struct.pack(">HHHHH", 0x8000 | FORMERR, 0, 0, 0, 0)
    wanted = reply.addresses if question.type == TYPE_A else ()
    recursion = query[2] & 1
    flags = 0x8400 | recursion << 8 | recursion << 7 | reply.code
    records = [_record(address, reply.ttl_seconds) for address in wanted]
    return b"".join(
        [number, struct.pack(">HHHHH", flags, 1, len(records), 0, 0), query[12 : question.end], *records]
    )


def _record(address: str, ttl_seconds: int) -> bytes:
    return struct.pack(">HHHIH", 0xC00C, TYPE_A, CLASS_IN, ttl_seconds, 4) + socket.inet_aton(address)


class NameServer:
    """Answers queries from a book, and counts how often each question was asked."""

    def __init__(self, book: Book, log: HitLog) -> None:
        self._book = book
        self._log = log
        self._asked: Counter[tuple[str, int]] = Counter()

    def answer(self, query: bytes) -> tuple[bytes, Reply]:
        """The bytes to send, and the reply that they encode."""
        question = parse_question(query)
        if question is None:
            return message(query, None, Reply(FORMERR)), Reply(FORMERR)
        reply = self._book(question.name, self._asked[question.name, question.type])
        self._asked[question.name, question.type] += 1
        self._log.write(
            "dns",
            host=question.name,
            type=_TYPE_NAMES.get(question.type, str(question.type)),
            answer="lost"
            if reply.lost
            else " ".join(reply.addresses[:_LOGGED_ADDRESSES]) or _code_name(reply.code),
        )
        return message(query, question, reply), reply


def _code_name(code: int) -> str:
    return {NOERROR: "NOERROR", SERVFAIL: "SERVFAIL", NXDOMAIN: "NXDOMAIN"}[code]


class UdpNames(asyncio.DatagramProtocol):
    def __init__(self, server: NameServer) -> None:
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, peer: tuple[str, int]) -> None:
        answer, reply = self._server.answer(data)
        if reply.lost:
            return
        if reply.delay_seconds:
            loop = asyncio.get_running_loop()
            loop.call_later(reply.delay_seconds, self._transport.sendto, answer, peer)
        else:
            self._transport.sendto(answer, peer)


class TcpNames(asyncio.Protocol):
    def __init__(self, server: NameServer) -> None:
        self._server = server
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= 2:
            size = int.from_bytes(self._buffer[:2], "big")
            if len(self._buffer) < 2 + size:
                return
            query, self._buffer = self._buffer[2 : 2 + size], self._buffer[2 + size :]
            self._answer(query)

    def _answer(self, query: bytes) -> None:
        answer, reply = self._server.answer(query)
        if not reply.lost:
            asyncio.get_running_loop().call_later(reply.delay_seconds, self._send, answer)

    def _send(self, answer: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(len(answer).to_bytes(2, "big") + answer)
