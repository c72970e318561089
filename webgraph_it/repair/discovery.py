"""Which page found which node: compares the URL list with the page log and the shards.

A page is recorded in one step. Its new nodes go to the URL list, its children to the shard, its line to the page
log. So the list consists of blocks, one per page, in the order of the log, and a child of a page is in its block or
before it. Seeds may be anywhere, because they are loaded while pages are recorded. So when a child of a page is met in
the list, all lines up to it had been found by then. Lines that are children of the page were found by the page. The
others were found by a page that writes no arcs (outside the graph), or are seeds.

Guarantees: every line comes out once, in order. The finder is exact if all finders write arcs. With pages
outside the graph, or with LINK_KINDS_FOLLOWED, it is the nearest possible page. That affects the depth of
a node, not whether it is a node.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from webgraph_it.items import PARENTS, Page
from webgraph_it.repair.streams import Listed, Logged, Sequence16

WINDOW_LINES = 50_000
"""Maximum number of lines of the list in memory. A page outside the graph with more new links hides the finders of
the lines after it."""


class Found(NamedTuple):
    """A line of the URL list and the page where the node was first found. None means a seed."""

    line: Listed
    finder: Page | None


def recorded(
    log: Iterable[Logged], shards: Iterable[Sequence16]
) -> Iterator[tuple[Logged, Sequence16 | None]]:
    """The lines of pages that were tried, each with its sequence, or None if it has none."""
    following = iter(shards)
    sequence = next(following, None)
    for line in log:
        if not line.was_tried:
            continue
        if sequence is not None and sequence.parent == line.page.digest and line.page.state in PARENTS:
            yield line, sequence
            sequence = next(following, None)
        else:
            yield line, None


def found(
    urls: Iterable[Listed],
    pages: Iterable[tuple[Logged, Sequence16 | None]],
    is_parent: Callable[[Page], bool],
    is_seed: Callable[[bytes], bool],
) -> Iterator[Found]:
    """Every line of the URL list with its finder. `is_parent`: whether the page's links were followed."""
    ahead = _Ahead(urls)
    for line in ahead.take_while(is_seed):
        yield Found(line, None)
    outside: Page | None = None
    for logged, sequence in pages:
        if sequence is None:
            outside = logged.page if is_parent(logged.page) else outside
            continue
        children = set(sequence.children)
        for line in ahead.take_seeds_in_the_way(children, is_seed):
            yield Found(line, None)
        for line in ahead.take_up_to(children):
            if line.link.digest in children:
                yield Found(line, logged.page)
            elif is_seed(line.link.digest):
                yield Found(line, None)
            else:
                yield Found(line, outside or logged.page)
    for line in ahead.take_while(lambda _: True):
        yield Found(line, None if is_seed(line.link.digest) else outside)


class _Ahead:
    """The next lines of the list, and the position of each node in them."""

    def __init__(self, urls: Iterable[Listed]) -> None:
        self._urls = iter(urls)
        self._lines: deque[Listed] = deque()
        self._places: dict[bytes, int] = {}
        self._taken = 0

    def take_while(self, wanted: Callable[[bytes], bool]) -> Iterator[Listed]:
        while self._fill() and wanted(self._lines[0].link.digest):
            yield self._take()

    def take_seeds_in_the_way(
        self, children: set[bytes], is_seed: Callable[[bytes], bool]
    ) -> Iterator[Listed]:
        """Seeds that were loaded between two pages, as long as they fill the window and no child is in it."""
        if not self._fill() or not self._places.keys().isdisjoint(children):
            return
        while len(self._lines) == WINDOW_LINES and is_seed(self._lines[0].link.digest):
            yield self._take()
            self._fill()
            if self._lines[-1].link.digest in children:
                return

    def take_up_to(self, children: set[bytes]) -> list[Listed]:
        """The lines up to the last child in the window. Empty if there is no child in it."""
        self._fill()
        last = max((self._places.get(child, -1) for child in children), default=-1)
        return [self._take() for _ in range(last + 1 - self._taken)]

    def _take(self) -> Listed:
        line = self._lines.popleft()
        del self._places[line.link.digest]
        self._taken += 1
        return line

    def _fill(self) -> bool:
        while len(self._lines) < WINDOW_LINES and (line := next(self._urls, None)) is not None:
            self._places[line.link.digest] = self._taken + len(self._lines)
            self._lines.append(line)
        return bool(self._lines)
