"""The graph writer as an item pipeline: a Page is recorded in one step, or not at all.

    page log ─► links to the frontier, URL list ─► lease ends ─► shard record ─► tally     (no await in between)

The commit (crawl/commit.py) takes everything between two pages, so frontier and shards always agree. A page with
tens of thousands of links would keep everybody waiting: it is recorded in slices, with `step` held, which the
commit and the pages after it take, too. So the lines of a page in the URL list stand together, except for seeds that
were loaded meanwhile, and in the order of the page log: repair (repair/discovery.py) builds on that.

An exception inside the step (a writer that fails, a damaged frontier) leaves them in disagreement: the page is finished
in the frontier and perhaps not in the shards. Neither can be undone in memory, but the last commit is whole. So the
scheduler is told that the crawl is broken, nothing more is recorded, and CrawlExtension stops without committing: what
was done since the last commit is done again by the next run.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from scrapy.utils.misc import load_object

from webgraph_it.graph.committed import unpacked
from webgraph_it.graph.tally import Tally
from webgraph_it.graph.writer import Durable, Shards
from webgraph_it.items import Link, Page, State

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Added(Protocol):
    """What the frontier says of links that were added (frontier.records.Added)."""

    @property
    def new(self) -> list[Link]: ...
    @property
    def cut(self) -> Sequence[tuple[Link, State, str, int]]: ...
    @property
    def uncut(self) -> Sequence[State]: ...


PARENTS = (State.FETCHED, State.REDIRECT)
OUTSIDE = "outside-scope"
"""Reason of the lines for what is found outside the graph and waits to be fetched."""
LINKS_AT_ONCE = 500
"""Links that are recorded without a pause: ten milliseconds or so, if all are new hosts."""


class GraphPipeline:
    """Writes the three streams of a crawl."""

    shards: Shards
    tally: Tally
    committed: dict[str, Durable]
    """The files of the runs before this one."""

    def __init__(
        self, crawler: "Crawler", directory: Path, buffers: dict[str, int], writer_class: Any
    ) -> None:
        self._crawler = crawler
        self._directory = directory
        self._buffers = buffers
        self._writer_class = writer_class
        self.step = asyncio.Lock()
        """Held while a page is half recorded. First come, first served: neither pages nor commits starve."""

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        settings = crawler.settings
        graph, urls = settings.getint("GRAPH_BUFFER"), settings.getint("URLS_BUFFER")
        return cls(
            crawler,
            Path(settings["JOBDIR"]),
            {"graph": graph, "urls": urls, "pages": graph},
            load_object(settings["GRAPH_WRITER"]),
        )

    def open_spider(self) -> None:
        scheduler: Any = self._crawler.engine.scheduler
        self._scheduler = scheduler
        self.committed = unpacked(scheduler.frontier.get_meta("shards"))
        self.shards = Shards(self._directory, self.committed, self._buffers, self._writer_class)
        self.tally = Tally(scheduler.frontier.get_meta("tally"))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Page):
            if self.shards.full:
                await self.shards.room()
            if len(item.links) <= LINKS_AT_ONCE and not self.step.locked():
                self.record(item)
            else:
                await self._record_in_slices(item)
        return item

    def record(self, page: Page) -> None:
        """The one step of a page: all of it, or the crawl has failed. After a failure it does nothing."""
        if self._may_record(page):
            with self._whole_step():
                for _ in self._slices(page):
                    pass

    async def _record_in_slices(self, page: Page) -> None:
        """The same; others may run in between, but no commit, and no other page is recorded."""
        async with self.step:
            if self._may_record(page):
                with self._whole_step():
                    for _ in self._slices(page):
                        await asyncio.sleep(0)
                        if self.shards.full:
                            await self.shards.room()

    def _may_record(self, page: Page) -> bool:
        if self._scheduler.ended:
            return False
        if not self._scheduler.is_leased(page):
            raise ValueError(f"{page.url} is not leased: it was recorded before, or nobody asked for it")
        return True

    @contextmanager
    def _whole_step(self) -> Iterator[None]:
        """What leaves it half way, a cancellation too, ends the crawl."""
        try:
            yield
        except BaseException as error:
            self._scheduler.fail(error)
            raise

    def _slices(self, page: Page) -> Iterator[None]:
        """Yields between two slices of the links. Only the last one ends the lease."""
        no_arcs = page.fetch_only | page.followed
        children = [link.digest for link in page.links if link.digest not in no_arcs]
        is_parent = page.in_graph and page.state in PARENTS
        self._log(page_line(page, len(children) if is_parent else 0))
        page_trap = self._scheduler.content_trap(page)
        for first in range(0, len(page.links), LINKS_AT_ONCE):
            if first:
                yield
            added = self._scheduler.add_links(page, page.links[first : first + LINKS_AT_ONCE], page_trap)
            self._record_new(added, page.fetch_only, page.depth + 1, page.key)
            if page.fetch_only:
                self._log_outside(page, added)
        self._scheduler.finish(page)
        if is_parent:
            self.shards["graph"].write(sequence(page.digest, children))
        self.tally.count(page, len(children), is_parent=is_parent)

    def record_seeds(self, links: Sequence[Link], fetch_only: frozenset[bytes]) -> Added:
        """Seeds are nodes before any page points to them: one step, like a page's."""
        if self._scheduler.ended:
            raise ValueError("seeds were given to a crawl that has ended")
        with self._whole_step():
            added: Added = self._scheduler.frontier.add_seeds(links, self._scheduler.now())
            self._record_new(added, fetch_only, 0, "")
            self.tally.states.subtract(added.uncut)
        return added

    def _record_new(self, added: Added, fetch_only: frozenset[bytes], depth: int, via: str) -> None:
        """What the frontier met for the first time goes to the URL list; what it cut, to the page log."""
        self._write_urls(added.new, fetch_only)
        for link, state, reason, host_depth in added.cut:
            self._log(cut_line(link, state, reason, depth, via, host_depth))
            self.tally.count_cut(state, reason)

    def _log_outside(self, page: Page, added: Any) -> None:
        """What is to be fetched but is no node stands in no URL list: the page log keeps it for a repair."""
        cut = {each.link.digest for each in added.cut}
        for link in added.new:
            if link.digest in page.fetch_only and link.digest not in cut:
                host_depth = page.host_depth + 1 if same_host(link.key, page.key) else 0
                line = cut_line(link, State.NEVER_TRIED, OUTSIDE, page.depth + 1, page.key, host_depth)
                self._log(line)

    def _write_urls(self, links: Iterable[Link], fetch_only: frozenset[bytes]) -> None:
        lines = "".join([f"{link.key}\t{link.url}\n" for link in links if link.digest not in fetch_only])
        if lines:
            self.shards["urls"].write(lines.encode("ascii"))

    def _log(self, line: str) -> None:
        self.shards["pages"].write(line.encode())


