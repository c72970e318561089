"""The protocol between the crawl process and a worker (both ends are the same version).

A request is  `<II` lengths of head and body, head (a line of JSON: media type, charset, headers, nofollow; then
              the URL), body.
A reply is    `<III` length of meta, length of names, number of links n; meta (JSON: refused, nofollow,
              reason, media type); n bytes of kind numbers; names, as ASCII lines: the content digest, n URLs
              (none can contain a line feed) and, if there are any and room for them, `anchors` and JSON.
A worker's first message is `ready`: a reply without names and links whose meta lists the measures of its sandbox.
The JSON is the same for most pages, so both ends cache some of it.

A worker reads untrusted documents, so the crawl process does not trust its replies. `extraction` returns only
- links whose URLs are http(s), with only the characters of a normal form and a valid DNS name; their keys and digests
  are computed here, from the URL, so none can break a shard, the URL list or the scope;
- at most MAX_LINKS, of MAX_LINK_BYTES in all, each key once;
- anchors of these links, in order, with clean texts of limited length;
- known reasons and refusals, valid counts, and a media type that was declared or can be detected.
Anything else is a ValueError. A worker that a document has taken over can still lie about which links there are, and
spell them as no parser of ours would (`/a/../b`).
"""

import json
import re
import struct
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, repeat

from webgraph_it.extract.anchors import MAX_TEXTS, clean
from webgraph_it.extract.records import (
    KINDS,
    MAX_LINK_BYTES,
    MAX_LINKS,
    NO_ANCHORS,
    REASONS,
    REFUSALS,
    Anchors,
    Document,
    Extraction,
)
from webgraph_it.extract.sandbox import MEASURES
from webgraph_it.extract.table import DETECTABLE
from webgraph_it.items import Link
from webgraph_it.urls.names import digest, keys_of_normal

REQUEST = struct.Struct("<II")
REPLY = struct.Struct("<III")
MAX_META_BYTES = 4096
_MAX_NAMES_BYTES = MAX_LINK_BYTES + 64
_ANCHORS = "anchors "
"""Beginning of the line of anchors."""
_MAX_REFUSED = 10_000_000
_REMEMBERED = 64
"""A small number, because a server may send 64 KB of headers."""
_NUMBER_OF_KIND = {kind: number for number, kind in enumerate(KINDS)}


def ready(measures: Iterable[str]) -> bytes:
    """A worker's first message: it is ready, and these measures are in force."""
    meta = json.dumps(list(measures)).encode()
    return REPLY.pack(len(meta), 0, 0) + meta


def measures(frame: bytes) -> tuple[str, ...]:
    """The inverse of `ready`. Raises ValueError for anything else."""
    _, names, count = REPLY.unpack_from(frame)
    found = json.loads(frame[REPLY.size :])
    if names or count or type(found) is not list or not all(measure in MEASURES for measure in found):
        raise ValueError("an unknown first message")
    return tuple(found)


def request(document: Document) -> bytes:
    """A document as a frame, without its body, which follows unchanged."""
    body, url, *facts = document
    head = _encoded_facts(*facts) + url.encode()
    return REQUEST.pack(len(head), len(body)) + head


@lru_cache(_REMEMBERED)
def _encoded_facts(
    media_type: str, charset: str | None, headers: tuple[tuple[str, bytes], ...], nofollow: bool
) -> bytes:
    texts = [(name, value.decode("latin-1")) for name, value in headers]
    return json.dumps((media_type, charset, texts, nofollow)).encode() + b"\n"


def document(head: bytes, body: bytes) -> Document:
    """The inverse of `request`."""
    facts, _, url = head.partition(b"\n")
    return Document(body, url.decode(), *_facts(facts))


@lru_cache(_REMEMBERED)
def _facts(encoded: bytes) -> tuple[str, str | None, tuple[tuple[str, bytes], ...], bool]:
    media_type, charset, headers, nofollow = json.loads(encoded)
    return media_type, charset, tuple((name, value.encode("latin-1")) for name, value in headers), nofollow


def reply(extraction: Extraction) -> bytes:
    """An extraction as a frame, without keys and digests. Links beyond the limits are left out."""
    links, refused, *others, content_digest, anchors = extraction
    meta = _encoded_meta(tuple(refused.items()), *others)
    urls, _, _, kinds = zip(*links, strict=True) if links else ((), (), (), ())
    names = "\n".join((content_digest, *urls)).encode("ascii")
    if len(links) > MAX_LINKS or len(names) > _MAX_NAMES_BYTES:
        return reply(_shortened(extraction))
    if anchors != NO_ANCHORS:
        line = f"\n{_ANCHORS}{json.dumps(anchors)}".encode("ascii")
        names += line if len(names) + len(line) <= _MAX_NAMES_BYTES else b""
    head = REPLY.pack(len(meta), len(names), len(links))
    return b"".join((head, meta, bytes(map(_NUMBER_OF_KIND.__getitem__, kinds)), names))


