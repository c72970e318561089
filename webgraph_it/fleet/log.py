"""Lines of a member's link log (shards/formats.py has them byte by byte): writing, choosing, reading.

    2f1 TAB 4 TAB same-content TAB it,unipd)/corsi TAB http://www.esempio.it/ LF

The line does not say which member it is for: that is in the table of slices, so a log stays valid when the fleet
changes its size.

A reader trusts nothing here. A line that is malformed is a LogError. Names and scope are computed again by whoever
applies it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from webgraph_it.fleet.exchange import Span
from webgraph_it.fleet.slices import SLICES, Table
from webgraph_it.fleet.transport import MAX_BATCH_BYTES
from webgraph_it.items import Link
from webgraph_it.shards.formats import LINK_COPY, LINK_OUTSIDE, LINKS_FOLDER, file_name

MARKS = frozenset((LINK_COPY, LINK_OUTSIDE))
_LINE = re.compile(r"[0-3][0-9a-f]{2}\t([0-9]{1,5})\t([a-z,-]{0,30})\t([!-~]*)\t([!-~]+)\n")


class LogError(ValueError):
    """Bytes that are not lines of a link log."""


class Found(NamedTuple):
    """A link, as its finder describes it."""

    depth: int
    is_copy: bool
    """The page is one copy too many, so the link is not fetched. Only the finder knows that."""
    via: str
    url: str


def lines_of(
    links: Iterable[tuple[int, Link]],
    depth: int,
    via: str,
    *,
    is_copy: bool = False,
    outside: Set[bytes] = frozenset(),
) -> bytes:
    """The lines of some links of one page; each link comes with its slice. `outside`: digests of those that are not
    nodes."""
    copy = LINK_COPY if is_copy else ""
    copy_outside = f"{LINK_COPY},{LINK_OUTSIDE}" if is_copy else LINK_OUTSIDE
    end = f"\t{via}\t"
    return "".join(
        [
            f"{slice_:03x}\t{depth}\t{copy_outside if link.digest in outside else copy}{end}{link.url}\n"
            for slice_, link in links
        ]
    ).encode("ascii")


def lines_for(data: bytes, table: Table, receiver: int) -> bytes:
    """Those whole lines of `data` whose slice belongs to the receiver."""
    digits = _digits(table, receiver)
    return b"".join([line for line in data.splitlines(keepends=True) if line[:3] in digits])


@lru_cache(maxsize=16)
def _digits(table: Table, receiver: int) -> frozenset[bytes]:
    """The slices of a member, as lines have them."""
    return frozenset(f"{number:03x}".encode() for number in range(SLICES) if table[number] == receiver)


def found_in(lines: bytes) -> Iterator[Found]:
    """The links of some whole lines."""
    text, at = lines.decode("latin-1"), 0
    for match in _LINE.finditer(text):
        if match.start() != at:
            break
        at = match.end()
        depth, marks, via, url = match.groups()
        if via and ")" not in via:
            raise LogError("a line names a page without a host")
        yield _new(Found, (int(depth), marks != "" and _is_copy(marks), via, url))
    if at != len(text):
        raise LogError(f"a line of {len(text[at:].splitlines()[0])} bytes is not a link")


_new = tuple.__new__  # what Found() calls, without the call in between


def _is_copy(marks: str) -> bool:
    given = marks.split(",")
    if not MARKS.issuperset(given):
        raise LogError("a line has an unknown mark")
    return LINK_COPY in given


def read_range(
    member: Path, log: Sequence[Span], begin: int, most: int = MAX_BATCH_BYTES
) -> tuple[int, bytes]:
    """Whole lines of a member's log from `begin` on: where they end, and the lines.

    At most `most` bytes, unless the first line is longer. Nothing, if the log ends there or no longer begins there.
    """
    for number, start, end in log:
        if start <= begin < end:
            try:
                with (member / LINKS_FOLDER / file_name(LINKS_FOLDER, number)).open("rb") as file:
                    file.seek(begin - start)
                    data = file.read(min(most, end - begin))
                    if b"\n" not in data:
                        data += file.read(end - begin - len(data))
                        data = data[: data.find(b"\n") + 1]
            except FileNotFoundError:
                return begin, b""
            whole = data[: data.rfind(b"\n") + 1]
            return begin + len(whole), whole
    return begin, b""
