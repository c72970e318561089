"""What the crawl process and a worker say to each other over their socket (both ends are one build).

A request is  `<II` lengths of head and body, head (JSON: url, media type, charset, headers, nofollow), body.
A reply is    `<III` length of meta, length of names, number of links n; meta (JSON: refused, nofollow,
              reason, media type, content digest); n bytes of kind numbers; n digests of 16 bytes; names, as
              ASCII lines:
              n URLs and n keys (neither can hold a line feed).
READY, a reply with nothing in it, is what a worker says first.

Nothing here can run code: a worker that a document has taken over can at worst lie about links.
"""

import json
import struct
from itertools import repeat

from webgraph_it.extract.records import KINDS, Document, Extraction
from webgraph_it.items import Link

REQUEST = struct.Struct("<II")
REPLY = struct.Struct("<III")
READY = REPLY.pack(0, 0, 0)
LARGEST_REPLY_BYTES = 1 << 28
_DIGEST_BYTES = 16
_META_FIELDS = 5
_NUMBER_OF_KIND = {kind: number for number, kind in enumerate(KINDS)}


def request(document: Document) -> bytes:
    """A document as a frame, without its body, which follows as it is."""
    headers = [(name, value.decode("latin-1")) for name, value in document.headers]
    head = (document.url, document.media_type, document.charset, headers, document.nofollow)
    encoded = json.dumps(head).encode()
    return REQUEST.pack(len(encoded), len(document.body)) + encoded


def document(head: bytes, body: bytes) -> Document:
    """What `request` was made of."""
    url, media_type, charset, headers, nofollow = json.loads(head)
    pairs = tuple((name, value.encode("latin-1")) for name, value in headers)
    return Document(body, url, media_type, charset, pairs, nofollow)


def reply(extraction: Extraction) -> bytes:
    """An extraction as a frame."""
    links = extraction.links
    meta = json.dumps(
        (
            extraction.refused,
            extraction.nofollow,
            extraction.reason,
            extraction.media_type,
            extraction.content_digest,
        )
    ).encode()
    kinds = bytes([_NUMBER_OF_KIND[link.kind] for link in links])
    digests = b"".join([link.digest for link in links])
    names = "\n".join([link.url for link in links] + [link.key for link in links]).encode("ascii")
    return b"".join((REPLY.pack(len(meta), len(names), len(links)), meta, kinds, digests, names))


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
    meta = json.loads(frame[REPLY.size : kinds_at])
    if len(meta) != _META_FIELDS:
        raise ValueError(f"a reply has {len(meta)} facts; expected {_META_FIELDS}")
    if not count:
        return Extraction((), *meta)
    names = frame[names_at:].decode("ascii").split("\n")
    if len(names) != 2 * count:
        raise ValueError(f"a reply of {count} links has {len(names)} names; expected {2 * count}")
    digests = [frame[at : at + _DIGEST_BYTES] for at in range(digests_at, names_at, _DIGEST_BYTES)]
    kinds = [KINDS[number] for number in frame[kinds_at:digests_at]]
    rows = zip(names[:count], names[count:], digests, kinds, strict=True)
    links = tuple(map(tuple.__new__, repeat(Link), rows))  # a third of the time of calling Link
    return Extraction(links, *meta)
