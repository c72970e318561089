"""The crawl directory (JOBDIR) of a running crawl: who owns it, and whether this crawl may resume in it.

shards/directory.py gives the layout. crawl.json has the recipe version, scope, seeds and the settings that shape the
graph. Its "settings" are the other settings that were given; its "history" has each change with its time.

Guarantees: a directory made with other names, scope or limits is refused, and each difference is named, unless it only
adds (crawl/changes.py). Two processes never work in one directory. committed.json is never ahead of the frontier's own
commit. Nothing is written through a symbolic link, or where others may write (crawl/ownership.py).
"""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from webgraph_it import __version__
from webgraph_it.crawl.changes import SETTINGS, Change, judged
from webgraph_it.crawl.moved import translated
from webgraph_it.crawl.ownership import refuse_foreign
from webgraph_it.crawl.resuming import resume_command
from webgraph_it.files.own import make_folder, open_file, whole_file
from webgraph_it.files.received import shown
from webgraph_it.killpoint import REFUSED_POINT, reached
from webgraph_it.shards.directory import SEEDS, CrawlDirectory
from webgraph_it.shards.writer import Durable
from webgraph_it.urls.seed_changes import contains_all_seeds

HISTORY = "history"
"""Like SETTINGS, a member of crawl.json that is not part of the crawl's identity."""
_SEEDS_COPY = re.compile(rf"{SEEDS}/[0-9]{{6,18}}\.txt")


SPIDER = "spider"
"""Member of crawl.json with the name of the spider."""


class DirectoryError(Exception):
    """Why this crawl may not use this directory, in one sentence for the operator."""


class InUseError(DirectoryError):
    """Another process has locked the directory."""

    def __init__(self, path: Path, owner: str) -> None:
        super().__init__(f"{path} is in use by {owner}: stop it first, or give another JOBDIR.")
        self.owner = owner
        """`process 15517`, or `another process`."""


