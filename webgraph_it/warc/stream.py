"""Captures become the gzip members of one WARC file after the other. Pure but for record ids and the warcinfo's time.

Guarantees: a file begins with a `warcinfo` record. Every record is one gzip member, so a file may be cut after any of
them. A `revisit` refers to a response earlier in the same file: whatever a crash cuts off, the original of a
revisit that is left is left too, and a file can be read without the others. Memory is bounded by MAX_REMEMBERED
payloads.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from webgraph_it.warc import record
from webgraph_it.warc.capture import Capture
from webgraph_it.warc.member import member
from webgraph_it.warc.outlinks import fields

MAX_REMEMBERED = 50_000
"""Payloads that can be recognised, about 350 bytes each."""


class WarcStream:
    """Used by one thread at a time."""

    def __init__(self, described: Sequence[tuple[str, str]], clock: Callable[[], float] = time.time) -> None:
        """`described`: names and values of the warcinfo records."""
        self._described = described
        self._clock = clock
        self._file_name = ""
        self._originals: OrderedDict[str, record.Original] = OrderedDict()

    def begin_file(self, name: str) -> None:
        """What follows is for another file. It stays empty until the first capture."""
        self._file_name = name
        self._originals.clear()

    def members(self, captures: Iterable[Capture]) -> bytearray:
        """The members of some captures. Before the first of a file: its warcinfo."""
        pressed = bytearray()
        for capture in captures:
            if self._file_name:
                date = record.warc_date(self._clock())
                pressed += member(record.info(self._file_name, self._described, date))
                self._file_name = ""
            for each in self._records(capture):
                pressed += member(each)
        return pressed

    def _records(self, capture: Capture) -> Iterable[bytes]:
        exchange = capture.exchange
        response_id, date = record.new_id(), record.warc_date(exchange.time)
        yield record.request(exchange, date, response_id)
        yield self._response(capture, date, response_id)
        if capture.finding is not None:
            yield record.metadata(exchange, date, response_id, fields(capture.finding))

    def _response(self, capture: Capture, date: str, response_id: str) -> bytes:
        exchange = capture.exchange
        if exchange.status == b"304":
            return record.not_modified(exchange, date, response_id)
        digest = record.digest(exchange.entity)
        original = self._originals.get(digest)
        if original is not None and not exchange.truncated:
            self._originals.move_to_end(digest)
            return record.identical(exchange, date, response_id, digest, original)
        if exchange.entity and not exchange.truncated:
            self._originals[digest] = record.Original(response_id, exchange.url, date)
            if len(self._originals) > MAX_REMEMBERED:
                self._originals.popitem(last=False)
        return record.response(exchange, date, response_id, digest)
