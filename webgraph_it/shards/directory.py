"""The crawl directory: the names and places of its files, and how much of them is committed.

    <JOBDIR>/
      crawl.json              one JSON object; "recipe_version" says how its nodes are named (urls.names)
      committed.json          {"graph": {"000001.g16": bytes, …}, "urls": {…}, "pages": {…}}, once committed
      crawl.lock              locked by the running process, which writes its pid there
      graph/000001.g16 …      hashed edge sequences         (shards/formats.py has them, byte by byte)
      urls/000001.tsv …       one line per new node
      pages/000001.jsonl …    one line per URL that was tried
      links/ anchors/ warc/   further streams, if they were asked for
      frontier/               the embedded store; a repair uses frontier.new and frontier.work
      seeds/000001.txt …      the seed lists, as they were given
      reports/                progress.jsonl, and the reports
      recrawl/000001 …        plans of re-visits (recrawl/plan_files.py)

A crawl that is running, or that crashed, may have files that are longer than at its last commit, and new files.
If committed.json exists, only the bytes that it counts are read. The numbers order the files.

Guarantees: no other module knows these names. Nothing here writes. A running crawl writes through crawl/directory.py.
Any fault of a directory is one ShardError that says what was found, what was expected and what to do. This
module needs neither numpy nor pyarrow, because the crawl imports it.
"""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webgraph_it.files.received import InputError, is_count, is_name, read_json_object, regular_size, shown
from webgraph_it.shards.formats import SUFFIXES, Part, ShardError, is_shard_name, json_lines, numbered_files

CRAWL_FILE, COMMITTED_FILE, LOCK_FILE = "crawl.json", "committed.json", "crawl.lock"
FRONTIER, REPORTS, SEEDS, RECRAWL = "frontier", "reports", "seeds", "recrawl"
REBUILT, LOOKUP = "frontier.new", "frontier.work"
"""Used by a repair."""
PROGRESS_FILE = "progress.jsonl"
FILES = (CRAWL_FILE, COMMITTED_FILE, LOCK_FILE)
INGEST = "ingest"
"""Member of crawl.json in a directory that was made from archives (ingest/directory.py)."""
UNNAMED = "italy"
"""Name and spider of a crawl that was begun before crawls had names."""
FOLDERS = (FRONTIER, REPORTS, SEEDS, RECRAWL, *SUFFIXES, REBUILT, LOOKUP)


