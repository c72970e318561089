"""Note: what the page log says of a URL that no reply tells. It is a metadata record of its own.

    state: robots-denied
    status: 0
    reason: dns-nxdomain

Written for pages without a reply, for errors (a reply does not tell that it was the last try), and for nodes that were
cut. An ingest of the archive learns from it why a node was not fetched. The record has no WARC-Concurrent-To.
"""

import re
from typing import NamedTuple

from webgraph_it.items import Page, State
from webgraph_it.urls.sitemaps import is_sitemap

STATES = frozenset((State.ROBOTS_DENIED, State.ERROR, State.TRAP_CUT, State.QUOTA_CUT))
_BLOCK = re.compile(rb"state: ([a-z-]{1,20})\r\nstatus: (\d{1,3})\r\nreason: ([a-z0-9./-]{0,60})\r\n")


class Note(NamedTuple):
    url: str
    time: float
    """0 for a node that was cut: nothing was tried."""
    state: State
    status: int
    reason: str

    @property
    def size_bytes(self) -> int:
        """Memory that it holds, about."""
        return 300

    @property
    def block(self) -> bytes:
        return f"state: {self.state}\r\nstatus: {self.status}\r\nreason: {self.reason}\r\n".encode()


def note_of(page: Page) -> Note | None:
    """None if its reply tells all, and for a sitemap, which is no node."""
    if page.state not in STATES or is_sitemap(page.key):
        return None
    return Note(page.url, page.time, page.state, page.status, page.reason)


def read(url: str, time: float, block: bytes) -> Note | None:
    """None if the block of a metadata record is anything else."""
    found = _BLOCK.fullmatch(block)
    if found is None or found[1].decode() not in STATES:
        return None
    return Note(url, time, State(found[1].decode()), int(found[2]), found[3].decode())
