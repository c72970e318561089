"""What is remembered about a page for its next visit, byte by byte.

    v <digest 16>     VISIT_HEAD, then the ETag, then the Last-Modified

There is a row for every page that was fetched or redirected, also after it is gone. Nothing else has one.
"""

import struct
from collections.abc import Sequence
from hashlib import md5
from typing import NamedTuple

VISIT = b"v"
VISIT_HEAD = struct.Struct(">BddIf8s8sIIQIBB")
"""flags (1 gone, 2 the body was cut, 4 a redirect, 8 planned: it waits for a re-visit, 16 its ETag lied); last visit
and last change (seconds since 1970); visits; ΣC; first 8 bytes of the digest of the link set, and of the content;
link policy; where its last sequence is in graph/: file number (0: nowhere), byte offset, links; lengths of ETag and
Last-Modified."""
GONE, BODY_CUT, REDIRECT, PLANNED, LIED = 1, 2, 4, 8, 16
MAX_VALIDATOR_BYTES = 128
"""A longer ETag or Last-Modified is not kept."""
SHORT_DIGEST_BYTES = 8


class Visit(NamedTuple):
    """A row. Its first visit sets `last_change`, too."""

    flags: int
    last_visit: float
    last_change: float
    visits: int
    """Visits that showed the page or that it is gone. Failed ones do not count."""
    changes: float
    """ΣC: the sum of `change` over its re-visits."""
    links_digest: bytes
    content_digest: bytes
    """Eight zero bytes for an empty body."""
    policy: int
    """Of the settings that decide what a link is. With another policy, equal bodies may have other links."""
    file_number: int
    offset: int
    links: int
    """Children in that sequence."""
    etag: bytes = b""
    last_modified: bytes = b""

    @property
    def is_gone(self) -> bool:
        return bool(self.flags & GONE)

    @property
    def is_planned(self) -> bool:
        return bool(self.flags & PLANNED)


def packed_visit(visit: Visit) -> bytes:
    etag, last_modified = visit.etag, visit.last_modified
    return VISIT_HEAD.pack(*visit[:-2], len(etag), len(last_modified)) + etag + last_modified


def visit_of(packed: bytes) -> Visit:
    *fields, etag_bytes, last_modified_bytes = VISIT_HEAD.unpack_from(packed)
    etag_end = VISIT_HEAD.size + etag_bytes
    last_modified = packed[etag_end : etag_end + last_modified_bytes]
    return Visit._make((*fields, packed[VISIT_HEAD.size : etag_end], last_modified))


def links_digest(children: Sequence[bytes]) -> bytes:
    """Of a set of links, whatever their order: the first bytes of the MD5 of the sorted node digests."""
    return md5(b"".join(sorted(children)), usedforsecurity=False).digest()[:SHORT_DIGEST_BYTES]


def change_of(before: set[bytes], now: set[bytes]) -> float:
    """C = 1 - |before ∩ now| / |before ∪ now|; 1 if both are empty."""
    union = len(before | now)
    return 1 - len(before & now) / union if union else 1.0