class CrawlDirectory:
    """The location of everything in one crawl directory, and its content. Nothing is read before it is needed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.crawl_file = path / CRAWL_FILE
        self.committed_file = path / COMMITTED_FILE
        self.lock_file = path / LOCK_FILE
        self.frontier = path / FRONTIER
        self.seeds = path / SEEDS
        self.reports = path / REPORTS
        self.progress_file = self.reports / PROGRESS_FILE

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"

    @property
    def has_frontier(self) -> bool:
        """Whether frontier/ holds a store, not only a folder."""
        return (self.frontier / "CURRENT").exists()

    # -- crawl.json ----------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """crawl.json. Empty if there is none."""
        return _json_object(self.crawl_file) if self.crawl_file.exists() else {}

    def recipe_version(self) -> int:
        """The version of the naming recipe. ShardError if this is not a crawl directory."""
        if not self.crawl_file.is_file():
            raise ShardError(
                f"{self.path} is not a crawl directory: it has no {CRAWL_FILE}. Give the JOBDIR of a crawl."
            )
        version = self.record().get("recipe_version")
        if not is_count(version):
            raise ShardError(
                f"{self.crawl_file} does not say its recipe_version (a number). Found {shown(version)}."
            )
        return version

    def name(self) -> str:
        """Of the crawl; the files of its graph begin with it."""
        return self._name("CRAWL_NAME")

    def spider(self) -> str:
        """With which it is resumed."""
        return self._name("spider")

    def archives(self) -> list[str]:
        """The formats of the archives that it was made from; empty for a crawl."""
        found = self.record().get(INGEST)
        formats = found.get("formats") if isinstance(found, dict) else None
        return [each for each in formats if is_name(each)] if isinstance(formats, list) else []

    def _name(self, member: str) -> str:
        found = self.record().get(member, UNNAMED)
        if not is_name(found):
            raise ShardError(
                f"{self.crawl_file} has {shown(found)} as its {member}, expected a name such as {UNNAMED}. "
                "The file is damaged: restore it from a copy."
            )
        return found

    # -- the streams ---------------------------------------------------------------------------------------

    def sizes(self) -> dict[str, int]:
        """Every file of the streams, `graph/000001.g16`, with its size on disk."""
        return {
            f"{stream}/{file.name}": file.stat().st_size
            for stream in SUFFIXES
            for file in self._files(stream)
        }

    def committed(self) -> dict[str, int] | None:
        """The committed bytes of each file, by committed.json. None if there is none: then all bytes count."""
        if not self.committed_file.exists():
            return None
        lengths = {}
        for stream, files in _json_object(self.committed_file, self._without_committed).items():
            if (
                stream not in SUFFIXES
                or not isinstance(files, dict)
                or not all(map(is_count, files.values()))
            ):
                raise self._says_no_lengths(stream)
            for name, length in files.items():
                if not is_shard_name(stream, name):
                    raise self._says_no_lengths(stream)
                lengths[f"{stream}/{name}"] = length
        return lengths

    def parts(self, stream: str) -> list[Part]:
        """The files of a stream, up to their committed lengths. ShardError if one is missing or too short."""
        lengths = self.committed()
        if lengths is None:
            return whole_parts(self._files(stream))
        found = {f"{stream}/{file.name}" for file in self._files(stream)}
        missing = sorted(name for name in lengths if name.startswith(f"{stream}/") and name not in found)
        if missing:
            raise ShardError(
                f"{self.path} lacks {shown(missing[0])}, which {COMMITTED_FILE} counts: restore the file."
            )
        parts = self.parts_within(stream, lengths)
        for part in parts:
            _refuse_short(part)
        return parts

    def parts_within(self, stream: str, lengths: Mapping[str, int]) -> list[Part]:
        """The existing files of a stream that are named in these lengths, up to these lengths."""
        names = {f"{stream}/{file.name}": file for file in self._files(stream)}
        return [Part(file, lengths[name]) for name, file in names.items() if name in lengths]

    def _files(self, stream: str) -> list[Path]:
        return numbered_files(self.path / stream, SUFFIXES[stream])

    @property
    def _without_committed(self) -> str:
        """What else to do about a damaged committed.json: a repair finds the lengths without it."""
        return f", or remove it, then run: webgraph-it repair {shlex.quote(str(self.path))}"

    def _says_no_lengths(self, stream: str) -> ShardError:
        if stream not in SUFFIXES:
            return ShardError(
                f"{self.committed_file} has {shown(stream)}, expected the lengths of {', '.join(SUFFIXES)}: "
                f"the file is damaged, restore it from a copy{self._without_committed}."
            )
        return ShardError(
            f"{self.committed_file} does not say how many bytes of each file in {stream}/ count: "
            f"the file is damaged, restore it from a copy{self._without_committed}."
        )

    # -- the progress log ----------------------------------------------------------------------------------

    def progress(self) -> Iterator[dict[str, Any] | None]:
        """The lines of progress.jsonl, in order. None for a line that is not a JSON object."""
        if self.progress_file.is_file():  # False for a pipe or a device
            yield from json_lines(Part(self.progress_file, self.progress_file.stat().st_size))


def whole_parts(paths: list[Path]) -> list[Part]:
    """Each file in full."""
    return [Part(path, _size(path)) for path in paths]


def _refuse_short(part: Part) -> None:
    size = _size(part.path)
    if size < part.length:
        raise ShardError(
            f"{part.path} has {size} bytes, but {part.length} were committed: it was cut after the crawl wrote it. "
            "Restore the file from a copy."
        )


def _size(path: Path) -> int:
    try:
        return regular_size(path)
    except InputError as error:
        raise ShardError(str(error)) from None


def _json_object(path: Path, remedy: str = "") -> dict[str, Any]:
    try:
        return read_json_object(path)
    except InputError as error:
        raise ShardError(f"{error} The file is damaged: restore it from a copy{remedy}.") from None
