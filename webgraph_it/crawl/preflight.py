"""Finds everything that can be wrong before a crawl begins, before anything is written: one sentence each.

Settings, contact, seeds, file descriptors, and, for a directory that exists: its identity, its owner, its
frontier and its shards. The command prints the sentence and exits with code 2.
"""

import json
import logging
import resource
from datetime import datetime
from pathlib import Path

from webgraph_it.crawl.directory import (
    DirectoryError,
    JobDirectory,
    new_directory,
    refuse_unusable,
)
from webgraph_it.crawl.facts import spider_of, telling_facts
from webgraph_it.crawl.identity import identity_of
from webgraph_it.crawl.known_pages import KnownPages
from webgraph_it.crawl.membership import check_membership, enter, fleet_identity, refuse_other_fleet
from webgraph_it.crawl.ownership import refuse_foreign
from webgraph_it.crawl.remembered import REMEMBERED, given_names, is_given, is_lasting, recall, remembered
from webgraph_it.crawl.rules_file import RulesFile, RulesFileError
from webgraph_it.crawl.stdin_seeds import take_stdin
from webgraph_it.crawl.store_check import check_store
from webgraph_it.crawl.survey import refuse_missing_parts, refuse_occupied
from webgraph_it.crawl.values import Settings, SettingsError, check
from webgraph_it.extract.trial import can_read
from webgraph_it.fetch.identity import refusal_to_start
from webgraph_it.fetch.plan import Plan
from webgraph_it.fetch.schedule import ScheduleError
from webgraph_it.files.own import NotOursError
from webgraph_it.frontier.records import FrontierError
from webgraph_it.settings_table import CrawlSettings
from webgraph_it.shards.directory import INGEST
from webgraph_it.shards.formats import ShardError
from webgraph_it.urls.seeds import SeedsError, read_seeds, refusal

logger = logging.getLogger(__name__)

PROBLEMS = (
    SettingsError,
    RulesFileError,
    ScheduleError,
    SeedsError,
    DirectoryError,
    NotOursError,
    FrontierError,
    ShardError,
)
LEAST_FILES = 64
"""With fewer open files, the frontier and the workers leave none for connections."""
ROOMY_BYTES = 150_000_000
"""A worker needs about 30 MB to start. Below this limit one is started as a test, which takes half a second."""


def preflight(settings: Settings) -> None:
    """Leaves the settings checked and typed, with a JOBDIR; raises one of PROBLEMS."""
    enter(settings)
    recall_crawl(settings)
    take_stdin(settings)
    given = [*given_names(settings), *filter(is_lasting, telling_facts(settings))]
    values = check(settings)
    check_membership(values)
    refuse_other_fleet(settings)
    if not values.SEEDS.strip():
        raise SettingsError(
            "SEEDS is empty; expected: the path of a seed file, or -. Leave SEEDS out to use the list of the "
            "spider, if it has one, or, in a resume, the crawl's own copy."
        )
    settings.set(REMEMBERED, json.dumps(remembered(settings, given)), priority="cmdline")
    if nobody_to_ask := refusal_to_start(
        values.CONTACT_URL, values.FROM_EMAIL, values.ALLOWED_PRIVATE_NETWORKS
    ):
        raise SettingsError(nobody_to_ask)
    Plan(values.BANDWIDTH_SCHEDULE, values.BANDWIDTH_SCHEDULE_FILE, values.SCHEDULE_TIMEZONE)
    RulesFile(values.RULES_FILE).reload()
    check_memory(values.EXTRACT_MEMORY, values.EXTRACT_WORKERS)
    fit_descriptors(settings)
    if settings.get("JOBDIR") is not None and not str(settings["JOBDIR"]).strip():
        raise SettingsError(
            "JOBDIR is empty; expected: the directory of a crawl. Leave JOBDIR out to begin a new crawl in crawls/."
        )
    if settings.get("JOBDIR") is None:
        settings.set(
            "JOBDIR", str(new_directory(Path("crawls"), values.CRAWL_NAME, datetime.now())), priority="spider"
        )
        refuse_unusable(Path(settings["JOBDIR"]))
    directory = JobDirectory(Path(settings["JOBDIR"]))
    check_deltafetch(values, directory.path)
    directory.check_identity({**identity_of(values), **fleet_identity(values, directory)})
    if INGEST not in directory.record():  # otherwise what the archives link to is queued
        check_seeds(Path(values.SEEDS), tuple(values.SCOPE_SURTS))
    if directory.path.exists():
        directory.lock()
        try:
            check_store(directory)
        finally:
            directory.unlock()


def check_deltafetch(values: CrawlSettings, jobdir: Path) -> None:
    """The earlier crawl must be another one, and must know its visits."""
    if not values.DELTAFETCH_ENABLED:
        return
    earlier = Path(values.DELTAFETCH_DIR)
    if not values.DELTAFETCH_DIR or earlier.absolute() == jobdir.absolute():
        found = "empty" if not values.DELTAFETCH_DIR else f"{earlier}, which is JOBDIR itself"
        raise SettingsError(
            f"DELTAFETCH_DIR is {found}; expected: the JOBDIR of an earlier crawl. "
            "A crawl that is resumed fetches no page twice without it."
        )
    KnownPages(earlier).close()


def check_memory(memory_bytes: int, workers: int) -> None:
    """Start a worker as a test if its memory is small. With plenty of memory it certainly starts."""
    if workers and memory_bytes < ROOMY_BYTES and not can_read(memory_bytes):
        raise SettingsError(
            f"EXTRACT_MEMORY is {memory_bytes / 1e6:g} MB, with which a worker cannot read one small page; "
            "expected: the address space of a whole process, such as 300 MB."
        )


def recall_crawl(settings: Settings) -> None:
    """An existing crawl resumes with the settings it was given before, except those given now."""
    if not settings.get("JOBDIR"):
        return
    directory = JobDirectory(Path(settings["JOBDIR"]))
    refuse_unusable(directory.path)
    refuse_foreign(directory.path)
    refuse_missing_parts(directory.path)
    directory.check_spider(spider_of(settings))
    refuse_occupied(directory.path)
    recall(settings, directory.record())
    if not is_given(settings, "SEEDS") and (copy := directory.seeds_copy()):
        settings.set("SEEDS", str(copy), priority="cmdline")


def check_seeds(path: Path, surts: tuple[str, ...]) -> None:
    """Check that there are seeds, and that they are in scope."""
    if sentence := refusal(path, read_seeds(path, surts), surts):
        raise SeedsError(sentence)


def fit_descriptors(settings: Settings) -> None:
    """Every socket needs a file descriptor. Raise our limit as far as allowed, and lower the cap to what remains."""
    wanted: int = settings["MAX_TCP_CONNECTIONS"]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < LEAST_FILES:
        raise SettingsError(
            f"The system allows this process {hard} open files; expected: at least {LEAST_FILES}. "
            "Raise the limit with ulimit -n (deploy/limits.conf shows how to raise it for good)."
        )
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    most = hard // 2 if hard < 2000 else hard - 1000
    if hard != resource.RLIM_INFINITY and wanted > most:
        logger.warning(
            "MAX_TCP_CONNECTIONS is lowered from %d to %d: the system allows %d open files "
            "(deploy/limits.conf shows how to raise it).",
            wanted,
            most,
            hard,
        )
        settings.set("MAX_TCP_CONNECTIONS", most, priority=settings.getpriority("MAX_TCP_CONNECTIONS") or 0)
