"""Checks a crawl directory's frontier before anything is changed: it opens, it is intact, it is the newest."""

from contextlib import closing

from webgraph_it.crawl.survey import how_to_repair, refuse_older_frontier
from webgraph_it.frontier.layout import META, STATE
from webgraph_it.frontier.records import DamageError
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.shards.committed import unpacked
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.writer import verify

READ_THROUGH_BYTES = 100_000_000
"""A store up to this size is read completely before a crawl resumes, which takes about a second. Damage in a larger one
stops the crawl when it is read."""


def check_store(directory: CrawlDirectory) -> None:
    """The frontier opens and is the newest, and the shards are at least as long as its last commit says."""
    if not directory.frontier.exists():
        return
    shards, commits = _last_commit(directory)
    files = unpacked(shards)
    refuse_older_frontier(
        directory.path,
        {name: durable.length for name, durable in files.items()},
        directory.committed(),
        directory.sizes(),
        first_commit=commits in (None, b"", b"0", b"1"),
    )
    verify(directory.path, files)


def _last_commit(directory: CrawlDirectory) -> tuple[bytes | None, bytes | None]:
    """The frontier's record of the shards, and its number of commits."""
    try:
        with closing(RocksStore(directory.frontier)) as store:
            if store.size_bytes <= READ_THROUGH_BYTES:
                store.read_through()
            store.get(STATE)  # the frontier reads this first when it opens
            return store.get(META + b"shards"), store.get(META + b"commits")
    except DamageError as error:
        raise DamageError(f"{error}; or {how_to_repair(directory.path)}") from error