def _shortened(extraction: Extraction) -> Extraction:
    """Needed because 50,000 short references and one long base make a quarter of a gigabyte."""
    ends = list(accumulate(len(link.url) + 1 for link in extraction.links))
    count = min(bisect_right(ends, MAX_LINK_BYTES), MAX_LINKS)
    texts, nofollow = extraction.anchors
    anchors = Anchors(
        tuple(row for row in texts if row[0] < count), tuple(number for number in nofollow if number < count)
    )
    return extraction._replace(links=extraction.links[:count], reason="too-many-links", anchors=anchors)


@lru_cache(_REMEMBERED)
def _encoded_meta(
    refused: tuple[tuple[str, int], ...], nofollow: bool, reason: str, media_type: str
) -> bytes:
    return json.dumps((dict(refused), nofollow, reason, media_type)).encode()


def reply_length(received: bytearray, at: int) -> int:
    """The length of the reply that starts at `at`. Raises ValueError if it is longer than a worker may send."""
    meta, names, count = REPLY.unpack_from(received, at)
    if meta > MAX_META_BYTES or names > _MAX_NAMES_BYTES or count > MAX_LINKS:
        raise ValueError(f"a reply of {count} links, {meta} and {names} bytes; more than a worker may send")
    return int(REPLY.size + meta + names + count)


def extraction(frame: bytes, declared: str = "") -> Extraction:
    """The inverse of `reply`, for a document of that media type. Raises ValueError for anything else."""
    try:
        return _extraction(frame, declared)
    except (struct.error, IndexError, TypeError, RecursionError) as error:
        raise ValueError(f"a malformed reply: {error}") from error


def _extraction(frame: bytes, declared: str) -> Extraction:
    meta_length, _, count = REPLY.unpack_from(frame)
    kinds_at = REPLY.size + meta_length
    names_at = kinds_at + count
    refused, nofollow, reason, media_type = _meta(frame[REPLY.size : kinds_at])
    if media_type != declared and media_type not in DETECTABLE:
        raise ValueError(
            f"the media type {media_type[:80]!r}; expected the declared one or one that can be detected"
        )
    content_digest, *urls = frame[names_at:].decode("ascii").split("\n")
    anchors = NO_ANCHORS
    if len(urls) == count + 1 and urls[-1].startswith(_ANCHORS):
        anchors = _anchors(urls.pop().removeprefix(_ANCHORS), count)
    if len(urls) != count:
        raise ValueError(f"a reply of {count} links has {len(urls)} URLs")
    if content_digest and not _HEX_DIGEST.fullmatch(content_digest):
        raise ValueError("a malformed content digest")
    kinds = [KINDS[number] for number in frame[kinds_at:names_at]]
    keys = keys_of_normal(urls)
    if len(set(keys)) != count:
        raise ValueError("a reply names a target twice")
    rows = zip(urls, keys, map(digest, keys), kinds, strict=True)
    links = tuple(map(tuple.__new__, repeat(Link), rows))  # takes a third of the time of calling Link
    return Extraction(links, refused, nofollow, reason, media_type, content_digest, anchors)


def _anchors(encoded: str, count: int) -> Anchors:
    texts, nofollow = json.loads(encoded)
    rows = tuple([(number, text) for number, text in texts])
    if len(rows) > MAX_TEXTS or not all(
        type(text) is str and text and clean(text) == text for _, text in rows
    ):
        raise ValueError("a reply with texts that are not clean")
    for numbers in ([number for number, _ in rows], nofollow):
        if not all(type(number) is int and 0 <= number < count for number in numbers):
            raise ValueError(f"a reply of {count} links with anchors of others")
    if list(rows) != sorted(set(rows)) or nofollow != sorted(set(nofollow)) or not (rows or nofollow):
        raise ValueError("a reply with anchors that are not in order")
    return Anchors(rows, tuple(nofollow))


_HEX_DIGEST = re.compile("[0-9a-f]{32}")


@lru_cache(_REMEMBERED)
def _meta(encoded: bytes) -> tuple[dict[str, int], bool, str, str]:
    refused, nofollow, reason, media_type = json.loads(encoded)
    if not (
        type(refused) is dict and type(nofollow) is bool and type(media_type) is str and reason in REASONS
    ):
        raise ValueError(f"a reply that says {encoded[:200]!r}")
    for name, number in refused.items():
        if name not in REFUSALS or type(number) is not int or not 0 <= number <= _MAX_REFUSED:
            raise ValueError(f"a reply that says {encoded[:200]!r}")
    return refused, nofollow, reason, media_type
