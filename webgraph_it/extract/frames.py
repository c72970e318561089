"""What the crawl process and a worker say to each other over their socket (both ends are one build).

A request is  `<II` lengths of head and body, head (a line of JSON: media type, charset, headers, nofollow; then
              the URL), body.
A reply is    `<III` length of meta, length of names, number of links n; meta (JSON: refused, nofollow,
              reason, media type); n bytes of kind numbers; n digests of 16 bytes; names, as ASCII lines:
              the content digest, n URLs and n keys (none can hold a line feed).
READY, a reply with nothing in it, is what a worker says first.
The JSON is the same for most pages, so both ends remember some of it.

Nothing here can run code: a worker that a document has taken over can at worst lie about links.
"""

import json
import struct
from functools import lru_cache
from itertools import repeat

from webgraph_it.extract.records import KINDS, Document, Extraction
from webgraph_it.items import Link

REQUEST = struct.Struct("<II")
REPLY = struct.Struct("<III")
READY = REPLY.pack(0, 0, 0)
LARGEST_REPLY_BYTES = 1 << 28
_DIGEST_BYTES = 16
_REMEMBERED = 64
"""Few: a server may send 64 KB of headers."""
_NUMBER_OF_KIND = {kind: number for number, kind in enumerate(KINDS)}


def request(document: Document) -> bytes:
    """A document as a frame, without its body, which follows as it is."""
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
    """What `request` was made of."""
    facts, _, url = head.partition(b"\n")
    return Document(body, url.decode(), *_facts(facts))


@lru_cache(_REMEMBERED)
def _facts(encoded: bytes) -> tuple[str, str | None, tuple[tuple[str, bytes], ...], bool]:
    media_type, charset, headers, nofollow = json.loads(encoded)
    return media_type, charset, tuple((name, value.encode("latin-1")) for name, value in headers), nofollow


def reply(extraction: Extraction) -> bytes:
    """An extraction as a frame."""
    links, refused, *others, content_digest = extraction
    meta = _encoded_meta(tuple(refused.items()), *others)
    urls, keys, digests, kinds = zip(*links, strict=True) if links else ((), (), (), ())
    names = "\n".join((content_digest, *urls, *keys)).encode("ascii")
    head = REPLY.pack(len(meta), len(names), len(links))
    return b"".join((head, meta, bytes(map(_NUMBER_OF_KIND.__getitem__, kinds)), *digests, names))


@lru_cache(_REMEMBERED)
def _encoded_meta(
    refused: tuple[tuple[str, int], ...], nofollow: bool, reason: str, media_type: str
) -> bytes:
    return json.dumps((dict(refused), nofollow, reason, media_type)).encode()


def reply_length(received: bytearray, at: int) -> int:
    """How long the reply is that starts there. Raises ValueError if no worker of ours would say so much."""
    meta, names, count = REPLY.unpack_from(received, at)
    length = int(REPLY.size + meta + names + count * (1 + _DIGEST_BYTES))
    if length > LARGEST_REPLY_BYTES:
        raise ValueError(f"a reply of {length} bytes; expected at most {LARGEST_REPLY_BYTES}")
    return length


def extraction(frame: bytes) -> Extraction:
    """What `reply` was made of. Raises ValueError for what no worker of ours says."""
    try:
        return _extraction(frame)
    except (struct.error, IndexError, TypeError, RecursionError) as error:
        raise ValueError(f"a reply that no worker of ours makes: {error}") from error


def _extraction(frame: bytes) -> Extraction:
    meta_length, _, count = REPLY.unpack_from(frame)
    kinds_at = REPLY.size + meta_length
    digests_at = kinds_at + count
    names_at = digests_at + count * _DIGEST_BYTES
    meta = _meta(frame[REPLY.size : kinds_at])
    content_digest, *names = frame[names_at:].decode("ascii").split("\n")
    if len(names) != 2 * count:
        raise ValueError(f"a reply of {count} links has {len(names)} names; expected {2 * count}")
    digests = [frame[at : at + _DIGEST_BYTES] for at in range(digests_at, names_at, _DIGEST_BYTES)]
    kinds = [KINDS[number] for number in frame[kinds_at:digests_at]]
    rows = zip(names[:count], names[count:], digests, kinds, strict=True)
    links = tuple(map(tuple.__new__, repeat(Link), rows))  # a third of the time of calling Link
    return Extraction(links, *meta, content_digest)


@lru_cache(_REMEMBERED)
def _meta(encoded: bytes) -> tuple[dict[str, int], bool, str, str]:
    refused, nofollow, reason, media_type = json.loads(encoded)
    return refused, nofollow, reason, media_type
