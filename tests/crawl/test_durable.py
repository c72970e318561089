"""What a power cut can do to a crawl: the order of system calls over its commits and checkpoints, seen by strace.

`kill -9` leaves the kernel's cache alone, so no kill notices that an fsync is missing. Here every one is missed.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, differences
from tests.mutants import Mutant
from tests.syscalls import WRITES, Call, Disk, needs_strace, trace
from webgraph_it.frontier.rocks import TABLE_FILE
from webgraph_it.simweb import SimWeb

SYNCS = ("fsync", "fdatasync")
FAST = {"COMMIT_INTERVAL": 0.2, "CHECKPOINT_INTERVAL": 0.3, "HOST_DELAY": 0.02}
"""With a delay, so that the crawl lasts until its first checkpoint on a fast machine, too."""
WRITER, ROCKS = "webgraph_it.shards.writer", "webgraph_it.frontier.rocks"
DIRECTORY, COMMIT = "webgraph_it.crawl.directory", "webgraph_it.crawl.commit"
DISK = "webgraph_it.files.own"
STORE_COMMIT = (
    '            frozen.write({"shards": packed(files), "tally": tally, "commits": commits})\n'
    '            reached("after-store-commit")\n'
)
COMMITTED = "            self._directory.write_committed(files)\n"
MUTANTS = {
    "the bytes of a shard": Mutant(WRITER, "        os.fdatasync(self._fd)\n"),
    "the shards before a commit": Mutant(WRITER, "            file.sync()\n"),
    "the name of a shard": Mutant(WRITER, "        sync(path.parent)\n"),
    "the names of the streams' folders": Mutant(
        WRITER, "        make_folder(directory / stream)\n", "        (directory / stream).mkdir(exist_ok=True)\n"
    ),
    "the name of frontier/": Mutant(ROCKS, "            _sync(str(self._directory.parent))"),
    "the bytes of a small file": Mutant(DISK, "            file.flush()\n            os.fsync(descriptor)\n"),
    "the name of a folder": Mutant(DISK, "        sync(folder.parent)\n", "        pass\n"),
    "the name of a small file": Mutant(DISK, "    sync(path.parent)\n"),
    "the name of seeds/": Mutant(
        DIRECTORY, "        make_folder(self.seeds)\n", "        self.seeds.mkdir(exist_ok=True)\n"
    ),
    "the names of JOBDIR and those above": Mutant(
        DIRECTORY, "        make_folder(self.path)\n", "        self.path.mkdir(parents=True, exist_ok=True)\n"
    ),
    "the store's commit before committed.json": Mutant(COMMIT, STORE_COMMIT + COMMITTED, COMMITTED + STORE_COMMIT),
}  # fmt: skip
EXCEPTIONS = (
    "                _sync(path)",  # rocks.py: it divides the last sync of a table; see test_rocks.py
    "        os.fsync(descriptor)",  # writer.py: after a cut, which a crawl that was never killed does not make
    "        make_folder(self.reports)",  # directory.py: reports may get lost
)
"""What no record relies on."""


def crawl_calls(web: SimWeb, jobdir: Path, mutant: Mutant | None = None) -> list[Call]:
    command = crawl_command(web, jobdir, **FAST)
    if mutant:
        command = mutant.command(*command[2:])
    return trace(command, jobdir.parents[1] / "log", cwd=PROJECT)


class Judge:
    """Knows what must be on disk at the instants that count, and notes what is not."""

    def __init__(self, jobdir: Path) -> None:
        self._jobdir = jobdir
        self._disk = Disk()
        self._written: set[str] = set()
        """Have bytes that are not synced; an empty file may get lost."""
        self._table = ""
        """The table file that the store takes in now."""
        self._committed = False
        """The store has committed since a shard was synced."""
        self.found: list[str] = []

    def see(self, call: Call) -> None:
        old, new = (call.paths[0], call.paths[-1]) if call.paths else ("", "")
        if call.name.startswith("rename"):
            self._renamed(old, new)
        elif call.name.startswith("link"):
            self._table = new
            self._complain([old] if old in self._disk.files else [], f"{new} is made of it")
        elif call.name in SYNCS and "/frontier/MANIFEST-" in old and self._table:
            self._complain(self.unsafe(), f"the store commits {self._table}")
            self._table, self._committed = "", True
        elif call.name in SYNCS and re.match(rf"{self._jobdir}/(graph|urls|pages)/", old):
            self._committed = False
        self._disk.apply(call)
        self._keep_account(call, old)

    def unsafe(self) -> list[str]:
        """RocksDB answers for its own files, except for the commit itself. Reports and the lock may get lost."""
        own = rf"{self._jobdir}/(reports|crawl\.lock|frontier/(?!{Path(self._table).name or '$'}))"
        return [
            path
            for path in self._disk.unsafe(str(self._jobdir.parent))
            if (path in self._written or path in self._disk.names) and not re.match(own, path)
        ]

    def _renamed(self, old: str, new: str) -> None:
        if not new.startswith(f"{self._jobdir}/") or new.startswith(f"{self._jobdir}/reports/"):
            return
        self._complain([old] if old in self._disk.files else [], f"it becomes {new}")
        if new == f"{self._jobdir}/crawl.json":
            self._complain([path for path in self.unsafe() if path != old], "crawl.json appears")
        if new == f"{self._jobdir}/committed.json":
            self._complain([] if self._committed else ["the store's commit"], "committed.json appears")

    def _keep_account(self, call: Call, path: str) -> None:
        if call.name in WRITES and "truncate" not in call.name:
            self._written.add(path)
        elif call.name in SYNCS or call.name.startswith(("unlink", "rename")):
            self._written.discard(path)
        if call.name.startswith("unlink"):  # what comes back is cut off or removed again
            self._disk.names.discard(path)

    def _complain(self, paths: list[str], when: str) -> None:
        self.found += [f"{path} is not synced when {when}" for path in paths]


def violations(calls: list[Call], jobdir: Path) -> list[str]:
    """What a power cut could undo although a record says that it is done."""
    judge = Judge(jobdir)
    for call in calls:
        judge.see(call)
    return judge.found + [f"{path} is not synced at the end" for path in judge.unsafe()]


def is_empty_file(path: str) -> bool:
    return Path(path).is_file() and not Path(path).stat().st_size


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=5, pages=150, seed=3, only=["plain"]) as web:
        yield web


@needs_strace
def test_everything_is_on_disk_before_it_is_recorded(web: SimWeb, tmp_path: Path) -> None:
    jobdir = tmp_path / "crawls" / "italy"
    calls = crawl_calls(web, jobdir)
    assert differences(web, jobdir) == []
    assert (jobdir / "graph" / "000002.g16").exists(), "there was no checkpoint"
    assert violations(calls, jobdir) == []
    synced = {call.paths[0] for call in calls if call.name in SYNCS and str(tmp_path) in call.paths[0]}
    manifest = max(path for path in synced if "/frontier/MANIFEST-" in path)
    ours = {
        path for path in synced if not re.search("/(frontier/|reports)", path) and not is_empty_file(path)
    }
    ours |= {manifest, f"{jobdir}/frontier/{TABLE_FILE}"}
    assert len(ours) >= 14
    for path in ours:
        without = [call for call in calls if not (call.name in SYNCS and call.paths[0] == path)]
        assert violations(without, jobdir), f"nobody would miss the fsync of {path}"


@pytest.mark.slow
@needs_strace
@pytest.mark.parametrize("left_out", MUTANTS)
def test_a_crawl_without_one_of_its_fsyncs_is_noticed(web: SimWeb, left_out: str, tmp_path: Path) -> None:
    jobdir = tmp_path / "crawls" / "italy"
    assert violations(crawl_calls(web, jobdir, MUTANTS[left_out]), jobdir)


@pytest.mark.parametrize("module", [WRITER, ROCKS, DIRECTORY, DISK])
def test_every_fsync_is_among_those_left_out(module: str) -> None:
    source = (PROJECT / f"{module.replace('.', '/')}.py").read_text()
    lines = re.findall(r"^.*\b(?:_?sync|fsync|fdatasync|make_folder)\(.*$", source, re.MULTILINE)
    lines = [
        line for line in lines if not re.search(r"def |\.sync\(write_store|fdatasync\(descriptor\)", line)
    ]
    known = "\n".join(mutant.old for mutant in MUTANTS.values() if mutant.module == module)
    assert [line for line in lines if line.partition("  #")[0] not in known and line not in EXCEPTIONS] == []
    assert lines
