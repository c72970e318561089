"""A reply: what a server answered to one request, whoever asked: our fetcher, a user's cache, an archive. Pure data."""

from typing import NamedTuple

from webgraph_it.fetch.content_type import declared
from webgraph_it.fetch.guard import Address, text_of


class FetchTimes(NamedTuple):
    """Moments of one fetch, in seconds since 1970 UTC."""

    start: float
    """The request was sent."""
    first_byte: float
    end: float


class Reply(NamedTuple):
    """A complete response, its content coding undone."""

    url: str
    """What was asked for."""
    status: int
    headers: dict[bytes, list[bytes]]
    """By their names in Scrapy's spelling, `Content-Type`: nothing is folded for every page."""
    body: bytes
    flags: list[str]
    """truncated, dataloss, bomb … : see response_parser.py and decode.py."""
    address: Address | None
    """Who answered; None: not known."""
    version: bytes
    """`1.1`; empty: not known."""
    times: FetchTimes

    @property
    def seconds(self) -> float:
        """How long the fetch took, from sending to the last byte."""
        return self.times.end - self.times.start

    @property
    def address_text(self) -> str:
        """Who answered; empty if that is not known."""
        return "" if self.address is None else text_of(self.address)

    def values(self, name: bytes) -> list[bytes]:
        """All values of a header. `dict.get`: Scrapy's headers are a dict whose own `get` folds the name again."""
        return dict.get(self.headers, name) or []

    def header(self, name: bytes) -> str:
        """The header's last value: UTF-8, or Latin-1 where it is not. Empty if there is none."""
        values = self.values(name)
        value = values[-1] if values else b""
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return value.decode("latin-1")

    def media_type(self) -> tuple[str, str | None]:
        """As declared: type and charset. `invalid` for what is no media type (see content_type.py)."""
        text = self.header(b"Content-Type")
        return declared(text) if len(text) <= _REMEMBERED_LENGTH else declared.__wrapped__(text)


_REMEMBERED_LENGTH = 200
"""Longer ones are rare, unless somebody wants to fill our memory."""
