"""The folder of a result. It is claimed before Spark starts, so that a long computation is not lost at its end.

    <out>/
      .cluster          says that the folder is ours
      .new/             what the running command writes
      .work/            checkpoints of pagerank, until it has finished
      degrees/ …        results, whole

Guarantees: a result is written beside the earlier one and takes its place at the end, so a command that fails leaves
the earlier one as it was. Where a system only moves files (s3:, gs:), a kill while they are moved leaves a part.
Nothing that Spark did not write is removed. For folders of this machine: nothing is written into a crawl directory,
and only one command at a time writes a folder.
"""

import errno
import fcntl
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.dataset
from pyarrow import fs

from webgraph_it.cluster.blocks import Folder
from webgraph_it.cluster.failures import ClusterError
from webgraph_it.cluster.sources import opened
from webgraph_it.progress import Progress
from webgraph_it.shards.directory import CRAWL_FILE
from webgraph_it.shards.fleet import members

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MARK = ".cluster"
"""A file that says that the folder is ours. Whoever writes the folder holds a lock on it."""
NEW, WORK = ".new", ".work"
OLD = f"{NEW}/.old"
OF_SPARK = re.compile(r"\.?part-\d+\S*\.parquet(\.crc)?|\.?_SUCCESS(\.crc)?")
"""Files of a finished table."""
UNFINISHED = "_temporary"
"""Folder of a table that Spark is writing."""
ONLY_FILES_MOVE = ("s3", "gcs")


class Result:
    """The tables of a command. They are in .new/ until `publish`."""

    def __init__(self, out: str, progress: Progress) -> None:
        self.checkpoints = f"{out}/{WORK}"
        """A folder that outlives a command that fails."""
        self.scratch = f"{out}/{NEW}/{WORK}"
        self.rows: dict[str, int] = {}
        """Of each table that was written."""
        self._out = out
        self.progress = progress

    def staged(self, name: str) -> str:
        """Where a table is that was written here."""
        return f"{self._out}/{NEW}/{name}"

    def write(self, table: "DataFrame", name: str) -> None:
        """Compute a table and write it as `name`, such as hosts/nodes."""
        self.progress.note(f"writing {name}")
        self.progress.begin(name)
        table.write.mode("overwrite").parquet(self.staged(name))
        self.rows[name] = _rows(self.staged(name))
        self.progress.end(f"{self.rows[name]:,} rows")

    def publish(self, folders: Sequence[str], marker: str, facts: Mapping[str, object]) -> None:
        """The new folders replace those of an earlier command. A marker is away while they do, and says how
        many rows they have."""
        if marker:
            Folder(self._out).discard(marker)
        system, path = opened(self._out)
        for folder in folders:
            _replace(system, f"{path}/{NEW}/{folder}", f"{path}/{folder}", f"{path}/{OLD}/{folder}")
        if marker:
            Folder(self._out).write(marker, json.dumps({**facts, "rows": self.rows}).encode())

    def discard(self) -> None:
        """Remove what was not published, and what was replaced."""
        Folder(f"{self._out}/{NEW}").remove()


@contextmanager
def claimed(out: str, folders: Sequence[str], progress: Progress) -> Iterator[Result]:
    """Hold --out for the time of the block, in which these folders may be replaced. ClusterError if that cannot be."""
    system, path = opened(out)
    local = isinstance(system, fs.LocalFileSystem)
    if local:
        _refuse_unfit(out, Path(path))
    _refuse_foreign(out, system, path, folders)
    with _locked(out, Path(path)) if local else nullcontext():
        result = Result(out, progress)
        result.discard()  # left by a kill
        try:
            yield result
        finally:
            result.discard()


@contextmanager
def _locked(out: str, folder: Path) -> Iterator[None]:
    _make(out, folder)
    with (folder / MARK).open("a") as mark:
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ClusterError(
                f"Another command is writing --out {out}: wait for it, or give another --out."
            ) from None
        yield


def _make(out: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).touch()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        found = "is a file" if folder.is_file() else f"cannot be used: {error.strerror} ({error.filename})"
        raise ClusterError(
            f"--out {out} {found}; expected: a folder that can be made and written. Give another --out."
        ) from None


def _refuse_unfit(out: str, folder: Path) -> None:
    for each in (folder, *folder.parents):
        if (each / CRAWL_FILE).exists() or members(each):
            raise ClusterError(
                f"--out {folder} is in the crawl directory {each}, which this command only reads; expected: a folder "
                "outside of it."
            )
    if folder.is_dir() and not (folder / MARK).exists() and any(folder.iterdir()):
        raise ClusterError(
            f"--out {out} has files that webgraph-it cluster did not make; expected: a new or empty folder, or one of "
            "its results. Give another --out."
        )


def _refuse_foreign(out: str, system: fs.FileSystem, path: str, folders: Sequence[str]) -> None:
    """Refuse folders that would be replaced although Spark did not write all that is in them."""
    for folder in folders:
        if foreign := next(_foreign(system, f"{path}/{folder}"), None):
            raise ClusterError(
                f"--out {out} has {foreign.removeprefix(path).lstrip('/')}, which webgraph-it cluster did not make, "
                f"in place of its result {folder}/. Move it elsewhere, or give another --out."
            )


def _foreign(system: fs.FileSystem, folder: str) -> Iterator[str]:
    if system.get_file_info(folder).type is fs.FileType.File:
        yield folder
        return
    for info in _files(system, folder):
        parents = info.path.removeprefix(folder).split("/")
        if not OF_SPARK.fullmatch(info.base_name) and UNFINISHED not in parents:
            yield info.path


def _replace(system: fs.FileSystem, new: str, final: str, old: str) -> None:
    exists = system.get_file_info(final).type is fs.FileType.Directory
    if system.type_name not in ONLY_FILES_MOVE:
        if exists:
            system.create_dir(old.rpartition("/")[0], recursive=True)
            system.move(final, old)
        system.move(new, final)
        return
    if exists:
        system.delete_dir(final)
    for info in sorted(_files(system, new), key=lambda info: info.base_name == "_SUCCESS"):
        to = final + info.path.removeprefix(new)
        system.create_dir(to.rpartition("/")[0], recursive=True)
        system.move(info.path, to)


def _files(system: fs.FileSystem, folder: str) -> list[fs.FileInfo]:
    found = system.get_file_info(fs.FileSelector(folder, allow_not_found=True, recursive=True))
    return sorted((info for info in found if info.is_file), key=lambda info: info.path)


def _rows(table: str) -> int:
    system, path = opened(table)
    rows: int = pyarrow.dataset.dataset(path, filesystem=system, format="parquet").count_rows()
    return rows
