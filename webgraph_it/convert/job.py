"""One conversion: where it writes, how much memory and how many threads it has, and what it counted.

Guarantees: a file appears under its final name only when it is complete and on disk (written in a staging
folder, fsynced, renamed). The record of finished steps survives a crash at any moment. Two conversions
never write to the same folder.
"""

import fcntl
import json
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, TypeGuard

from webgraph_it.convert.sources import ConvertError, Sources
from webgraph_it.files.own import make_folder, sync, write_whole
from webgraph_it.files.received import InputError, is_count, read_json_object
from webgraph_it.graph.bv import Parameters
from webgraph_it.progress import Progress

WORK = ".work"
STATE = "state.json"
INTERPRETER_BYTES = 450 << 20
"""Memory that Python, numpy, pyarrow and numba use before any data is read."""
LEAST_BUDGET = 48 << 20
SYNCS_AT_ONCE = 8
COUNTED = {"names": "nodes", "map": "records", "csr": "arcs"}
"""Counts that a step must have recorded before other steps can build on it."""


class FolderIsBusy(ConvertError):
    """Another process has locked the folder."""


@dataclass(slots=True)
class Job:
    """What every step is given."""

    out: Path
    sources: Sources
    memory_bytes: int
    threads: int
    parameters: Parameters
    progress: Progress
    state: dict[str, Any] = field(default_factory=dict)
    lists_made_here: bool = False
    """True if this run made or checked offsets.u64 and targets.u32. Files from an earlier run are not trusted."""
    _lock: TextIO | None = None

    @property
    def work(self) -> Path:
        return self.out / WORK

    @property
    def staging(self) -> Path:
        """The folder that the running step writes to."""
        return self.work / "staging"

    @property
    def budget_bytes(self) -> int:
        """Memory for data."""
        return max(self.memory_bytes - INTERPRETER_BYTES, LEAST_BUDGET)

    @property
    def counts(self) -> dict[str, int]:
        counts: dict[str, int] = self.state.setdefault("counts", {})
        return counts

    @property
    def about(self) -> dict[str, Any]:
        """What graph.json says besides: of a graph through time, its days."""
        about: dict[str, Any] = self.state.setdefault("about", {})
        return about

    def open(self) -> None:
        """Lock the folder, and read which steps an earlier run finished."""
        make_folder(self.work)
        self._lock = (self.work / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise FolderIsBusy(
                f"another conversion is writing {self.out}: wait for it, or give another --out."
            ) from None
        self.state = self._earlier()

    def close(self) -> None:
        """Unlock the folder."""
        shutil.rmtree(self.staging, ignore_errors=True)
        if self._lock:
            self._lock.close()

    def forget(self) -> None:
        """The sources were refused. Unless a step was finished, leave nothing behind."""
        if not self.state["done"]:
            shutil.rmtree(self.work, ignore_errors=True)
            with suppress(OSError):  # it has other files
                self.out.rmdir()

    def _earlier(self) -> dict[str, Any]:
        fresh: dict[str, Any] = {"sources": self.sources.fingerprint, "done": {}, "counts": {}}
        for path, inside in ((self.work / STATE, None), (self.out / "graph.json", "conversion")):
            try:
                found = read_json_object(path)
            except (OSError, InputError):
                continue
            state = found.get(inside) if inside else found
            if not is_record(state):
                continue
            if state.get("sources") == fresh["sources"]:
                return dict(state)
            self.progress.note(f"{self.out} was made from other files: starting again")
            break
        return fresh

    def save(self) -> None:
        """Write the record of finished steps to disk."""
        write_whole(self.work / STATE, json.dumps(self.state))

    def publish(self, names: Iterable[str]) -> dict[str, int]:
        """Move what the step has staged to its final place. Returns the sizes."""
        sizes: dict[str, int] = {}
        for name in names:
            staged, final = self.staging / name, self.out / name
            sync_tree(staged)
            final.parent.mkdir(parents=True, exist_ok=True)
            if final.is_dir():  # one rename, so that a kill never leaves half a folder under its name
                final.rename(self.staging / f"{final.name}.old")
            staged.rename(final)
            sync(final.parent)
            sizes |= sizes_below(self.out, name)
        return sizes

    def clear_staging(self) -> Path:
        """An empty staging folder."""
        shutil.rmtree(self.staging, ignore_errors=True)
        (self.staging / WORK).mkdir(parents=True)
        return self.staging


def is_record(state: Any) -> TypeGuard[dict[str, Any]]:
    """Whether this is a record of finished steps. Anything else means that no step is done."""
    done, counts = (state.get("done"), state.get("counts")) if isinstance(state, dict) else (None, None)
    return (
        isinstance(done, dict)
        and isinstance(counts, dict)
        and all(map(is_count, counts.values()))
        and isinstance(state.get("about", {}), dict)
        and all(COUNTED[step] in counts for step in done if step in COUNTED)
        and all(isinstance(step, dict) and isinstance(step.get("settings"), dict) for step in done.values())
        and all(isinstance(step.get("sizes"), dict) for step in done.values())
        and all(is_count(size) for step in done.values() for size in step["sizes"].values())
    )


def sizes_below(out: Path, name: str) -> dict[str, int]:
    """Path → bytes of a file, or of all files in a folder."""
    path = out / name
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return {str(file.relative_to(out)): file.stat().st_size for file in files}


def sync_tree(path: Path) -> None:
    """fsync a file, or a folder and everything in it. All at once, because each wait costs a turn of the disk."""
    with ThreadPoolExecutor(SYNCS_AT_ONCE) as pool:
        list(pool.map(sync, [*path.rglob("*"), path] if path.is_dir() else [path]))
