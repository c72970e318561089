"""Links to sites of other members: written to the stream `links/` when this member sees them first.

The owner of the site queues them, writes them to its URL list and decides whether a limit cuts them. Here they are
only remembered as seen, so that each is written once. That happens in the page's one step (crawl/record.py).
"""

from collections.abc import Sequence

from webgraph_it.fleet.log import lines_of
from webgraph_it.fleet.slices import Table, slice_of
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.items import Link
from webgraph_it.shards.formats import LINKS_FOLDER
from webgraph_it.shards.writer import Shards


class Outbox:
    """The log of a member. A position in it is a byte offset since the crawl began."""

    def __init__(self, member: int, table: Table, frontier: Frontier, shards: Shards, end: int) -> None:
        self._member = member
        self._table = table
        self._frontier = frontier
        self._shards = shards
        self.end = end
        """Where the next line begins."""
        self.links = 0
        """Written in this run."""

    def __repr__(self) -> str:
        return f"<Outbox of member {self._member}: {self.end} bytes>"

    def owns(self, key: str) -> bool:
        """Whether this member owns the page."""
        return self._table[slice_of(key)] == self._member

    def keep_own(
        self,
        links: Sequence[Link],
        depth: int,
        via: str,
        *,
        is_copy: bool = False,
        outside: frozenset[bytes] = frozenset(),
    ) -> Sequence[Link]:
        """The links of a page that this member owns. Those of others are logged, if they are new.

        `depth` is that of the links, `via` the key of the page. `is_copy`: the page is one copy too many. `outside`:
        digests of links that are not nodes.
        """
        table, member = self._table, self._member
        page_host = via[: via.find(")") + 1] or ")"  # of a seed: what no key begins with
        own: list[Link] = []
        others: list[Link] = []
        for link in links:
            is_own = link.key.startswith(page_host) or table[slice_of(link.key)] == member
            (own if is_own else others).append(link)
        if others and (new := self._frontier.mark_seen(others)):
            pairs = [(slice_of(link.key), link) for link in new]
            lines = lines_of(pairs, depth, via, is_copy=is_copy, outside=outside)
            self._shards[LINKS_FOLDER].write(lines)
            self.end += len(lines)
            self.links += len(new)
        return own
