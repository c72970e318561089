"""A record of an archive as a Reply, in the form that the crawl judges. Pure.

The block of a `response` is what a server sent: the crawl's own parser and decoder read it, with the crawl's limits.
"""

from functools import lru_cache
from ipaddress import ip_address
from typing import Final

from webgraph_it.fetch.decode import decode
from webgraph_it.fetch.guard import Address
from webgraph_it.fetch.reply import FetchTimes, Reply
from webgraph_it.fetch.response_head import BadResponse
from webgraph_it.fetch.response_parser import Limits, ResponseParser
from webgraph_it.ingest.records import Record

NOT_HTTP: Final = "not-http"
"""Reason of a record that is no capture of a page: dns:, urn:, metadata://, ftp: …"""


def is_http(url: str) -> bool:
    return url[:8].lower().startswith(("http://", "https://"))


def reply_of(record: Record, url: str, limits: Limits) -> Reply | str:
    """The reply that the record holds, for this URL in normal form; or why there is none."""
    if record.kind == "resource":
        return _reply(record, url, 200, {b"Content-Type": [record.content_type.encode()]}, record.block, [])
    parser = ResponseParser(limits)
    try:
        if not parser.feed(record.block):
            parser.eof()
    except BadResponse as error:
        return error.reason
    body = parser.body
    if body and b"Content-Encoding" in parser.headers:
        codings = b",".join(parser.headers.pop(b"Content-Encoding")).split(b",")
        decoded = decode(body, codings, limits.body_bytes)
        parser.flags.extend(decoded.flags)
        body = decoded.body
    return _reply(record, url, parser.status, parser.headers, body, parser.flags)


def _reply(
    record: Record, url: str, status: int, headers: dict[bytes, list[bytes]], body: bytes, flags: list[str]
) -> Reply:
    times = FetchTimes(record.time, record.time, record.time)
    return Reply(url, status, headers, body, flags, address_of(record.address), b"", times)


@lru_cache(1024)
def address_of(text: str) -> Address | None:
    """The address that an archive names; None if it is none."""
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None
