"""A reply to one request, whether from our fetcher, a user's cache or an archive. Pure data."""

from typing import NamedTuple

from webgraph_it.fetch.content_type import declared
from webgraph_it.fetch.guard import Address, text_of
from webgraph_it.items import Exchange


class FetchTimes(NamedTuple):
    """Times of one fetch, in seconds since 1970 UTC."""

    start: float
    """The request was sent."""
    first_byte: float
    end: float


class Reply(NamedTuple):
    """A complete response with decoded content."""

    url: str
    """The requested URL."""
    status: int
    headers: dict[bytes, list[bytes]]
    """By name in Scrapy's spelling (`Content-Type`), so that names need no conversion for each page."""
    body: bytes
    flags: list[str]
    """truncated, dataloss, bomb … : see response_parser.py and decode.py."""
    address: Address | None
    """Who answered; None if unknown."""
    version: bytes
    """`1.1`; empty if unknown."""
    times: FetchTimes
    exchange: Exchange | None = None
    """As it was on the wire; None unless it is kept for an archive."""

    @property
    def seconds(self) -> float:
        """How long the fetch took, from sending to the last byte."""
        return self.times.end - self.times.start

    @property
    def address_text(self) -> str:
        """Who answered; empty if unknown."""
        return "" if self.address is None else text_of(self.address)

    def values(self, name: bytes) -> list[bytes]:
        """All values of a header. It uses `dict.get` because the `get` of Scrapy's headers converts the name again."""
        return dict.get(self.headers, name) or []

    def header(self, name: bytes) -> str:
        """The header's last value, as UTF-8 or else as Latin-1. Empty if there is none."""
        values = self.values(name)
        value = values[-1] if values else b""
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return value.decode("latin-1")

    def media_type(self) -> tuple[str, str | None]:
        """Type and charset as declared. The type is `invalid` if it is not a media type (see content_type.py)."""
        text = self.header(b"Content-Type")
        return declared(text) if len(text) <= _REMEMBERED_LENGTH else declared.__wrapped__(text)


_REMEMBERED_LENGTH = 200
"""Longer values are rare, and may be an attempt to fill our memory."""
