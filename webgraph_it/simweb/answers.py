"""From a page to the bytes of an HTTP response, and how they are sent.

Pure: the same page, request and visit give the same answer. The server (http_server.py) only sends it.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from http.client import responses

import brotli

from webgraph_it.simweb.pages import Delivery, Page

SLOW_PIECES = 8
SLOW_PAUSE_SECONDS = 0.02
RETRY_AFTER_SECONDS = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """What to send. With a status of 0 nothing is sent."""

    status: int
    data: bytes
    keep: bool = True
    """Whether the connection may serve the next request."""
    reset: bool = False
    """End with a reset instead of an orderly close."""
    delay_seconds: float = 0.0
    pieces: int = 1
    """Send the data in this many pieces, with a pause before each."""
    script: Callable[[], Iterator[tuple[float, bytes]]] | None = None
    """After the data, alternating pauses (in seconds) and bytes, possibly without end."""


def without_body(whole: Answer) -> Answer:
    """The answer to HEAD."""
    head, separator, _ = whole.data.partition(b"\r\n\r\n")
    return replace(whole, data=head + separator)


def not_modified(headers: tuple[tuple[str, str], ...]) -> Answer:
    """The answer to a conditional request for a page that is the same."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return Answer(304, f"HTTP/1.1 304 Not Modified\r\n{lines}\r\n".encode("latin-1"))


RESET = Answer(0, b"", keep=False, reset=True)


def answer(page: Page, accept_encoding: str, first_visit: bool) -> Answer:
    """The response of a page."""
    delivery = page.delivery
    if delivery.fault and first_visit:
        return _fault(delivery.fault)
    body = page.body()
    coding = _coding(delivery.coding, accept_encoding)
    headers = [("Content-Type", page.media_type), *page.headers]
    if coding:
        body = _CODERS[delivery.coding](body)
        headers.append(("Content-Encoding", coding))
    data = _message(page.status, headers, body, delivery)
    return Answer(
        page.status,
        data,
        keep=delivery.framing in ("length", "chunked"),
        delay_seconds=delivery.delay_seconds,
        pieces=SLOW_PIECES if delivery.slow else 1,
    )


def short(
    status: int, text: str, headers: tuple[tuple[str, str], ...] = (), *, media_type: str = "text/plain"
) -> Answer:
    """A short text response."""
    body = text.encode()
    lines = [("Content-Type", f"{media_type}; charset=utf-8"), *headers]
    return Answer(status, _message(status, lines, body, Delivery()))


def _fault(fault: str) -> Answer:
    if fault == "reset":
        return RESET
    return short(int(fault), "Riprovare tra poco.\n", (("Retry-After", str(RETRY_AFTER_SECONDS)),))


# -- content codings ----------------------------------------------------------------------------------------


def _raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


_CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: gzip.compress(body, 6, mtime=0),
    "deflate": lambda body: zlib.compress(body, 6),
    "raw-deflate": _raw_deflate,
    "br": lambda body: brotli.compress(body, quality=4),
}


def _coding(wanted: str, accept_encoding: str) -> str:
    """The name of the coding in the header, if the client accepts it. Otherwise the body is not encoded."""
    name = "deflate" if wanted == "raw-deflate" else wanted
    accepted = [part.partition(";")[0].strip().lower() for part in accept_encoding.split(",")]
    return name if name in accepted else ""


# -- framing ------------------------------------------------------------------------------------------------


def _message(status: int, headers: list[tuple[str, str]], body: bytes, delivery: Delivery) -> bytes:
    version = "1.0" if delivery.framing == "http10" else "1.1"
    reason = responses.get(status, "")
    lines = [f"HTTP/{version} {status} {reason}"]
    lines += [f"{name}: {value}" for name, value in headers]
    lines += _framing_lines(delivery.framing, len(body))
    if delivery.odd_headers:
        lines = _odd(lines)
    start = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
    return start + (_chunked(body) if delivery.framing == "chunked" else body)


def _framing_lines(framing: str, length: int) -> list[str]:
    if framing == "length":
        return [f"Content-Length: {length}"]
    if framing == "chunked":
        return ["Transfer-Encoding: chunked"]
    if framing == "http10":
        return []
    stated = {"close": length, "too-long": length + 500, "too-short": length - length // 10}[framing]
    return [f"Content-Length: {stated}", "Connection: close"]


def _chunked(body: bytes) -> bytes:
    sizes = (1, 700, 4096)
    chunks, at, turn = [], 0, 0
    while at < len(body):
        piece = body[at : at + sizes[turn % len(sizes)]]
        chunks.append(b"%x\r\n%b\r\n" % (len(piece), piece))
        at, turn = at + len(piece), turn + 1
    return b"".join(chunks) + b"0\r\n\r\n"


def _odd(lines: list[str]) -> list[str]:
    """Headers that real servers send: no reason, Latin-1, empty values, no space, repeated, very long."""
    first = lines[0].rsplit(" ", 1)[0] + " " if lines[0].endswith("OK") else lines[0]
    extra = ["Server:Città/1.0", "X-Vuoto:", "x-lower: sì", "X-Due: 1", "X-Due: 2", "X-Lungo: " + "a" * 6000]
    return [first, *extra, *lines[1:]]