class JobDirectory(CrawlDirectory):
    """The directory of a running crawl: its identity, its lock, and what is written there."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._lock_fd: int | None = None
        self._made: list[Path] = []
        self._before: dict[str, Any] | None = None
        self._entry: dict[str, Any] = {}
        """What `claim` has made, found as crawl.json, and added to its history."""

    def claim(
        self, identity: Mapping[str, Any], settings: Mapping[str, Any] | None = None, spider: str = ""
    ) -> list[Change]:
        """Lock the directory. Then write crawl.json, or compare it and note what changed. Returns the changes."""
        refuse_foreign(self.path)
        self._made = [each for each in (self.path, *self.path.parents) if not os.path.lexists(each)]
        make_folder(self.path)
        self.lock()
        shutil.rmtree(self._refused, ignore_errors=True)
        self._before = self.record() if self.crawl_file.exists() else None
        make_folder(self.reports)
        if spider:
            identity = {SPIDER: spider, **identity}
        if self.crawl_file.exists():
            return self._note_changes(identity, settings)
        write_json(
            self.crawl_file,
            {**self._with_copied_seeds(identity), SETTINGS: dict(settings or {}), HISTORY: []},
        )
        return []

    def take_back(self) -> None:
        """Undo `claim`, for a start of which nothing may remain. The directory of a first start goes, with all in it;
        any other crawl.json is what it was, but for what operators changed meanwhile.

        Each is one rename. So after a crash in the middle, the next start finds all of it or nothing."""
        assert self._lock_fd is not None, "it was not claimed"
        if self._before is not None:
            self._restore(self._before)
            return
        self.path.rename(self._refused)
        reached(REFUSED_POINT)
        shutil.rmtree(self._refused)
        for folder in self._made[1:]:
            with suppress(OSError):  # somebody else has put something into it
                folder.rmdir()

    @property
    def _refused(self) -> Path:
        """The name of the directory while it is deleted."""
        return self.path.with_name(f".{self.path.name}.refused")

    def _restore(self, before: Mapping[str, Any]) -> None:
        now = self.record()
        history = [each for each in now.get(HISTORY, []) if each != self._entry]
        wanted = {**before, HISTORY: history} if HISTORY in before else before
        if wanted != now:
            write_json(self.crawl_file, wanted)
        copy, copy_before = (_member(each.get("SEEDS"), "copy") for each in (now, before))
        if copy != copy_before and isinstance(copy, str) and _SEEDS_COPY.fullmatch(copy):
            (self.path / copy).unlink(missing_ok=True)

    def lock(self) -> None:
        """InUseError if another process has locked it."""
        fd = open_file(self.lock_file, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.read(fd, 20).strip()
            owner = f"process {pid.decode()}" if pid.isdigit() else "another process"
            os.close(fd)
            raise InUseError(self.path, owner) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        self._lock_fd = fd

    def unlock(self) -> None:
        if self._lock_fd is not None:
            os.close(self._lock_fd)
            self._lock_fd = None

    def record(self) -> dict[str, Any]:
        """crawl.json, with the types of its members checked; empty if there is no such file."""
        found = super().record()
        for name, kind, expected in ((SETTINGS, dict, "an object"), (HISTORY, list, "a list")):
            if name in found and not isinstance(found[name], kind):
                raise _damaged(
                    f"{self.crawl_file} has {shown(found[name])} as {name!r}, expected {expected}."
                )
        return found

    def check_identity(self, identity: Mapping[str, Any]) -> list[Change]:
        """The differences that only add. Refuses to resume a crawl if its graph would mean something else."""
        if not self.crawl_file.exists():
            return []
        found = {SPIDER: identity.get(SPIDER), **self.record()}
        allowed, refused = judged(found, identity, self._seeds_only_added)
        if refused:
            raise DirectoryError(
                f"{self.path} holds another crawl: {'; '.join(map(str, refused))}. "
                "Give the values it was started with, or another JOBDIR."
            )
        return allowed

    def check_spider(self, spider: str) -> None:
        """Refuses a spider that did not begin the crawl."""
        if spider and SPIDER in self.record() and spider != (own := self.spider()):
            raise DirectoryError(
                f"{self.path} holds a crawl of the spider {own}, not of {spider}. "
                f"To resume: {resume_command(own, self.path)}"
            )

    # -- seeds ---------------------------------------------------------------------------------------------

    def seeds_copy(self) -> Path | None:
        """The crawl's own copy of its seed list; None for a crawl from before there were copies."""
        name = _member(self.record().get("SEEDS"), "copy")
        if name and not (isinstance(name, str) and _SEEDS_COPY.fullmatch(name)):
            raise _damaged(
                f"{self.crawl_file} has {shown(name)} as its copy of the seeds, expected a name "
                f"such as {SEEDS}/000001.txt."
            )
        path = self.path / name if name else None
        if path is not None and not path.is_file():
            raise DirectoryError(
                f"{path}, the crawl's copy of its seeds, is missing: restore it from a copy, "
                "or give the same seeds again with -s SEEDS=FILE."
            )
        return path

    def _seeds_only_added(self, identity: Mapping[str, Any]) -> bool:
        """Whether the seeds given now contain those that the crawl has."""
        copy = self.seeds_copy()
        return copy is not None and contains_all_seeds(Path(identity["SEEDS"]["file"]), copy)

    def _with_copied_seeds(self, identity: Mapping[str, Any]) -> dict[str, Any]:
        """Copy the seed list to disk. Returns the identity with the name of the copy."""
        seeds = identity.get("SEEDS")
        if not _member(seeds, "file"):
            return dict(identity)
        make_folder(self.seeds)
        number = 1 + max((int(p.stem) for p in self.seeds.glob("*.txt") if p.stem.isdecimal()), default=0)
        copy = self.seeds / f"{number:06d}.txt"
        with Path(identity["SEEDS"]["file"]).open("rb") as source, whole_file(copy) as file:
            shutil.copyfileobj(source, file)
        return {**identity, "SEEDS": {**identity["SEEDS"], "copy": f"{SEEDS}/{copy.name}"}}

    # -- changes -------------------------------------------------------------------------------------------

    def _note_changes(self, identity: Mapping[str, Any], settings: Mapping[str, Any] | None) -> list[Change]:
        """Rewrite crawl.json if anything changed. Returns the changes."""
        found = self.record()
        changes = self.check_identity(identity)
        names = {change.name for change in changes}
        known = dict(identity)
        if "SEEDS" in names or (_member(identity.get("SEEDS"), "file") and self._has_no_copy(found)):
            known = self._with_copied_seeds(identity)
        elif "SEEDS" in known:
            known["SEEDS"] = found.get("SEEDS")
        before = {name: translated(name, value) for name, value in found.get(SETTINGS, {}).items()}
        if settings is not None:
            changes += [
                Change(name, before.get(name), settings.get(name))
                for name in sorted({*before, *settings} - {*identity})
                if before.get(name) != settings.get(name) and SETTINGS in found
            ]
        self._entry = _entry(changes) if changes else {}
        history = [*found.get(HISTORY, []), *([self._entry] if changes else [])]
        wanted = {
            **found,
            **known,
            SETTINGS: dict(settings if settings is not None else before),
            HISTORY: history,
        }
        if wanted != found:
            write_json(self.crawl_file, wanted)
        return changes

    @staticmethod
    def _has_no_copy(found: Mapping[str, Any]) -> bool:
        return not _member(found.get("SEEDS"), "copy")

    def note(self, name: str, value: Any) -> None:
        """An operator changed something that shapes the graph: a line in the history of crawl.json."""
        found = self.record()
        write_json(
            self.crawl_file,
            {**found, HISTORY: [*found.get(HISTORY, []), _entry([Change(name, None, value)])]},
        )

    def write_committed(self, files: Mapping[str, Durable]) -> None:
        lengths: dict[str, dict[str, int]] = {}
        for name, file in sorted(files.items()):
            stream, _, file_name = name.partition("/")
            lengths.setdefault(stream, {})[file_name] = file.length
        write_json(self.committed_file, lengths)
        reached("after-committed-file")


def refuse_unusable(path: Path) -> None:
    """Raise DirectoryError if the path cannot hold a crawl; leaves nothing behind."""
    if why := why_unwritable(path):
        raise DirectoryError(f"JOBDIR {path} cannot be used ({why}): give a directory that you may write to.")


def why_unwritable(path: Path) -> str:
    """Why no file can be made in the directory, or where it would be. Empty if one can; leaves nothing behind."""
    try:
        nearest = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
        if not nearest.is_dir():
            return f"{nearest} is a file"
        with TemporaryFile(dir=nearest):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def new_directory(parent: Path, name: str, now: datetime) -> Path:
    """`crawls/NAME-20261116-143005`: a name that sorts by time."""
    return parent / f"{name}-{now:%Y%m%d-%H%M%S}"


def write_json(path: Path, value: Any) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    with whole_file(path) as file:
        file.write(text.encode("utf-8", "surrogatepass"))


def _damaged(found: str) -> DirectoryError:
    return DirectoryError(f"{found} The file is damaged: restore it from a copy, or give another JOBDIR.")


def _entry(changes: list[Change]) -> dict[str, Any]:
    """An entry of the history."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "changed": {change.name: [change.before, change.now] for change in changes},
    }


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
