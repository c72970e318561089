"""Recording a page is one step: the page is recorded completely, or not at all.

    page log ─► links to the frontier, URL list ─► lease ends ─► shard record, archive ─► tally   (no await in between)

The commit (crawl/commit.py) takes everything between two pages, so frontier and shards always agree. A page with
tens of thousands of links would block the event loop, so it is recorded in slices while it holds `step`, a lock that
the commit and later pages take too. So the lines of a page in the URL list are contiguous, except for seeds loaded
meanwhile, and in the order of the page log. repair (repair/discovery.py) relies on that.

An exception inside the step (a writer that fails, a damaged frontier) makes frontier and shards disagree: the page is
done in the frontier and perhaps not in the shards. Neither can be undone in memory, but the last commit is whole. So
`Leases.fail` is called, nothing more is recorded, and the crawl stops without a commit. The next run repeats what was
done since the last commit.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from webgraph_it.crawl.outbox import Outbox
from webgraph_it.crawl.reasons import BUSY_STATUSES, failure_of
from webgraph_it.crawl.revisit import KILL_POINTS, NO_PLACE, UNKNOWN_POLICY, Revisit, first_visit, revisited
from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.leases import Leases
from webgraph_it.frontier.records import Added, Cut, Failure, Outcome
from webgraph_it.frontier.visits import Visit
from webgraph_it.items import PARENTS, Exchange, Link, Page, State
from webgraph_it.killpoint import reached
from webgraph_it.shards.encode import anchor_lines, cut_line, page_line, sequence, url_lines
from webgraph_it.shards.formats import ANCHORS_FOLDER
from webgraph_it.shards.writer import Place, Shards
from webgraph_it.urls.sitemaps import is_sitemap
from webgraph_it.warc.capture import Capture, capture_of
from webgraph_it.warc.note import Note, note_of

LEAVES_STATE = (State.UNCHANGED, State.REVISIT_FAILED)
"""Re-visits after which a node is what it was."""
OUTSIDE = "outside-scope"
"""Reason in the page log for a URL outside the graph that is waiting to be fetched."""
LINKS_AT_ONCE = 500
"""Links that are recorded without a pause: about ten milliseconds, if all are on new hosts."""


class Archive(Protocol):
    """The stream `warc` (warc/writer.py)."""

    def write(self, capture: Capture | Note) -> None: ...


class Recorder:
    """Ends leases: queues the links of a page, writes the streams of a crawl, and counts."""

    def __init__(
        self,
        frontier: Frontier,
        leases: Leases,
        now: Callable[[], float],
        shards: Shards,
        tally: Tally,
        link_policy: int = UNKNOWN_POLICY,
        archive: Archive | None = None,
    ) -> None:
        """`link_policy`: a number of the settings that decide what a link is (crawl/link_rules.py).
        `archive`: one of the streams of `shards`; None if the crawl writes none."""
        self._link_policy = link_policy
        self._frontier = frontier
        self._leases = leases
        self._now = now
        self.shards = shards
        self.tally = tally
        self._keeps_anchors = ANCHORS_FOLDER in shards
        self.archive = archive
        self._cut_notes: list[Note] = []
        """Of nodes that the present step has cut. In the archive they come after the page that links to them."""
        self.step = asyncio.Lock()
        """Held while a page is partly recorded. First come, first served, so neither pages nor commits starve."""
        self.outbox: Outbox | None = None
        """Takes the links that belong to another member of a fleet."""
        self.recent: deque[str] = deque(maxlen=0)
        """The last lines of the page log, oldest first. Who wants to show them gives it a length."""

    def __repr__(self) -> str:
        return f"<Recorder {self.tally.pages} pages, {self.tally.links} links>"

    async def take(self, page: Page) -> None:
        """Wait until the writer has room, then record the page; in slices if it has many links."""
        if self.shards.full:
            await self.shards.room()
        if len(page.links) <= LINKS_AT_ONCE and not self.step.locked():
            self.record(page)
        else:
            await self._record_in_slices(page)

    def record(self, page: Page) -> None:
        """Record the page in one step. If it cannot be completed, the crawl fails. After a failure it does nothing."""
        if self._may_record(page):
            with self._whole_step():
                for _ in self._slices(page):
                    pass

    def keep(self, exchange: Exchange) -> None:
        """Archive a reply that is not in the page log: robots.txt, or a reply after which the URL is fetched again.

        Call it in the same turn as the change of the frontier that the reply causes."""
        if self.archive is not None and not self._leases.ended:
            with self._whole_step():
                self.archive.write(capture_of(exchange))

    async def _record_in_slices(self, page: Page) -> None:
        """As `record`, but other tasks may run in between. No commit and no other page comes in between."""
        async with self.step:
            if self._may_record(page):
                with self._whole_step():
                    for _ in self._slices(page):
                        await asyncio.sleep(0)
                        if self.shards.full:
                            await self.shards.room()

    def _may_record(self, page: Page) -> bool:
        """False after a failure. Raises ValueError if a user's component made a second Page of one lease."""
        if self._leases.ended:
            return False
        if page.digest not in self._leases.out:
            raise ValueError(f"{page.url} is not leased: it was recorded before, or it was never handed out")
        return True

    @contextmanager
    def _whole_step(self) -> Iterator[None]:
        """Any exception inside, even a cancellation, ends the crawl."""
        try:
            yield
        except BaseException as error:
            self._leases.fail(error)
            raise

    def _slices(self, page: Page) -> Iterator[None]:
        """Yields between two slices of the links. Only the last one ends the lease."""
        no_arcs = page.fetch_only | page.followed
        children = [link.digest for link in page.links if link.digest not in no_arcs]
        again = self._revisited(page, children)
        page = page if again is None else again.page
        is_parent = page.in_graph and page.state in PARENTS
        line = page_line(page, len(children) if is_parent else 0) if again is None else again.line
        self._log(line)
        self.recent.append(line)
        page_trap = self._frontier.content_trap(page.key, page.content_digest) if again is None else ""
        for first in range(0, len(page.links), LINKS_AT_ONCE):
            if first:
                yield
            added = self._add_links(page, page.links[first : first + LINKS_AT_ONCE], page_trap)
            self._record_new(added, page.fetch_only, page.depth + 1, page.key)
            if page.fetch_only:
                self._log_waiting(added, page.fetch_only, page.depth + 1, page.key, page.host_depth)
        place = self.shards.write_sequence(sequence(page.digest, children)) if is_parent else NO_PLACE
        if is_parent and self._keeps_anchors and (lines := anchor_lines(page, children)):
            self.shards[ANCHORS_FOLDER].write(lines)
        row = self._row(page, children, again, place)
        self._frontier.done(self._leases.out.pop(page.digest), outcome_of(page, row), self._now())
        if self.archive is not None and page.exchange is not None:
            self.archive.write(capture_of(page.exchange, page))
        if self.archive is not None and again is None and (note := note_of(page)):
            self.archive.write(note)
        self._archive_cuts()
        if again is not None:
            reached(KILL_POINTS[again.name])
            self.tally.count_revisit(page, again.name, again.more_links)
        elif page.state is State.QUOTA_CUT:  # by a rule: it was not fetched
            self.tally.count_cut(page.state, page.reason)
        else:
            self.tally.count(page, len(children), is_parent=is_parent)
            if page.status in BUSY_STATUSES:
                self.tally.count_busy(page.key.partition(")")[0])

    def _row(
        self, page: Page, children: list[bytes], again: Revisit | None, place: tuple[int, int]
    ) -> Visit | None:
        """What to remember for the next visit. None if the page was not fetched, and for a sitemap, which is not
        visited again."""
        if again is None:
            is_kept = page.state in PARENTS and not is_sitemap(page.key)
            return first_visit(page, children, self._link_policy, place) if is_kept else None
        if place is NO_PLACE:
            return again.row
        return again.row._replace(file_number=place[0], offset=place[1])

    def _revisited(self, page: Page, children: list[bytes]) -> Revisit | None:
        """None if the page was never fetched before."""
        before = self._frontier.visit(page.digest) if self._leases.out[page.digest].is_revisit else None
        if before is None:
            return None

        def links_before() -> set[bytes] | None:
            found = self.shards.sequence_at(Place(before.file_number, before.offset), before.links)
            return set(found[1:]) if found and found[0][1:] == page.digest[1:] else None

        return revisited(page, before, children, self._link_policy, links_before)

    def _add_links(self, page: Page, links: Sequence[Link], page_trap: str) -> Added:
        """Add some links of the page to the frontier."""
        lease = self._leases.out[page.digest]
        if self.outbox is not None:
            links = self.outbox.keep_own(
                self._frontier.perhaps_new(links),
                lease.depth + 1,
                page.key,
                is_copy=bool(page_trap),
                outside=page.fetch_only,
            )
        return self._frontier.add(
            links,
            lease.depth + 1,
            page.key,
            self._now(),
            host_depth=lease.host_depth,
            traps=page.traps,
            page_trap=page_trap,
            texts=page.texts,
        )

    def record_found(
        self,
        links: Sequence[Link],
        depth: int,
        via: str,
        page_trap: str,
        traps: Mapping[bytes, str],
        fetch_only: frozenset[bytes],
    ) -> None:
        """Record links that another member of the fleet found, in one step. `depth` is that of the links."""
        if self._leases.ended:
            raise ValueError("links were given to a crawl that has ended")
        with self._whole_step():
            if not via:
                self._record_new(self._frontier.add_seeds(links, self._now()), fetch_only, 0, "")
                self._archive_cuts()
                return
            added = self._frontier.add(links, depth, via, self._now(), traps=traps, page_trap=page_trap)
            self._record_new(added, fetch_only, depth, via)
            self._archive_cuts()
            if fetch_only:
                self._log_waiting(added, fetch_only, depth, via)

    def record_seeds(self, links: Sequence[Link], fetch_only: frozenset[bytes]) -> Added:
        """Record seeds in one step, like a page. They are nodes before any page links to them."""
        if self._leases.ended:
            raise ValueError("seeds were given to a crawl that has ended")
        with self._whole_step():
            if self.outbox is not None:
                links = self.outbox.keep_own(links, 0, "", outside=fetch_only)
            added = self._frontier.add_seeds(links, self._now())
            self._record_new(added, fetch_only, 0, "")
            self._archive_cuts()
            self.tally.states.subtract(added.uncut)
        return added

    def record_sitemaps(self, links: Sequence[Link], depth: int) -> None:
        """Queue the sitemaps that a robots.txt names, in one step with what else is learnt from it."""
        if self._leases.ended or not links:
            return
        with self._whole_step():
            added = self._frontier.add(links, depth, "", self._now())
            self._record_new(added, frozenset(link.digest for link in links), depth, "")
            self._log_waiting(added, frozenset(link.digest for link in links), depth, "")

    def record_cuts(self, cuts: Iterable[tuple[Cut, int, str]]) -> None:
        """Record nodes that were found earlier and are cut now, each with its depth and the page that found it."""
        for (link, state, reason, host_depth), depth, via in cuts:
            self._log_cut(link, state, reason, depth, via, host_depth)
        self._archive_cuts()

    def record_told(self, page: Page) -> None:
        """Log what somebody else's page log said of a node. The frontier does not learn it: the node was not tried."""
        with self._whole_step():
            self._log(page_line(page, 0))

    def _log_cut(self, link: Link, state: State, reason: str, depth: int, via: str, host_depth: int) -> None:
        self._log(cut_line(link, state, reason, depth, via, host_depth))
        self.tally.count_cut(state, reason)
        if self.archive is not None and not is_sitemap(link.key):
            self._cut_notes.append(Note(link.url, 0.0, state, 0, reason))

    def _archive_cuts(self) -> None:
        """At the end of a step."""
        if self.archive is not None and self._cut_notes:
            for note in self._cut_notes:
                self.archive.write(note)
            self._cut_notes.clear()

    def _record_new(self, added: Added, fetch_only: frozenset[bytes], depth: int, via: str) -> None:
        """Write nodes that are new to the frontier to the URL list, and those that it cut to the page log."""
        nodes = [link for link in added.new if link.digest not in fetch_only] if fetch_only else added.new
        if nodes:
            self.shards["urls"].write(url_lines(nodes))
        for link, state, reason, host_depth in added.cut:
            self._log_cut(link, state, reason, depth, via, host_depth)

    def _log_waiting(
        self, added: Added, fetch_only: frozenset[bytes], depth: int, via: str, host_depth: int = 0
    ) -> None:
        """A URL that is fetched but is not a node is in no URL list, so the page log keeps it for a repair."""
        cut = {each.link.digest for each in added.cut}
        for link in added.new:
            if link.digest in fetch_only and link.digest not in cut:
                link_depth = host_depth + 1 if via and same_host(link.key, via) else 0
                self._log(cut_line(link, State.NEVER_TRIED, OUTSIDE, depth, via, link_depth))

    def _log(self, line: str) -> None:
        self.shards["pages"].write(line.encode())


def outcome_of(page: Page, visit: Visit | None = None) -> Outcome:
    """What a recorded page says about its host. A final failure counts like the earlier ones."""
    failure = failure_of(page.status, page.reason)
    return Outcome(
        failure=failure,
        fetched=bool(page.status) or failure is not Failure.NONE,
        duration_seconds=page.seconds,
        address=page.address,
        state=None if page.state in LEAVES_STATE else page.state,
        status=page.status,
        visit=visit,
    )


def same_host(key: str, other: str) -> bool:
    """Whether two keys are on the same host."""
    return key.partition(")")[0] == other.partition(")")[0]
