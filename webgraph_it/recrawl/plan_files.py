"""A plan on disk: which pages to visit again, and which untried URLs come first.

    <JOBDIR>/recrawl/000001/
      plan.json       {"version": 1, "policy": …, "made": seconds since 1970, "revisits": count, "untried": count}
      revisits.tsv    one line per page, in order of the key's bytes:
                      priority TAB key TAB url TAB depth TAB host_depth TAB via LF
      untried.u18     records of 18 bytes, in order of digest: the digest, then its priority (big-endian)

A priority is 0 … 65535, and the lowest is fetched first. It orders the URLs of one host; hosts take turns. `url`,
`depth`, `host_depth` and `via` are those of the page's last line in the page log that made it a parent. The digest of
an untried URL is that of its key (urls.names.digest). The untried list is used only with FRONTIER_ORDER=popular;
there a URL found meanwhile has the priority of one link, 65534: `popularity(in_degree)`.

Guarantees: a folder with a number as its name is whole. Numbers grow. After the import only plan.json is left, with
`"imported": true`. The import checks a plan before it uses it (plan_check.py).
"""

import json
import os
import re
import shutil
import struct
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

from webgraph_it.files.own import FILE_MODE, make_folder, sync, whole_file, write_whole
from webgraph_it.files.received import InputError, read_json_object
from webgraph_it.shards.directory import RECRAWL

PLAN_VERSION = 1
PLAN_FILE, REVISITS_FILE, UNTRIED_FILE = "plan.json", "revisits.tsv", "untried.u18"
UNTRIED = struct.Struct(">16sH")
IMPORTED = "imported"
LOWEST_PRIORITY = 0xFFFF
LONGEST_LINE = 1 << 20
_NUMBER = re.compile(r"[0-9]{6,18}")
_UNFINISHED = ".new"


class PlanError(InputError):
    """A fault of a plan, in one sentence."""


class Planned(NamedTuple):
    """A page to visit again."""

    priority: int
    key: str
    url: str
    depth: int
    host_depth: int
    via: str


class Plan(NamedTuple):
    """A whole plan that was not imported, or not completely."""

    number: int
    path: Path

    @property
    def revisits(self) -> Path:
        return self.path / REVISITS_FILE

    @property
    def untried(self) -> Path:
        return self.path / UNTRIED_FILE


def popularity(in_degree: int) -> int:
    """The priority of an untried URL to which so many pages link."""
    return LOWEST_PRIORITY - min(in_degree, LOWEST_PRIORITY)


class PlanWriter:
    """Takes both lists in their order, in any sequence of calls."""

    def __init__(self, path: Path, revisits: BinaryIO, untried: BinaryIO) -> None:
        self.path = path
        """Where the plan will be."""
        self._revisits = revisits
        self._untried = untried
        self._last_key, self._last_digest = "", b""
        self.revisits = 0
        self.untried = 0

    def revisit(self, planned: Planned) -> None:
        """The next page, by key. Keys and URLs are ASCII, so text sorts as bytes do."""
        priority, key, url, depth, host_depth, via = planned
        if key <= self._last_key:
            raise ValueError(
                f"{key} comes after {self._last_key}: re-visits must be in order of key, each once"
            )
        self._last_key = key
        self._revisits.write(f"{priority}\t{key}\t{url}\t{depth}\t{host_depth}\t{via}\n".encode("ascii"))
        self.revisits += 1

    def put_untried(self, digest: bytes, priority: int) -> None:
        """The next untried URL, by digest."""
        if digest <= self._last_digest:
            raise ValueError("untried URLs must be in order of digest, each once")
        self._last_digest = digest
        self._untried.write(UNTRIED.pack(digest, priority))
        self.untried += 1


@contextmanager
def new_plan(jobdir: Path, policy: str, now: float) -> Iterator[PlanWriter]:
    """What is written in the block becomes the next plan of the crawl, all of it or nothing."""
    with _next_folder(jobdir) as (work, final):
        with ExitStack() as files:
            revisits = files.enter_context(_created(work / REVISITS_FILE))
            writer = PlanWriter(final, revisits, files.enter_context(_created(work / UNTRIED_FILE)))
            yield writer
        facts = {"version": PLAN_VERSION, "policy": policy, "made": now}
        counts = {"revisits": writer.revisits, "untried": writer.untried}
        write_whole(work / PLAN_FILE, json.dumps(facts | counts) + "\n")


