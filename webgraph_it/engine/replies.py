"""What an answer says: its document, type, headers and times; what a failure means. Pure functions."""

import time
from collections.abc import Sequence

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.http import Response

from webgraph_it.extract import Document
from webgraph_it.extract.headers import NAMES
from webgraph_it.fetch.content_type import declared
from webgraph_it.fetch.guard import text_of
from webgraph_it.frontier.records import Failure
from webgraph_it.robots.policy import PRODUCT_TOKEN
from webgraph_it.robots.tag import nofollow


def failure_of(error: BaseException | None) -> tuple[str, Failure]:
    """Its name in the page log, and what it says of the host."""
    for kind, reason, failure in _FAILURES:
        if isinstance(error, kind):
            return reason, failure
    return "component", Failure.SERVER


_FAILURES = (
    (CannotResolveHostError, "dns", Failure.DNS),
    (DownloadConnectionRefusedError, "refused", Failure.NETWORK),
    (DownloadTimeoutError, "timeout", Failure.NETWORK),
    (DownloadFailedError, "network", Failure.NETWORK),
    (ResponseDataLossError, "network", Failure.NETWORK),
    (UnsupportedURLSchemeError, "network", Failure.NETWORK),
)
"""What else is raised is a mistake in somebody's component: the host only has to wait a little."""


def document(response: Response) -> Document:
    """The response as the extractors want it."""
    declared_type, charset = media_type(response)
    headers = tuple((name, value) for name, header in LINK_HEADERS for value in _values(response, header))
    tags = [value.decode("latin-1") for value in _values(response, b"X-Robots-Tag")]
    return Document(
        response.body,
        response.url,
        declared_type,
        charset,
        headers,
        bool(tags) and nofollow(tags, PRODUCT_TOKEN),
    )


LINK_HEADERS = tuple((name, name.title().encode()) for name in NAMES if name != "location")


def media_type(response: Response) -> tuple[str, str | None]:
    """As declared: type and charset. `invalid` for what is no media type (see fetch/content_type.py)."""
    text = header(response, b"Content-Type")
    return declared(text) if len(text) <= _REMEMBERED_LENGTH else declared.__wrapped__(text)


_REMEMBERED_LENGTH = 200
"""Longer ones are rare, unless somebody wants to fill our memory."""


def _values(response: Response, name: bytes) -> Sequence[bytes]:
    """All values of a header, by its name in Scrapy's own spelling: that spares folding it for every page."""
    return dict.get(response.headers, name) or ()


def header(response: Response, name: bytes) -> str:
    """The header's last value: UTF-8, or Latin-1 where it is not."""
    values = _values(response, name)
    value = values[-1] if values else b""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def address(response: Response) -> str:
    """Where it came from; empty if no handler says so."""
    return text_of(response.ip_address) if response.ip_address else ""


def seconds(response: Response) -> float:
    """How long the fetch took, from sending to the last byte."""
    sent, _, ended = times(response)
    return ended - sent


def times(response: Response) -> tuple[float, float, float]:
    """When it was sent, first and last byte; now, if no handler of ours fetched it (a user's cache answered)."""
    times: tuple[float, float, float] | None = response.meta.get("fetch_times")
    return times or (time.time(),) * 3
