"""WARC/1.1 records, byte by byte (pure).

    WARC/1.1 CRLF, named fields with CRLF, CRLF, block, CRLF CRLF

A capture is a `request`, a `response` or `revisit`, and a `metadata` record if it is in the page log, in this order and
with the same WARC-Target-URI and WARC-Date. The date is when the request was sent, in milliseconds: `time` of the page
log. `request` and `metadata` name the response in WARC-Concurrent-To.

**The block of a response is what was received**: status line, headers and body, with its Content-Encoding and
Transfer-Encoding. So a chunked body has its chunk sizes. The block begins at the final status line: interim responses
and anything before them are left out. WARC-Payload-Digest covers the entity, that is the body without chunk sizes, but
with its Content-Encoding. Digests are SHA-1 in base32. Only a chunked response has a WARC-Block-Digest, too: of the
others, the payload's digest covers the body, and the checksum of the gzip member all of the record.

A body that did not arrive as a whole has WARC-Truncated: `length` (MAX_BODY_BYTES), `disconnect` (the server closed the
connection) or `unspecified` (absurdly small chunks). Its digests cover what is stored.

A `revisit` with the profile identical-payload-digest has the head only, and refers to an earlier response **of the same
file** with the same digest, whose URL may be another. With server-not-modified (status 304) the page is as at its last
visit, and the block is empty, as Heritrix writes it: with the head of a 304 replay tools would show no page.

A sitemap that was fetched for what it lists has `WARC-Resource-Type: sitemap`, a field that Browsertrix introduced. So
an ingest of the archive does not take it for a page.
"""

from base64 import b32encode
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha1
from os import urandom
from typing import NamedTuple

from webgraph_it.items import Exchange

IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
FIELDS_TYPE = "application/warc-fields"
_RESPONSE_TYPE, _REQUEST_TYPE = "application/http; msgtype=response", "application/http; msgtype=request"


REVISIT = b"WARC/1.1\r\nWARC-Type: revisit\r\n"
"""The beginning of a revisit."""


RESOURCE_TYPE, SITEMAP = "WARC-Resource-Type", "sitemap"


class Original(NamedTuple):
    """A response that others with the same payload refer to."""

    record_id: str
    url: str
    date: str


_random: list[str] = []
IDS_AT_ONCE = 256
"""Each call of urandom gives up the interpreter's lock, and waits to get it back."""


def new_id() -> str:
    """A random UUID (version 4), in a third of the time that `uuid` takes."""
    if not _random:
        digits = urandom(16 * IDS_AT_ONCE).hex()
        _random.extend(digits[at : at + 32] for at in range(0, len(digits), 32))
    text = _random.pop()
    variant = "89ab"[int(text[16], 16) & 3]
    return f"<urn:uuid:{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}>"


def warc_date(time: float) -> str:
    """`2026-11-18T10:17:21.123Z`, with the same milliseconds as the page log."""
    whole, _, milliseconds = f"{time:.3f}".partition(".")
    return f"{_second(whole)}.{milliseconds}Z"


@lru_cache(maxsize=64)
def _second(since_1970: str) -> str:
    return f"{datetime.fromtimestamp(int(since_1970), UTC):%Y-%m-%dT%H:%M:%S}"


def digest(*parts: bytes) -> str:
    """`sha1:` and the digest in base32."""
    state = sha1(usedforsecurity=False)
    for part in parts:
        state.update(part)
    return f"sha1:{b32encode(state.digest()).decode()}"


def info(file_name: str, described: Iterable[tuple[str, str]], date: str) -> bytes:
    """The first record of a file."""
    block = "".join(f"{name}: {value}\r\n" for name, value in described).encode()
    fields = f"WARC-Filename: {file_name}\r\nContent-Type: {FIELDS_TYPE}\r\n"
    return _record("warcinfo", new_id(), date, fields, block)


def request(exchange: Exchange, date: str, response_id: str) -> bytes:
    return _record(
        "request",
        new_id(),
        date,
        f"{_target(exchange)}WARC-Concurrent-To: {response_id}\r\nContent-Type: {_REQUEST_TYPE}\r\n",
        exchange.request,
    )


def response(
    exchange: Exchange, date: str, record_id: str, payload_digest: str, resource_type: str = ""
) -> bytes:
    truncated = f"WARC-Truncated: {exchange.truncated}\r\n" if exchange.truncated else ""
    fields = (
        f"{_target(exchange)}WARC-Payload-Digest: {payload_digest}\r\n{truncated}"
        f"{_resource_type(resource_type)}"
        f"Content-Type: {_RESPONSE_TYPE}\r\n"
    )
    if exchange.entity is not exchange.body:
        fields += _block_digest(exchange.head, exchange.body)
    return _record("response", record_id, date, fields, exchange.head, exchange.body)


def identical(
    exchange: Exchange,
    date: str,
    record_id: str,
    payload_digest: str,
    original: Original,
    resource_type: str = "",
) -> bytes:
    """A revisit: the payload is that of an earlier response."""
    fields = (
        f"{_target(exchange)}WARC-Payload-Digest: {payload_digest}\r\nWARC-Profile: {IDENTICAL}\r\n"
        f"WARC-Refers-To: {original.record_id}\r\nWARC-Refers-To-Target-URI: {original.url}\r\n"
        f"WARC-Refers-To-Date: {original.date}\r\nWARC-Truncated: length\r\n"
        f"{_resource_type(resource_type)}Content-Type: {_RESPONSE_TYPE}\r\n"
    )
    return _record("revisit", record_id, date, fields, exchange.head)


def not_modified(exchange: Exchange, date: str, record_id: str) -> bytes:
    """A revisit: the server says that the page is as before."""
    fields = (
        f"{_target(exchange)}WARC-Profile: {NOT_MODIFIED}\r\nWARC-Refers-To-Target-URI: {exchange.url}\r\n"
        f"Content-Type: {_RESPONSE_TYPE}\r\n"
    )
    return _record("revisit", record_id, date, fields)


def metadata(exchange: Exchange, date: str, response_id: str, block: bytes) -> bytes:
    fields = (
        f"WARC-Target-URI: {exchange.url}\r\nWARC-Concurrent-To: {response_id}\r\n"
        f"Content-Type: {FIELDS_TYPE}\r\n"
    )
    return _record("metadata", new_id(), date, fields, block)


def note(url: str, date: str, block: bytes) -> bytes:
    """A metadata record without a response (warc/note.py)."""
    return _record(
        "metadata", new_id(), date, f"WARC-Target-URI: {url}\r\nContent-Type: {FIELDS_TYPE}\r\n", block
    )


def _target(exchange: Exchange) -> str:
    address = f"WARC-IP-Address: {exchange.address}\r\n" if exchange.address else ""
    return f"WARC-Target-URI: {exchange.url}\r\n{address}"


def _resource_type(name: str) -> str:
    return f"{RESOURCE_TYPE}: {name}\r\n" if name else ""


def _block_digest(*block: bytes) -> str:
    return f"WARC-Block-Digest: {digest(*block)}\r\n"


def _record(kind: str, record_id: str, date: str, fields: str, *block: bytes) -> bytes:
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {record_id}\r\nWARC-Date: {date}\r\n{fields}"
        f"Content-Length: {sum(map(len, block))}\r\n\r\n"
    )
    return b"".join((head.encode(), *block, b"\r\n\r\n"))
