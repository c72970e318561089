"""Links that other members found on their pages and that belong to this one.

    batch ─► names, scope, owner ─► frontier, URL list, page log ─► cursor

A batch is applied in steps of a few hundred links, like a page with very many links. Its last step also moves the
cursor. A commit may fall between two steps. Then the batch comes again after a crash, and what was applied is known by
then. So every link is queued once, and the cursor is never ahead of the links.

Nothing in a batch is trusted: names are computed again, and what is out of scope, or not this member's, is dropped.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from webgraph_it.crawl.record import LINKS_AT_ONCE, Recorder
from webgraph_it.fleet.exchange import Cursor
from webgraph_it.fleet.log import Found, found_in
from webgraph_it.fleet.slices import Table, slice_of
from webgraph_it.fleet.transport import Batch
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.items import Link
from webgraph_it.killpoint import reached
from webgraph_it.shards.formats import LINK_COPY
from webgraph_it.urls.names import Name, Refusal, name_all
from webgraph_it.urls.scope import Scope, Verdict

META = "fleet-cursors"
OTHERS, UNNAMED = "not-ours", "unnamed"
"""Reasons to drop a link, besides those of the scope."""
ANY_BASE = "http://it/"
"""The URLs of a log are absolute. One that needs a base differs from its normal form, so it is dropped."""
_PAGE = itemgetter(*map(Found._fields.index, ("depth", "is_copy", "via")))
"""What the links of one page have in common."""


class Inbox:
    """Applies batches. `cursors` says how far each sender's log was taken in."""

    def __init__(
        self, member: int, table: Table, scope: Scope, frontier: Frontier, recorder: Recorder
    ) -> None:
        self._member = member
        self._table = table
        self._scope = scope
        self._frontier = frontier
        self._recorder = recorder
        found = json.loads(frontier.get_meta(META) or b"{}")
        self.cursors = {int(sender): Cursor(*cursor) for sender, cursor in found.items()}
        self.dropped: Counter[str] = Counter()
        """Links that no member should have sent, by reason."""
        self.links = 0
        """Applied in this run, known ones included."""

    def __repr__(self) -> str:
        return f"<Inbox of member {self._member}: {self.cursors}>"

    async def apply(self, batch: Batch) -> None:
        """Take in all of a batch. LogError if it is malformed: then nothing of it is applied."""
        found = list(found_in(batch.lines))
        self.links += len(found)
        for first in range(0, len(found), LINKS_AT_ONCE):
            some = found[first : first + LINKS_AT_ONCE]
            names = iter(name_all([each.url for each in some], ANY_BASE))
            for (depth, is_copy, via), group in groupby(some, _PAGE):
                links, traps, fetch_only = self._judged(via, zip(group, names, strict=False))
                if links:
                    page_trap = LINK_COPY if is_copy else ""
                    self._recorder.record_found(links, depth, via, page_trap, traps, fetch_only)
            await asyncio.sleep(0)
            if self._recorder.shards.full:
                await self._recorder.shards.room()
        self.cursors[batch.sender] = Cursor(batch.end, batch.epoch)
        self._frontier.put_meta(META, json.dumps(self.cursors).encode())
        reached("applied")

    def _judged(
        self, via: str, found: Iterable[tuple[Found, Name | Refusal]]
    ) -> tuple[list[Link], dict[bytes, str], frozenset[bytes]]:
        """Of the links of a page: those to add, those of them that are traps, and those that are not nodes.

        Most are known already, because several members find the same link. Only a known seed may change something."""
        links: list[Link] = []
        traps: dict[bytes, str] = {}
        fetch_only: set[bytes] = set()
        for each, named in found:
            if not isinstance(named, Name) or named.url != each.url:
                self.dropped[UNNAMED] += 1
                continue
            if self._table[slice_of(named.key)] != self._member:
                self.dropped[OTHERS] += 1
                continue
            if via and self._frontier.was_seen(named.digest):
                continue
            verdict = self._scope.verdict(named.key, named.url)
            if not (verdict.in_graph or verdict.fetchable):
                self.dropped[verdict.reason] += 1
                continue
            links.append(Link(*named, "link"))
            if verdict is not Verdict.IN and verdict.in_graph:
                traps[named.digest] = verdict.reason
            elif not verdict.in_graph:
                fetch_only.add(named.digest)
        return links, traps, frozenset(fetch_only)
