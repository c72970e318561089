"""Captures become the gzip members of one WARC file after the other. Pure but for record ids and the warcinfo's time.

Guarantees: a file begins with a `warcinfo` record. Every record is one gzip member, so a file may be cut after any of
them. A `revisit` refers to a response earlier in the same file: whatever a crash cuts off, the original of a
revisit that is left is left too, and a file can be read without the others. Memory holds the names of MAX_REMEMBERED
payloads, and an index line of about 250 bytes for each capture of the present file: 40 MB for a file of 1 GB.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from webgraph_it.items import Exchange
from webgraph_it.warc import cdxj, record
from webgraph_it.warc.capture import Capture
from webgraph_it.warc.member import member
from webgraph_it.warc.note import Note
from webgraph_it.warc.outlinks import fields

MAX_REMEMBERED = 50_000
"""Payloads that can be recognised, about 350 bytes each."""


class Finished(NamedTuple):
    """A file to which nothing more is written."""

    name: str
    length: int
    lines: list[str]
    """Of its CDXJ, not sorted."""


class WarcStream:
    """Used by one thread at a time."""

    def __init__(self, described: Sequence[tuple[str, str]], clock: Callable[[], float] = time.time) -> None:
        """`described`: names and values of the warcinfo records."""
        self._described = described
        self._clock = clock
        self._name = ""
        self._length = 0
        self._index: list[str] = []
        self._originals: OrderedDict[str, record.Original] = OrderedDict()
        self._finished: list[Finished] = []

    def begin_file(self, name: str) -> None:
        """What follows is for another file. It stays empty until the first capture."""
        if self._length:
            self._finished.append(Finished(self._name, self._length, self._index))
        self._name, self._length, self._index = name, 0, []
        self._originals.clear()

    def take_finished(self) -> list[Finished]:
        """The files that were finished since the last call."""
        finished, self._finished = self._finished, []
        return finished

    def members(self, captures: Iterable[Capture | Note]) -> bytearray:
        """The members of some captures. Before the first of a file: its warcinfo."""
        pressed = bytearray()
        for capture in captures:
            if not self._length:
                date = record.warc_date(self._clock())
                self._add(pressed, record.info(self._name, self._described, date))
            if isinstance(capture, Note):
                date = record.warc_date(capture.time or self._clock())
                self._add(pressed, record.note(capture.url, date, capture.block))
            else:
                self._add_capture(pressed, capture)
        return pressed

    def _add(self, pressed: bytearray, each: bytes) -> tuple[int, int]:
        """Returns offset and length of the member."""
        added, offset = member(each), self._length
        pressed += added
        self._length += len(added)
        return offset, len(added)

    def _add_capture(self, pressed: bytearray, capture: Capture) -> None:
        exchange, finding = capture
        response_id, date = record.new_id(), record.warc_date(exchange.time)
        self._add(pressed, record.request(exchange, date, response_id))
        digest = "" if exchange.status == b"304" else record.digest(exchange.entity)
        kind = record.SITEMAP if finding is not None and finding.is_sitemap else ""
        response = self._response(exchange, date, response_id, digest, kind)
        revisit = response.startswith(record.REVISIT)
        place, head = self._add(pressed, response), exchange.head if digest else b""
        self._index.append(cdxj.line(exchange.url, date, head, digest, place, self._name, revisit=revisit))
        if finding is not None:
            self._add(pressed, record.metadata(exchange, date, response_id, fields(finding)))

    def _response(self, exchange: Exchange, date: str, response_id: str, digest: str, kind: str) -> bytes:
        """`digest`: of the payload; empty if it was not modified."""
        if not digest:
            return record.not_modified(exchange, date, response_id)
        original = self._originals.get(digest)
        if original is not None and not exchange.truncated:
            self._originals.move_to_end(digest)
            return record.identical(exchange, date, response_id, digest, original, kind)
        if exchange.entity and not exchange.truncated:
            self._originals[digest] = record.Original(response_id, exchange.url, date)
            if len(self._originals) > MAX_REMEMBERED:
                self._originals.popitem(last=False)
        return record.response(exchange, date, response_id, digest, kind)
