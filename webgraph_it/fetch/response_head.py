"""The head of an HTTP/1 response: status line and headers, read tolerantly (pure).

Guarantees: raises nothing but `BadResponse`, whatever the bytes. Names are in Scrapy's spelling (`Content-Type`);
values are in order and stripped, with folded lines joined. Lines that are not headers are skipped.
"""

import re

Headers = dict[bytes, list[bytes]]


class BadResponse(Exception):
    """Not an HTTP response, or more than the limits allow. `reason` is its name in the stats."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def read_head(head: bytes, header_count: int) -> tuple[bytes, int, Headers]:
    """Version, status and headers of a head (without the empty line at its end)."""
    lines = head.splitlines()
    if len(lines) > header_count:
        raise BadResponse("header-count", f"more than {header_count} headers")
    match = _STATUS_LINE.match(lines[0])
    if match is None:
        raise BadResponse("not-http", f"not an HTTP status line: {lines[0][:80]!r}")
    return match[1] or b"1.0", int(match[2]), _read_headers(lines)


def _read_headers(lines: list[bytes]) -> Headers:
    headers: Headers = {}
    values: list[bytes] = []
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if name not in _SPELLING:
            if line[:1] in _FOLD:
                if values:
                    values[-1] += b" " + line.strip()
                continue
            if not colon:
                continue
        name = _SPELLING.get(name) or _spelling(name)
        if name in headers:
            values = headers[name]
            values.append(value.strip())
        else:
            headers[name] = values = [value.strip()]
    return headers


_STATUS_LINE = re.compile(rb"[^\S\r\n]*HTTP(?:/([0-9]+(?:\.[0-9]+)?))?[^\S\r\n]+([0-9]{3})", re.IGNORECASE)
_STATUS_LINE_IN_JUNK = re.compile(
    rb"^[^\S\r\n]*(?:HTTP)(?:/[0-9.]+)?[^\S\r\n]+[0-9]", re.IGNORECASE | re.MULTILINE
)
_FOLD = (b" ", b"\t")


def status_line_start(data: bytes) -> int:
    """Where the status line begins, after any junk; -1 if it has not arrived yet."""
    if data.startswith(b"HTTP/"):
        return 0
    match = _STATUS_LINE_IN_JUNK.search(data)
    return match.start() if match else -1


def head_end(data: bytes, start: int) -> tuple[int, int]:
    """Where the first empty line begins and ends, with or without CR; -1 if it has not arrived yet."""
    end = data.find(b"\n\r\n", start)
    bare = data.find(b"\n\n", start, end + 1) if end >= 0 else data.find(b"\n\n", start)
    return (bare, bare + 2) if bare >= 0 else (end, end + 3)


_SPELLING: dict[bytes, bytes] = {}
"""Names as received → as Scrapy's Headers spell them."""
_MAX_SPELLINGS = 2000


def _spelling(name: bytes) -> bytes:
    spelt = name.strip().title()
    if len(_SPELLING) < _MAX_SPELLINGS and len(name) < 64:
        _SPELLING[name] = spelt
    return spelt
