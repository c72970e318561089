"""The streams of a crawl directory, record by record, each with its end position.

Reading stops at the end of the part, or at the first incomplete record: what a crash tore is not a record.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from webgraph_it.items import Link, Page, State
from webgraph_it.shards.formats import DIGEST_BYTES, PAGE_FIELDS, PARENT_BIT, Part
from webgraph_it.urls.names import digest

NOT_TRIED = (State.TRAP_CUT, State.QUOTA_CUT, State.NEVER_TRIED)
"""States of lines that belong to the page that found the node."""


class Place(NamedTuple):
    """A position: the number of bytes of the part with this index, after all of the parts before it."""

    part: int
    offset: int


START = Place(0, 0)


class Logged(NamedTuple):
    """A line of the page log."""

    page: Page
    links: int
    start: Place
    end: Place
    change: float = 0.0
    """Of a re-visit."""

    @property
    def was_tried(self) -> bool:
        return self.page.state not in NOT_TRIED


class Listed(NamedTuple):
    """A line of the URL list."""

    link: Link
    end: Place


class Sequence16(NamedTuple):
    """A parent and its children."""

    parent: bytes
    children: list[bytes]
    end: Place


def logged(parts: Sequence[Part]) -> Iterator[Logged]:
    """The page log."""
    for line, start, end in _lines(parts):
        try:
            found = json.loads(line)
            page, links, change = _page(found), int(found["links"]), float(found.get("change", 0))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            return
        yield Logged(page, links, start, end, change)


def listed(parts: Sequence[Part]) -> Iterator[Listed]:
    """The URL list."""
    for line, _, end in _lines(parts):
        key, tab, url = line.rstrip(b"\n").decode("ascii", "replace").partition("\t")
        if not tab or ")" not in key:
            return
        yield Listed(Link(url, key, digest(key), ""), end)


def sequences(parts: Sequence[Part]) -> Iterator[Sequence16]:
    """The shards. The last sequence of a part may lack children. Only the page log tells how many there were."""
    for index, part in enumerate(parts):
        parent, children, offset = b"", list[bytes](), 0
        for record in chain(_records(part), (None,)):
            if record is None or record[0] & PARENT_BIT:
                if parent:
                    yield Sequence16(parent, children, Place(index, offset))
                if record is not None:
                    parent, children = bytes((record[0] & ~PARENT_BIT,)) + record[1:], []
            else:
                children.append(record)
            offset += DIGEST_BYTES


def _records(part: Part) -> Iterator[bytes]:
    with part.path.open("rb") as file:
        for _ in range(part.length // DIGEST_BYTES):
            record = file.read(DIGEST_BYTES)
            if len(record) < DIGEST_BYTES:
                return
            yield record


def _lines(parts: Sequence[Part]) -> Iterator[tuple[bytes, Place, Place]]:
    for index, part in enumerate(parts):
        offset = 0
        with part.path.open("rb") as file:
            for line in file:
                start, offset = offset, offset + len(line)
                if start >= part.length:
                    break
                if offset > part.length or not line.endswith(b"\n"):
                    return
                yield line, Place(index, start), Place(index, offset)


def _page(found: dict[str, Any]) -> Page:
    """The page of a line. Fields that older logs do not have are empty."""
    key = found["key"]
    assert PAGE_FIELDS[0] == "key"
    return Page(
        url=found["url"],
        key=key,
        digest=digest(key),
        time=float(found["time"]),
        state=State(found["state"]),
        status=int(found["status"]),
        depth=int(found["depth"]),
        via=found["via"],
        media_type=found["type"],
        size_bytes=int(found["bytes"]),
        content_digest=found["digest"],
        address=found["address"],
        reason=found["reason"],
        seconds=float(found.get("seconds", 0.0)),
        host_depth=int(found.get("host_depth", 0)),
    )