def sequence(parent: bytes, children: list[bytes]) -> bytes:
    """A parent (first bit 1) followed by its children (first bit 0)."""
    return bytes((parent[0] | 0x80,)) + parent[1:] + b"".join(children)


def page_line(page: Page, links: int) -> str:
    """One line of the page log (docs/formats.md): JSON, written by hand because it is written for every page."""
    return (
        f'{{"key": {quoted(page.key)}, "url": {quoted(page.url)}, "time": {page.time:.3f}, '
        f'"status": {page.status}, "type": {quoted(page.media_type)}, "bytes": {page.size_bytes}, '
        f'"digest": "{page.content_digest}", "depth": {page.depth}, "via": {quoted(page.via)}, '
        f'"links": {links}, "address": "{page.address}", "state": "{page.state}", '
        f'"reason": {quoted(page.reason)}, "seconds": {page.seconds:.3f}, "host_depth": {page.host_depth}}}\n'
    )


def cut_line(link: Link, state: State, reason: str, depth: int, via: str, host_depth: int = 0) -> str:
    """A node that was found and not fetched."""
    page = Page(
        link.url, link.key, link.digest, 0.0, state, 0, depth, via, reason=reason, host_depth=host_depth
    )
    return page_line(page, 0)


def same_host(key: str, other: str) -> bool:
    """By their keys."""
    return key.partition(")")[0] == other.partition(")")[0]
