"""Who owns a site: site → one of 1,024 slices → a member. Pure.

    it,unipd,dei ─► it,unipd ─► slice 0x2f1 ─► member 3

A site is the registrable domain, private suffixes counted: two blogs of altervista.org are two sites. So a host, all
its ports and every host that shares a quota with it have one owner. The slice of a site never changes, as long as the
public suffix list stays the same. Which member has which slices is a table in crawl.json. A change of size moves
slices, and moves as few of them as possible.

The table as text has the slices of each member as ranges: {"1": "0-511", "2": "512-700,702-1023"}.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from webgraph_it.files.received import shown
from webgraph_it.urls.domains import site_of

SLICES = 1024
MAX_MEMBERS = SLICES
HOSTS_REMEMBERED = 50_000
"""About 8 MB when full."""

Table = tuple[int, ...]
"""The member of each slice."""


class TableError(ValueError):
    """A table of slices that cannot be read, in one sentence."""


def slice_of_site(site: str) -> int:
    return int.from_bytes(blake2b(site.encode(), digest_size=8).digest(), "big") % SLICES


@lru_cache(maxsize=HOSTS_REMEMBERED)
def slice_of_host(host: str) -> int:
    """The slice of a host, given as labels of a key."""
    return slice_of_site(site_of(host))


def slice_of(key: str) -> int:
    """The slice of a page, by its key."""
    return slice_of_host(key[: key.index(")")])


class Owners:
    """Answers who owns a page, from one table. 0.2 µs for a host that was asked for before."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __repr__(self) -> str:
        return f"<Owners {len(set(self.table))} members>"

    def owner(self, key: str) -> int:
        """The member that owns the page."""
        return self.table[slice_of_host(key[: key.index(")")])]


def balanced(size: int) -> Table:
    """The table of a new fleet: as many slices for each member, in one range."""
    return tuple(number * size // SLICES + 1 for number in range(SLICES))


def rebalanced(table: Table, members: Sequence[int]) -> Table:
    """The same slices for these members. Only slices of members with too many, or of none of these, move."""
    wanted = {
        member: (place + 1) * SLICES // len(members) - place * SLICES // len(members)
        for place, member in enumerate(members)
    }
    kept: list[int] = []
    for member in table:
        keeps = wanted.get(member, 0) > 0
        kept.append(member if keeps else 0)
        if keeps:
            wanted[member] -= 1
    spare = iter([member for member, count in wanted.items() for _ in range(count)])
    return tuple(member or next(spare) for member in kept)


def as_text(table: Table) -> dict[str, str]:
    """The table as crawl.json has it."""
    found: dict[str, list[str]] = {}
    ends = [0, *(i for i in range(1, SLICES) if table[i] != table[i - 1]), SLICES]
    for first, end in pairwise(ends):
        found.setdefault(str(table[first]), []).append(f"{first}-{end - 1}")
    return {member: ",".join(found[member]) for member in sorted(found, key=int)}


def from_text(text: object) -> Table:
    """The inverse. TableError unless every slice has one member."""
    if not isinstance(text, Mapping):
        raise TableError(f"{shown(text)} is not a table of slices; expected: members and their ranges.")
    owners = [0] * SLICES
    for member, ranges in text.items():
        for number in _numbers(member, ranges):
            if owners[number]:
                raise TableError(f"slice {number} has two members, {owners[number]} and {member}.")
            owners[number] = int(member)
    if 0 in owners:
        raise TableError(f"slice {owners.index(0)} has no member.")
    return tuple(owners)


def _numbers(member: object, ranges: object) -> Iterable[int]:
    try:
        assert 0 < int(str(member)) <= MAX_MEMBERS
        for each in str(ranges).split(","):
            first, _, last = each.partition("-")
            assert 0 <= int(first) <= int(last) < SLICES
            yield from range(int(first), int(last) + 1)
    except (ValueError, AssertionError):
        raise TableError(
            f"{shown(ranges)} are not the slices of member {shown(member)}; expected: ranges such as 0-511."
        ) from None
