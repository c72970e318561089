"""One capture becomes a visit: the step of a page, for pages that come from archives.

    known newer or equal       left out, and counted
    never found                a node without a linking page, as a seed is
    known, and older           a re-visit, as in a crawl (crawl/revisit.py): changed, unchanged, or gone
    a revisit record           unchanged, if its page is known. Otherwise its payload is that of another capture
                               (archives store equal payloads once), which is looked up and read again

All of it goes through the Recorder of the crawl.
"""

from dataclasses import replace
from pathlib import Path
from typing import Final

from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.scoping import judge as judge_scope
from webgraph_it.crawl.sitemaps import followed, judge_sitemap, sitemap_document, sitemap_page
from webgraph_it.crawl.visit import READ, document_of, judge, page_of
from webgraph_it.extract.workers import WorkerPool
from webgraph_it.frontier.harvest import Harvest, Known
from webgraph_it.frontier.leases import Leases
from webgraph_it.frontier.records import Lease
from webgraph_it.ingest.ledger import Ledger, Taken
from webgraph_it.ingest.originals import Originals
from webgraph_it.ingest.reader import cap_of
from webgraph_it.ingest.reading import INDEX, LIST, NO_PAGE, NOT_MODIFIED, Reader, Reading, lease_of
from webgraph_it.ingest.records import Record
from webgraph_it.ingest.replies import reply_of
from webgraph_it.items import Link, Page, State
from webgraph_it.urls import Name, name
from webgraph_it.urls.scope import Verdict
from webgraph_it.urls.sitemaps import as_sitemap

PAGES: Final = "pages"
AGAIN: Final = "pages-again"
OLDER: Final = "not-newer"
ROBOTS: Final = "robots-txt"
UNCHANGED: Final = "unchanged"
TOLD: Final = "told"
NO_ORIGIN: Final = "unchanged/original-not-here"
"""Counters beside the reasons of reading.py. A page is also in `pages` when it comes again."""
MAX_KNOWN: Final = 37_000
"""Nodes remembered as in scope, as in a crawl (engine/scope_middlewares.py)."""