def give(plan: Path, jobdirs: Iterable[Path]) -> list[Path]:
    """A copy of the plan becomes the next plan of each crawl: of a fleet's members, which skip what is not theirs.
    Returns where the copies are."""
    places = []
    for jobdir in jobdirs:
        with _next_folder(jobdir) as (work, final):
            for name in (REVISITS_FILE, UNTRIED_FILE, PLAN_FILE):
                with (plan / name).open("rb") as source, whole_file(work / name) as file:
                    shutil.copyfileobj(source, file)
        places.append(final)
    return places


@contextmanager
def _next_folder(jobdir: Path) -> Iterator[tuple[Path, Path]]:
    """(the folder to write into, the name that it gets when the block has ended without an error)."""
    folder = jobdir / RECRAWL
    make_folder(folder)
    final = folder / f"{1 + max(_numbers(folder), default=0):06d}"
    work = final.with_name(final.name + _UNFINISHED)
    shutil.rmtree(work, ignore_errors=True)  # left by a crash
    make_folder(work)
    yield work, final
    work.rename(final)
    sync(folder)


def plans(jobdir: Path) -> list[Plan]:
    """The plans that wait for their import, the oldest first."""
    folder = jobdir / RECRAWL
    found = [Plan(number, folder / f"{number:06d}") for number in sorted(_numbers(folder))]
    return [plan for plan in found if not _was_imported(plan)]


class UntriedList:
    """The priorities of untried URLs, without loading them: a context manager."""

    def __init__(self, plan: Plan) -> None:
        self._path = plan.untried

    def __enter__(self) -> Self:
        self._file = self._path.open("rb")
        self._count = os.fstat(self._file.fileno()).st_size // UNTRIED.size
        self._rows = mmap(self._file.fileno(), 0, access=ACCESS_READ) if self._count else None
        return self

    def __exit__(self, *_: object) -> None:
        if self._rows is not None:
            self._rows.close()
        self._file.close()

    def priority(self, digest: bytes) -> int | None:
        """None if the URL is not in the list."""
        rows, size = self._rows, UNTRIED.size
        if rows is None:
            return None
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if rows[middle * size : middle * size + 16] < digest:
                low = middle + 1
            else:
                high = middle
        found: tuple[bytes, int] | None = UNTRIED.unpack_from(rows, low * size) if low < self._count else None
        return found[1] if found is not None and found[0] == digest else None


def discard(plan: Plan) -> None:
    """The plan was imported: keep only plan.json, which says so."""
    plan.untried.unlink(missing_ok=True)
    plan.revisits.unlink(missing_ok=True)
    with suppress(OSError, InputError):  # no plan.json: there is nothing to keep
        facts = read_json_object(plan.path / PLAN_FILE)
        write_whole(plan.path / PLAN_FILE, json.dumps(facts | {IMPORTED: True}) + "\n")


def planned_from(plan: Plan, offset: int) -> Iterator[tuple[Planned, int]]:
    """The pages from a byte offset on, each with the offset of the next."""
    number, after = 0, f" after byte {offset:,}" if offset else ""
    with plan.revisits.open("rb") as file:
        file.seek(offset)
        while line := file.readline(LONGEST_LINE):
            number, offset = number + 1, offset + len(line)
            yield _planned(plan, line, f"line {number}{after}"), offset


def _planned(plan: Plan, line: bytes, where: str) -> Planned:
    try:
        priority, key, url, depth, host_depth, via = line.decode("ascii").removesuffix("\n").split("\t")
        planned = Planned(int(priority), key, url, int(depth), int(host_depth), via)
        numbers_fit = 0 <= planned.priority <= LOWEST_PRIORITY and planned.depth >= 0 <= planned.host_depth
        if line.endswith(b"\n") and ")" in key and numbers_fit:
            return planned
    except ValueError:
        pass
    raise PlanError(
        f"{plan.revisits} is damaged: {where} is not priority, key, url, depth, host_depth and via. "
        f"Remove {plan.path} and make a new plan with webgraph-it recrawl plan."
    )


def _was_imported(plan: Plan) -> bool:
    try:
        return read_json_object(plan.path / PLAN_FILE).get(IMPORTED) is True
    except (OSError, InputError):  # the import says what is wrong with it
        return False


def _numbers(folder: Path) -> list[int]:
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return [int(name) for name in names if _NUMBER.fullmatch(name)]


@contextmanager
def _created(path: Path) -> Iterator[BinaryIO]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, FILE_MODE), "wb", buffering=1 << 20) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
