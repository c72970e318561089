"""Adds the seeds to the frontier, one slice at a time, while the crawl is already running.

    seed file ─► names ─► scope ─► frontier, URL list, how far we are          (one slice: no await in between)

How far the list was loaded is committed with the seeds themselves, under the checksum of the list. After a crash,
loading resumes where the last commit left off. A list that was loaded completely is not read again. A list that has
changed is loaded from its beginning; seeds that the frontier already knows change nothing.

Memory: one slice, and what the frontier holds until the next commit. The loader asks for a commit in time.
"""

import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.records import Added
from webgraph_it.items import Link
from webgraph_it.killpoint import reached
from webgraph_it.urls.names import Name
from webgraph_it.urls.scope import Scope, Verdict
from webgraph_it.urls.seeds import Batch, Place, md5_of, read_batches

logger = logging.getLogger(__name__)

META = "seeds"
MAX_WARNINGS = 20
"""Maximum of warnings about single lines; further ones are only counted."""
TELL_SECONDS = 5.0


@dataclass(slots=True)
class Loaded:
    """How far a list was loaded."""

    md5: str
    offset: int = 0
    line: int = 0
    seeds: int = 0
    new: int = 0
    finished: bool = False

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def loaded_before(committed: bytes | None, md5: str) -> Loaded:
    """Where to resume the list with this checksum."""
    found = Loaded(**json.loads(committed)) if committed else None
    return found if found and found.md5 == md5 else Loaded(md5)


class SeedLoader:
    """Loads one list through `record` (Recorder.record_seeds). `after_slice` is awaited between two slices: it
    commits when enough has changed."""

    def __init__(
        self,
        path: Path,
        scope: Scope,
        frontier: Frontier,
        record: Callable[[list[Link], frozenset[bytes]], Added],
        after_slice: Callable[[], Awaitable[None]],
        owns: Callable[[str], bool] | None = None,
    ) -> None:
        """`owns`: whether a key is this member's, in a fleet. Every member reads the list and plants its own seeds."""
        self._owns = owns
        self._path = path
        self._scope = scope
        self._frontier = frontier
        self._record = record
        self._after_slice = after_slice
        self._warnings = 0
        self.loaded = loaded_before(frontier.get_meta(META), md5_of(path))

    def __repr__(self) -> str:
        loaded = self.loaded
        return f"<SeedLoader {self._path}: {loaded.line} lines, {loaded.seeds} seeds, {loaded.new} new>"

    async def load(self, is_stopping: Callable[[], bool]) -> bool:
        """Load to the end of the list. False if the crawl stops before that."""
        if self.loaded.finished:
            logger.info("%d seeds of %s were loaded before.", self.loaded.seeds, self._path)
            return True
        size = max(1, self._path.stat().st_size)
        began = told = time.monotonic()
        seeds_before = self.loaded.seeds
        for batch in read_batches(self._path, Place(self.loaded.offset, self.loaded.line)):
            self._add(batch)
            reached("between-seeds")
            await self._after_slice()
            if is_stopping():
                return False
            now = time.monotonic()
            if now - told >= TELL_SECONDS:
                told = now
                logger.info(
                    "Loading seeds: %d so far, %d %% of the list, %d/s",
                    self.loaded.seeds,
                    100 * self.loaded.offset // size,
                    (self.loaded.seeds - seeds_before) / (now - began),
                )
        self.loaded.finished = True
        self._frontier.put_meta(META, self.loaded.to_bytes())
        if self._warnings > MAX_WARNINGS:
            logger.warning("%d more lines of %s are not fetched.", self._warnings - MAX_WARNINGS, self._path)
        logger.info("%d seeds, %d of them new, from %s", self.loaded.seeds, self.loaded.new, self._path)
        return True

    def _add(self, batch: Batch) -> None:
        """Add one slice. A commit contains all of it or nothing."""
        links, fetch_only = self._usable(batch.names)
        added = self._record(links, fetch_only)
        loaded = self.loaded
        loaded.offset, loaded.line = batch.end
        loaded.seeds += len(links)
        loaded.new += len(added.new)
        self._frontier.put_meta(META, loaded.to_bytes())
        for complaint in batch.complaints:
            self._warn("%s", complaint)

    def _usable(self, names: list[Name]) -> tuple[list[Link], frozenset[bytes]]:
        """The seeds to fetch, and the digests of those outside the graph."""
        verdict_of = self._scope.verdict
        links: list[Link] = []
        fetch_only: set[bytes] = set()
        owns = self._owns
        for url, key, digest in names:
            if owns is not None and not owns(key):
                continue
            verdict = verdict_of(key, url)
            if verdict is Verdict.IN:
                links.append(Link(url, key, digest, "seed"))
                continue
            if not verdict.fetchable:
                self._warn("Seed %s is not fetched: %s.", url, verdict.reason)
                continue
            links.append(Link(url, key, digest, "seed"))
            fetch_only.add(digest)
        return links, frozenset(fetch_only)

    def _warn(self, text: str, *facts: str) -> None:
        self._warnings += 1
        if self._warnings <= MAX_WARNINGS:
            logger.warning(text, *facts)
