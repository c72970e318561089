"""The input of convert: crawl directories, or the thesis' files, as three lists of file parts.

Guarantees: nothing is written. Input that cannot be converted is refused here, before any work, in one sentence.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from webgraph_it.files.received import InputError, is_name, read_json_object
from webgraph_it.files.tables import check_tables
from webgraph_it.shards.directory import CRAWL_FILE, CrawlDirectory, whole_parts
from webgraph_it.shards.fleet import crawls_of, member_folder
from webgraph_it.shards.formats import (
    ANCHORS_FOLDER,
    GRAPH_FOLDER,
    LINKS_FOLDER,
    PAGES_FOLDER,
    SUFFIXES,
    URLS_FOLDER,
    Part,
    ShardError,
    check_whole_records,
    numbered_files,
)
from webgraph_it.urls import RECIPE_VERSION

IDS_FILE = "ids.json"
"""Written last by `webgraph-it cluster compact`."""
NODES, ARCS = "nodes", "arcs"
"""Its tables."""
NAMELESS = "web"
"""Name of a graph whose crawl is not known."""


class ConvertError(ValueError):
    """A mistake in the input or the command, in one sentence: what was found, what was expected, what to do."""


@dataclass(frozen=True, slots=True)
class Sources:
    """URL lists, page logs and shards, in order of precedence."""

    names: tuple[str, ...]
    urls: tuple[Part, ...]
    pages: tuple[Part, ...]
    graph: tuple[Part, ...]
    name: str = NAMELESS
    """Of the graph: its BV files begin with it."""
    anchors: tuple[Part, ...] = ()
    """What links say, if the crawls kept it."""
    ids: Path | None = None
    """A folder of ids, instead of all of the above (convert/ids.py)."""
    timed: bool = False
    """Whether the times of the visits matter: for a graph through time, and for the graph of a day."""
    until: float = math.inf
    """Visits at this time (seconds since 1970) or later do not count."""
    archives: tuple[str, ...] = ()
    """Formats of the archives from which pages were ingested: warc, arc, wat."""
    links: tuple[Part, ...] = ()
    """The link logs of a fleet: nodes that their owners have perhaps not written to their URL lists yet."""

    @property
    def fingerprint(self) -> str:
        """Equal for the same files with the same lengths and modification times."""
        parts = [
            (str(part.path.resolve()), part.length, part.path.stat().st_mtime_ns)
            for part in (*self.urls, *self.pages, *self.graph, *self.links, *self.anchors, *self._of_ids)
        ]
        when = [self.until] if self.timed else []
        return sha256(json.dumps([*parts, *when]).encode()).hexdigest()

    @property
    def _of_ids(self) -> list[Part]:
        return whole_parts(sorted(self.ids.rglob("*.parquet"))) if self.ids else []


def from_crawls(paths: Sequence[Path]) -> Sources:
    """The crawl directories as one source; a fleet is all its members. If two have the same page, the later counts."""
    crawls = [CrawlDirectory(path) for path in crawls_of(paths)]
    for crawl in crawls:
        if (version := crawl.recipe_version()) != RECIPE_VERSION:
            raise ConvertError(
                f"{crawl.path} names its nodes by recipe {version}, this program by recipe "
                f"{RECIPE_VERSION}: graphs of two recipes cannot be mixed. "
                "Convert it with the version that made it."
            )
    urls, pages, graph, anchors, links = (
        tuple(part for crawl in crawls for part in crawl.parts(stream))
        for stream in (URLS_FOLDER, PAGES_FOLDER, GRAPH_FOLDER, ANCHORS_FOLDER, LINKS_FOLDER)
    )
    archives = tuple(sorted({name for crawl in crawls for name in crawl.archives()}))
    named, name = tuple(map(str, paths)), crawls[0].name()
    return _checked(Sources(named, urls, pages, graph, name, anchors, archives=archives, links=links))


def from_files(urls: Path, graph16: Path) -> Sources:
    """The thesis' input: one list of URLs (with or without keys) and a folder of g16 files."""
    if not urls.is_file():  # False for a pipe or a device
        raise ConvertError(f"--urls {urls} is not a file: give the list of URLs.")
    suffix = SUFFIXES[GRAPH_FOLDER]
    shards = numbered_files(graph16, suffix) or sorted(graph16.glob(f"*{suffix}"))
    if not shards:
        raise ConvertError(f"--graph16 {graph16} has no {suffix} file: give the folder of the shards.")
    lists, parts = tuple(whole_parts([urls])), tuple(whole_parts(shards))
    return _checked(Sources((str(urls), str(graph16)), lists, (), parts))


def from_ids(folder: Path) -> Sources:
    """What `webgraph-it cluster compact` made."""
    if not folder.is_dir():
        raise ConvertError(f"--ids {folder} is not a folder: give that of webgraph-it cluster compact.")
    if not (folder / IDS_FILE).is_file():
        raise ConvertError(
            f"--ids {folder} has no {IDS_FILE}: give a finished folder of webgraph-it cluster compact."
        )
    try:
        found = read_json_object(folder / IDS_FILE)
    except InputError as error:
        raise ConvertError(str(error)) from None
    version, name = found.get("recipe_version"), found.get("name")
    if version != RECIPE_VERSION or not is_name(name):
        raise ConvertError(f"{folder / IDS_FILE} does not say a name and recipe_version {RECIPE_VERSION}.")
    try:
        check_tables(folder, found.get("rows"), (NODES, ARCS), "cluster compact")
    except InputError as error:
        raise ConvertError(str(error)) from None
    named, archives = (_texts(found.get(member)) for member in ("sources", "archives"))
    return Sources(named or (str(folder),), (), (), (), name, ids=folder, archives=archives)


def _texts(found: object) -> tuple[str, ...]:
    """Empty for anything but a list of texts."""
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else ()


def newest_crawl(folder: Path) -> Path:
    """The most recently started crawl directory under `folder`, or fleet."""
    crawls = {file.parent: file for file in folder.glob(f"*/{CRAWL_FILE}")}
    fleets = {file.parent.parent: file for file in folder.glob(f"*/{member_folder(1)}/{CRAWL_FILE}")}
    found = {**fleets, **crawls}
    if not found:
        raise ConvertError(f"there is no crawl directory under {folder}/: give one.")
    return max(found, key=lambda path: (found[path].stat().st_mtime_ns, path.name))


def _checked(sources: Sources) -> Sources:
    if not sources.urls:
        raise ConvertError(f"{sources.names[0]} has no URL list (urls/000001.tsv): nothing was crawled yet.")
    for part in sources.graph:
        check_whole_records(part.path, part.length)
    for part in (*sources.urls, *sources.pages, *sources.links, *sources.anchors):
        _check_whole_lines(part)
    return sources


def _check_whole_lines(part: Part) -> None:
    if part.length:
        with part.path.open("rb") as file:
            file.seek(part.length - 1)
            if file.read(1) != b"\n":
                raise ShardError(
                    f"{part.path} is torn: its {part.length} bytes end within a line. "
                    "Resume the crawl once: it cuts its files back to the last commit."
                )