class Captures:
    """Records the readings of all files."""

    def __init__(
        self,
        harvest: Harvest,
        recorder: Recorder,
        leases: Leases,
        reader: Reader,
        workers: WorkerPool,
        ledger: Ledger,
        folder: Path,
    ) -> None:
        self._harvest = harvest
        self._recorder = recorder
        self._leases = leases
        self._reader = reader
        self._workers = workers
        self._ledger = ledger
        self._originals = Originals(folder, cap_of(reader.limits))
        self._workers_open = False
        self._known_in: set[bytes] = set()
        self._followed_only = reader.policy.followed - reader.policy.arcs
        self.time = 0.0
        """Of the capture that is being recorded."""

    async def take(self, reading: Reading, file: int, taken: Taken) -> None:
        """Record or count one reading. Awaits nothing after the first change."""
        if not reading.url:
            taken.counts[reading.reason] += 1
            return
        place = name(reading.url)
        if not isinstance(place, Name):
            taken.counts["damaged/bad-reply"] += 1
            return
        if reading.sitemap:
            place = as_sitemap(place)
        known = self._harvest.captured(place.digest)
        if reading.is_told:
            self._take_told(reading, place, known, taken)
            return
        if not reading.state:
            await self._take_unchanged(reading, place, known, taken)
            return
        if reason := self._why_not(reading, place, known):
            taken.counts[reason] += 1
            if reason == ROBOTS and reading.state == State.REDIRECT:
                self._harvest.set_for_robots(reading.extraction.links[0].digest)
            return
        lease = self._lease(place, known, reading.time)
        page = _page(reading, lease, self._followed_only)
        self._record(_of_sitemap(page, lease, reading.sitemap) if reading.sitemap else page)
        if reading.origin and reading.position >= 0:
            self._harvest.set_origin(bytes.fromhex(reading.origin), file, reading.position)
        taken.counts[PAGES] += 1
        if known is not None and known.time:
            taken.counts[AGAIN] += 1

    def _why_not(self, reading: Reading, place: Name, known: Known | None) -> str:
        if known is None and self._is_for_robots(place):
            return ROBOTS
        if known is not None and known.time and reading.time <= known.time:
            return OLDER
        verdict = self._reader.scope.verdict(place.key, place.url)
        return "" if verdict.fetchable else f"scope/{verdict.reason}"

    def _is_for_robots(self, place: Name) -> bool:
        """Whether it was fetched for its rules: robots.txt, and where it redirects to. It is a page only if one links
        to it."""
        return place.key.endswith(")/robots.txt") or self._harvest.is_for_robots(place.digest)

    def _lease(self, place: Name, known: Known | None, when: float) -> Lease:
        """From here to the end of `_record` nothing is awaited."""
        self.time = when or 1.0
        if known is None:
            self._find(place)
        elif known.was_cut is not None:
            self._recorder.tally.states.subtract((known.was_cut,))
        lease = self._harvest.lease(place.digest, place.key)
        self._leases.out[place.digest] = lease
        return lease

    def _find(self, place: Name) -> None:
        """A node that no earlier capture links to."""
        verdict = self._reader.scope.verdict(place.key, place.url)
        outside = frozenset((place.digest,)) if verdict is Verdict.FETCH_ONLY else frozenset()
        self._recorder.record_seeds((Link(*place, "seed"),), outside)

    def _record(self, page: Page) -> None:
        known = self._known_in
        if not (page.digest in known and known.issuperset([link.digest for link in page.links])):
            page, _ = judge_scope(page, self._reader.scope, known)
            if len(known) > MAX_KNOWN:
                known.clear()
            if page.in_graph:
                known.add(page.digest)
            exceptions = page.fetch_only.union(page.traps)
            known.update([link.digest for link in page.links if link.digest not in exceptions])
        self._recorder.record(page)

    def _take_told(self, reading: Reading, place: Name, known: Known | None, taken: Taken) -> None:
        """Log why there is no capture. The node stays one that was never captured: `--continue` queues it."""
        state = State(reading.state)
        if known is not None and (known.time or known.was_cut is state):
            taken.counts[NO_PAGE] += 1
            return
        if known is None:
            self._find(place)
        lease = self._harvest.lease(place.digest, place.key)
        is_cut = state in (State.TRAP_CUT, State.QUOTA_CUT)
        page = _page(reading, lease, frozenset())
        self._recorder.record_told(replace(page, time=0.0) if is_cut else page)
        taken.counts[TOLD] += 1

    # -- revisits -------------------------------------------------------------------------------------------

    async def _take_unchanged(self, reading: Reading, place: Name, known: Known | None, taken: Taken) -> None:
        if reason := self._why_not(reading, place, known):
            taken.counts[reason] += 1
            return
        visit = self._harvest.visit(place.digest) if known is not None and known.time else None
        if visit is not None and not visit.is_gone:
            lease = self._lease(place, known, reading.time)
            self._record(_unchanged(reading, lease))
            taken.counts[UNCHANGED] += 1
            return
        page = await self._page_of_origin(reading, place)
        if page is None:
            taken.counts[NO_ORIGIN] += 1
            return
        lease = self._lease(place, known, reading.time)
        page = replace(page, depth=lease.depth, via=lease.via, host_depth=lease.host_depth)
        if reading.sitemap and not page.followed:
            page = _of_sitemap(page, lease, INDEX)
        self._record(page)
        taken.counts[PAGES] += 1

    async def _page_of_origin(self, reading: Reading, place: Name) -> Page | None:
        """The page with the payload of another capture; None if that is not there, or is no document."""
        origin = self._harvest.origin(bytes.fromhex(reading.origin)) if reading.origin else None
        if origin is None:
            return None
        record = self._record_at(*origin, reading.origin)
        if record is None:
            return None
        reply = reply_of(record._replace(time=reading.time), place.url, self._reader.limits)
        lease = lease_of(place)
        judged = judge_sitemap if reading.sitemap else judge
        if isinstance(reply, str) or judged(reply, lease, may_retry=True) is not READ:
            return None
        if not self._workers_open:
            await self._workers.open()
            self._workers_open = True
        if reading.sitemap:
            return sitemap_page(reply, lease, await self._workers.extract(sitemap_document(reply)))
        extraction = await self._workers.extract(document_of(reply))
        return page_of(reply, lease, extraction, self._followed_only, self._reader.max_links)

    def _record_at(self, file: int, position: int, origin: str) -> Record | None:
        try:
            return self._originals.find(Path(self._ledger.files[file - 1].path), position, origin)
        except OSError:  # the file is no longer there
            return None

    async def close(self) -> None:
        self._originals.close()
        if self._workers_open:
            await self._workers.close()


def _page(reading: Reading, lease: Lease, followed_only: frozenset[str]) -> Page:
    extraction = reading.extraction
    links = extraction.links
    return Page(
        url=reading.url,
        key=lease.key,
        digest=lease.digest,
        time=reading.time,
        state=State(reading.state),
        status=reading.status,
        depth=lease.depth,
        via=lease.via,
        links=links,
        media_type=extraction.media_type,
        size_bytes=reading.size_bytes,
        content_digest=extraction.content_digest,
        address=reading.address,
        reason=reading.reason,
        host_depth=lease.host_depth,
        etag=reading.etag.encode("latin-1", "replace"),
        last_modified=reading.last_modified.encode("latin-1", "replace"),
        body_cut=reading.body_cut,
        followed=frozenset([link.digest for link in links if link.kind in followed_only])
        if followed_only
        else frozenset(),
    )


def _of_sitemap(page: Page, lease: Lease, kind: str) -> Page:
    """What it lists is followed and is no arc. What it leads to, if that is a sitemap, is fetched as one."""
    if kind == LIST:
        return replace(page, followed=frozenset([link.digest for link in page.links]))
    names = (name(link.url) for link in page.links)
    sitemaps = [each for each in names if isinstance(each, Name)]
    return replace(page, links=tuple(followed(sitemaps, lease)), followed=frozenset())


def _unchanged(reading: Reading, lease: Lease) -> Page:
    """A re-visit that found what was known."""
    return Page(
        reading.url,
        lease.key,
        lease.digest,
        reading.time,
        State.UNCHANGED,
        NOT_MODIFIED,
        lease.depth,
        lease.via,
        host_depth=lease.host_depth,
    )
