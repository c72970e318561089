"""Everything that can be wrong before a crawl begins, found before anything is touched: one sentence each.

Settings, contact, seeds, file descriptors, and, for a directory that exists: its identity, its owner, its
frontier and its shards. The spider turns a sentence into Scrapy's usage error, exit code 2.
"""

import json
import logging
import resource
from datetime import datetime
from pathlib import Path

from scrapy.settings import BaseSettings

from webgraph_it.crawl.directory import CrawlDirectory, DirectoryError, new_directory
from webgraph_it.crawl.identity import identity_of
from webgraph_it.crawl.values import SettingsError, check
from webgraph_it.fetch.bandwidth_middleware import Plan
from webgraph_it.fetch.identity import refusal_to_start
from webgraph_it.fetch.schedule import ScheduleError
from webgraph_it.frontier.layout import META
from webgraph_it.frontier.records import FrontierError
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.graph.shards import ShardError
from webgraph_it.graph.writer import Durable, verify
from webgraph_it.urls.seeds import SeedsError, read_seeds, refusal

logger = logging.getLogger(__name__)

PROBLEMS = (SettingsError, ScheduleError, SeedsError, DirectoryError, FrontierError, ShardError)
LEAST_CONNECTIONS = 4


def preflight(settings: BaseSettings) -> None:
    """Leaves the settings checked and typed, with a JOBDIR; raises one of PROBLEMS."""
    check(settings)
    nobody_to_ask = refusal_to_start(
        settings["CONTACT_URL"], settings["FROM_EMAIL"], settings["ALLOWED_PRIVATE_NETWORKS"]
    )
    if nobody_to_ask:
        raise SettingsError(nobody_to_ask)
    Plan(settings["BANDWIDTH_SCHEDULE"], settings["BANDWIDTH_SCHEDULE_FILE"], settings["SCHEDULE_TIMEZONE"])
    fit_descriptors(settings)
    if not settings.get("JOBDIR"):
        settings.set("JOBDIR", str(new_directory(Path("crawls"), datetime.now())), priority="spider")
    directory = CrawlDirectory(Path(settings["JOBDIR"]))
    directory.check_identity(identity_of(settings))
    check_seeds(Path(settings["SEEDS"]), tuple(settings["SCOPE_SURTS"]))
    if directory.path.exists():
        directory.lock()
        try:
            check_store(directory)
        finally:
            directory.unlock()


def check_seeds(path: Path, surts: tuple[str, ...]) -> None:
    """There are seeds, and they fit the scope."""
    if sentence := refusal(path, read_seeds(path, surts), surts):
        raise SeedsError(sentence)


def fit_descriptors(settings: BaseSettings) -> None:
    """Every socket is a file descriptor: take what the system allows, and lower the cap to what it leaves."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    most = max(LEAST_CONNECTIONS, hard // 2 if hard < 2000 else hard - 1000)
    if hard != resource.RLIM_INFINITY and settings["MAX_TCP_CONNECTIONS"] > most:
        logger.warning(
            "MAX_TCP_CONNECTIONS is lowered from %d to %d: the system allows %d open files "
            "(deploy/limits.conf shows how to raise it).",
            settings["MAX_TCP_CONNECTIONS"],
            most,
            hard,
        )
        settings.set("MAX_TCP_CONNECTIONS", most, priority=settings.getpriority("MAX_TCP_CONNECTIONS") or 0)


def check_store(directory: CrawlDirectory) -> None:
    """The frontier opens, and the shards are at least what its last commit says."""
    if not directory.frontier.exists():
        return
    store = RocksStore(directory.frontier)
    try:
        committed = store.get(META + b"shards")
    finally:
        store.close()
    if committed:
        verify(directory.path, {name: Durable(*found) for name, found in json.loads(committed).items()})
