"""The pages of an earlier crawl, for a crawl that fetches only what is new: scrapy-deltafetch's `db`.

It reads the visit rows of the earlier frontier (frontier/visits.py), as of that crawl's last commit, and changes
nothing. The earlier crawl may even be running. Keys are node digests, values are rows.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from webgraph_it.crawl.directory import DirectoryError
from webgraph_it.frontier.layout import STATE, WITHOUT_VISITS
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.frontier.state import state_of
from webgraph_it.frontier.store import after
from webgraph_it.frontier.visits import VISIT, Visit, visit_of
from webgraph_it.shards.directory import CrawlDirectory

DELTAFETCH = "deltafetch"
"""Reason in the page log of a node that an earlier crawl has fetched."""


class KnownPages:
    """A mapping that does not keep what is put into it: the crawl keeps its own visits when it records a page."""

    def __init__(self, path: Path) -> None:
        """DirectoryError, in one sentence, if `path` has no visits."""
        directory = CrawlDirectory(path)
        if not directory.crawl_file.is_file() or not directory.has_frontier:
            raise DirectoryError(
                f"DELTAFETCH_DIR is {path}, which is not a crawl directory with a frontier: give the JOBDIR of an "
                "earlier crawl."
            )
        self._store = RocksStore(directory.frontier, read_only=True)
        if state_of(self._store.get(STATE))[0].layout == WITHOUT_VISITS:
            self._store.close()
            raise DirectoryError(
                f"DELTAFETCH_DIR is {path}, a crawl from before there were visits: resume that crawl once, which "
                "migrates it, then start this one again."
            )

    def __contains__(self, digest: bytes) -> bool:
        return self._store.get(VISIT + digest) is not None

    def get(self, digest: bytes) -> Visit | None:
        packed = self._store.get(VISIT + digest)
        return None if packed is None else visit_of(packed)

    def among(self, digests: Iterable[bytes]) -> list[bytes]:
        """Those of the digests that are known."""
        ordered = sorted(set(digests))
        found = self._store.get_many([VISIT + digest for digest in ordered])
        return [digest for digest, packed in zip(ordered, found, strict=True) if packed is not None]

    def keys(self) -> Iterator[bytes]:
        return (key[len(VISIT) :] for key, _ in self._store.items(VISIT, after(VISIT)))

    def __setitem__(self, digest: bytes, value: object) -> None:
        """Does nothing."""

    def close(self) -> None:
        self._store.close()


class NoPages(KnownPages):
    """After DELTAFETCH_RESET: nothing is known, and everything is fetched again."""

    def __init__(self) -> None:
        pass

    def __contains__(self, digest: bytes) -> bool:
        return False

    def get(self, digest: bytes) -> None:
        return None

    def among(self, digests: Iterable[bytes]) -> list[bytes]:
        return []

    def keys(self) -> Iterator[bytes]:
        return iter(())

    def close(self) -> None:
        pass
