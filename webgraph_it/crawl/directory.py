"""The crawl directory (JOBDIR): who owns it, and whether this crawl may go on in it.

    crawl.json       recipe version, scope, seeds, and the settings that shape the graph; written once
    crawl.lock       locked by the running process, which writes its pid there
    committed.json   every shard file with the length that the last commit made durable
    frontier/ graph/ urls/ pages/ reports/

Guarantees: a directory made with other names, scope, seeds or limits is refused, naming each difference; two
processes never work in one directory; committed.json never runs ahead of the frontier's own commit.
"""

import fcntl
import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from webgraph_it.graph.shards import COMMITTED_FILE, CRAWL_FILE
from webgraph_it.graph.writer import Durable


class DirectoryError(Exception):
    """Why this crawl may not use this directory, in one sentence for the operator."""


class CrawlDirectory:
    """The layout, the identity and the lock of one crawl directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.frontier = path / "frontier"
        self.reports = path / "reports"
        self._lock_fd: int | None = None

    def claim(self, identity: Mapping[str, Any]) -> None:
        """Make it ours: lock it, and write or compare crawl.json."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.lock()
        self.reports.mkdir(exist_ok=True)
        if not self._identity_file.exists():
            write_json(self._identity_file, identity)
        self.check_identity(identity)

    def lock(self) -> None:
        fd = os.open(self.path / "crawl.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(fd, 20).decode(errors="replace").strip() or "another process"
            os.close(fd)
            raise DirectoryError(
                f"{self.path} is in use by process {owner}: stop it first, or give another JOBDIR."
            ) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        self._lock_fd = fd

    def unlock(self) -> None:
        if self._lock_fd is not None:
            os.close(self._lock_fd)
            self._lock_fd = None

    def check_identity(self, identity: Mapping[str, Any]) -> None:
        """Refuse to go on with a crawl whose graph would mean something else."""
        if not self._identity_file.exists():
            return
        found = read_json(self._identity_file)
        differences = [
            f"{name} was {_short(found.get(name))} and is now {_short(wanted)}"
            for name, wanted in identity.items()
            if found.get(name) != wanted
        ]
        if differences:
            raise DirectoryError(
                f"{self.path} holds another crawl: {'; '.join(differences)}. "
                "Give the values it was begun with, or another JOBDIR."
            )

    @property
    def _identity_file(self) -> Path:
        return self.path / CRAWL_FILE

    def write_committed(self, files: Mapping[str, Durable]) -> None:
        lengths: dict[str, dict[str, int]] = {}
        for name, file in sorted(files.items()):
            stream, _, file_name = name.partition("/")
            lengths.setdefault(stream, {})[file_name] = file.length
        write_json(self.path / COMMITTED_FILE, lengths)


def new_directory(parent: Path, now: datetime) -> Path:
    """`crawls/italy-20261116-143005`: a name that sorts by time."""
    return parent / f"italy-{now:%Y%m%d-%H%M%S}"


def write_json(path: Path, value: Any) -> None:
    """A finished file is a renamed file."""
    temporary = path.with_name(path.name + ".new")
    with temporary.open("w") as file:
        json.dump(value, file, indent=1, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise DirectoryError(
            f"{path} is damaged ({error}): restore it from a copy, or give another JOBDIR."
        ) from None


def _short(value: Any, most: int = 80) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else text[: most - 1] + "…"
