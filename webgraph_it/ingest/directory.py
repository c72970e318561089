"""The crawl directory that an ingest writes: its identity is that of a crawl with the same settings."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from webgraph_it.crawl.changes import SETTINGS, recorded
from webgraph_it.crawl.directory import JobDirectory, refuse_unusable, write_json
from webgraph_it.crawl.identity import SHAPING, identity_of
from webgraph_it.crawl.ownership import refuse_foreign
from webgraph_it.crawl.remembered import in_full, is_lasting
from webgraph_it.crawl.setting_names import refusal
from webgraph_it.crawl.store_check import check_store
from webgraph_it.crawl.survey import refuse_missing_parts, refuse_occupied
from webgraph_it.ingest.ledger import ArchiveError
from webgraph_it.settings_table import TABLE, CrawlSettings, SettingsError
from webgraph_it.shards.directory import INGEST, UNNAMED


def values_of(
    directory: JobDirectory, given: Mapping[str, Any], spider: str
) -> tuple[CrawlSettings, dict[str, Any]]:
    """The settings of the directory with those given now: as values, and as typed."""
    for name in given:
        if sentence := refusal(name, TABLE, typed=True):
            raise SettingsError(sentence.partition(" Name the settings")[0])
    record = directory.record()
    before = {name: value for name in SHAPING if (value := recorded(record, name)) is not None}
    lasting = {name: value for name, value in record.get(SETTINGS, {}).items() if name in TABLE}
    copy = directory.seeds_copy()
    seeds = {"SEEDS": str(copy)} if copy else {}
    typed = {"CRAWL_NAME": spider, **before, **lasting, **seeds, **given}
    return CrawlSettings.read(typed), typed


def claim(
    path: Path, given: Mapping[str, Any], spider: str
) -> tuple[JobDirectory, CrawlSettings, dict[str, Any]]:
    """Lock the directory, a new one or that of an earlier ingest. Returns it with its settings."""
    refuse_unusable(path)
    refuse_foreign(path)
    refuse_missing_parts(path)
    refuse_occupied(path)
    directory = JobDirectory(path)
    is_new = not directory.crawl_file.exists()
    if not is_new and INGEST not in directory.record():
        raise ArchiveError(
            f"{path} holds a crawl, expected a new directory or one that an ingest made: give another --jobdir. "
            "webgraph-it convert makes one graph of several directories."
        )
    spider = spider or (UNNAMED if is_new else directory.spider())
    values, typed = values_of(directory, given, spider)
    keep = {name: value for name, value in with_whole_paths(typed).items() if is_lasting(name)}
    directory.claim(identity_of(values), keep, spider)
    try:
        check_store(directory)
        if INGEST not in directory.record():
            note_formats(directory, ())
    except BaseException:
        directory.unlock()
        raise
    return directory, values, typed


def with_whole_paths(typed: Mapping[str, Any]) -> dict[str, Any]:
    """The settings for a process with another working directory."""
    return {name: in_full(name, value) for name, value in typed.items()}


def note_formats(directory: JobDirectory, formats: Iterable[str]) -> None:
    """crawl.json says that the pages come from archives, and of which formats."""
    record = directory.record()
    before = record.get(INGEST, {}).get("formats", [])
    wanted = {"formats": sorted({*before, *formats})}
    if record.get(INGEST) != wanted:
        write_json(directory.crawl_file, {**record, INGEST: wanted})
