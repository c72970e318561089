"""Links of PDF files: URI actions, in plain objects and in compressed object streams.

A linear reader of our own: it needs no cross-reference table, so it also reads damaged and truncated files, and
every decompression is bounded. (pypdf, the oracle in our tests, is far slower and trusts the file.)
Not read: encrypted files (reason `encrypted`), and other streams (page content, images, metadata).
An action that a later revision of the file replaced is still a link.
"""

import re
from collections.abc import Iterator

from webgraph_it.extract.bounded import Budget, inflated
from webgraph_it.extract.records import Found
from webgraph_it.extract.viewer import opened

_STREAM = re.compile(rb"stream\r?\n")
_URI = re.compile(rb"/URI\s*+([(<])(?!<)")
_BASE = re.compile(rb"/URI\s*+<<\s*+/Base\s*+(\()")
_ENCRYPTED = re.compile(rb"/Encrypt\s+(?:[0-9]+\s+[0-9]+\s+R|<<)")
_SPECIAL = re.compile(rb"[()\\]")
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|\r\n|(.))", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b""}
_NOT_HEX = re.compile(rb"[^0-9A-Fa-f]+")
_LONGEST_URI_BYTES = 8192
_DICTIONARY_BYTES = 4096
_DEEPEST_PARENTHESES = 5
_MAX_URIS = 200_000


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The URI actions of a PDF, in the order of the file."""
    budget = Budget(limit_steps=_MAX_URIS)
    texts = list(_object_texts(body, budget))
    if any(_ENCRYPTED.search(text) for text in texts):
        return Found((), base, reason="encrypted")
    uris = [(opened(uri), "document", "") for text in texts for uri in _uris(text, _URI, budget)]
    own_base = next((uri for text in texts for uri in _uris(text, _BASE, budget)), base)
    return Found(uris, own_base if own_base.startswith("http") else base, reason=budget.reason)


def _object_texts(body: bytes, budget: Budget) -> Iterator[bytes]:
    """The text of all objects: the file outside its streams, and the unpacked object streams."""
    position = 0
    while start := _STREAM.search(body, position):
        text = body[position : start.start()]
        yield text
        end = body.find(b"endstream", start.end())
        end = len(body) if end < 0 else end
        dictionary = text[-_DICTIONARY_BYTES:].rpartition(b" obj")[2]
        if b"/ObjStm" in dictionary:
            yield _unpacked(body[start.end() : end], dictionary, budget)
        position = end + len(b"endstream")
    yield body[position:]


def _unpacked(data: bytes, dictionary: bytes, budget: Budget) -> bytes:
    return inflated(data, budget) if b"Flate" in dictionary else data


def _uris(text: bytes, pattern: re.Pattern[bytes], budget: Budget) -> Iterator[str]:
    for match in budget.steps(pattern.finditer(text)):
        raw = _literal(text, match.end()) if match[1] == b"(" else _hexadecimal(text, match.end())
        if raw:
            yield _characters(raw)


def _literal(text: bytes, start: int) -> bytes:
    """A string in parentheses: balanced ones inside it count, escaped ones do not."""
    depth, position, last = 1, start, start + _LONGEST_URI_BYTES
    while special := _SPECIAL.search(text, position, last):
        position = special.end()
        if special[0] == b"\\":
            position += 1
        else:
            depth += 1 if special[0] == b"(" else -1
        if depth == _DEEPEST_PARENTHESES:
            break
        if not depth:
            return _ESCAPE.sub(_unescaped, text[start : special.start()])
    return b""


def _unescaped(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return bytes((int(escape[1], 8) & 0xFF,))
    return _ESCAPED.get(escape[2], escape[2]) if escape[2] else b""


def _hexadecimal(text: bytes, start: int) -> bytes:
    end = text.find(b">", start, start + 2 * _LONGEST_URI_BYTES)
    digits = _NOT_HEX.sub(b"", text[start:end]) if end >= 0 else b""
    return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii"))


def _characters(raw: bytes) -> str:
    """URIs are ASCII by the standard, but writers also use UTF-16, UTF-8 and Latin-1."""
    if raw.startswith(b"\xfe\xff"):
        return raw[2:].decode("utf-16-be", "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
