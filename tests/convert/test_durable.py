"""What a kill or a power cut during a conversion, or after it, can do: the order of system calls, seen by strace."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from tests.syscalls import Call, Disk, needs_strace, trace
from tests.verbs import convert as main
from webgraph_it.graph import GraphError, WebGraph

CONVERT = [sys.executable, "-m", "webgraph_it.convert"]
SYNCS = ("fsync", "fdatasync")
DIE_AFTER_RENAME = """
import os, signal, sys
from pathlib import Path
rename = Path.rename
def and_die(self, target):
    rename(self, target)
    if str(target) == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)
Path.rename = and_die
from webgraph_it.cli import main
sys.exit(main(["convert", *sys.argv[2:]]))
"""


def violations(calls: list[Call], out: Path) -> list[str]:
    """What a power cut could undo although a record says that it is done."""
    disk, found, work = Disk(), list[str](), f"{out}/.work"
    for call in calls:
        if call.name in ("rmdir", "unlinkat") and call.paths[0] == work:
            continue  # the end of the work folder: if it comes back, nobody reads it
        if call.name.startswith("rename") and call.paths[1].startswith(
            f"{out.parent}/"
        ):  # not Python's own cache
            old, new = call.paths
            inside = [path for path in disk.unsafe(old) if path != old or path in disk.files]
            found += [f"{path} became {new} before it was synced" for path in inside]
            if new in (f"{work}/state.json", f"{out}/graph.json"):
                ignored = [f"{work}/staging", f"{work}/lock", old]
                unsafe = disk.unsafe(str(out), ignored if new.startswith(work) else [work, old])
                found += [f"{path} was not synced when {new} appeared" for path in unsafe]
        disk.apply(call)
    left = disk.unsafe(str(out.parent), but=[work])
    return found + [f"{path} was not synced at the end" for path in left]


@needs_strace
def test_every_file_and_name_is_on_disk_before_it_is_recorded(tmp_path: Path) -> None:
    crawl, out = write_crawl(tmp_path / "crawl"), tmp_path / "new" / "out"
    thesis = ["--graph4", str(tmp_path / "new" / "g4")]
    calls = trace([*CONVERT, str(crawl), "--out", str(out), *thesis], tmp_path / "log")
    assert len(json.loads((out / "graph.json").read_bytes())["files"]) == 52
    assert violations(calls, out) == []
    synced = {call.paths[0] for call in calls if call.name in SYNCS}
    assert len(synced) > 60
    for path in synced:
        without = [call for call in calls if not (call.name in SYNCS and call.paths[0] == path)]
        assert violations(without, out), f"nobody would miss the fsync of {path}"


@needs_strace
def test_the_old_summary_is_gone_for_good_before_the_first_part_changes(tmp_path: Path) -> None:
    crawl, out = write_crawl(tmp_path / "crawl"), tmp_path / "out"
    assert main([str(crawl), "--out", str(out)]) == 0
    calls = trace([*CONVERT, str(crawl), "--out", str(out), "--from", "csr"], tmp_path / "log")
    gone = next(
        number
        for number, call in enumerate(calls)
        if call.name.startswith("unlink") and call.paths[0] == f"{out}/graph.json"
    )
    first = next(
        number
        for number, call in enumerate(calls)
        if call.name.startswith("rename") and Path(call.paths[1]).parent == out
    )
    assert Call("fsync", (str(out),)) in calls[gone:first]


@pytest.mark.parametrize("name", ["offsets.u64", "hosts"])
def test_a_killed_second_run_leaves_no_summary_of_half_new_files(tmp_path: Path, name: str) -> None:
    """Killed right after a part was replaced: whoever opens the folder is told that it is not finished."""
    crawl, out = write_crawl(tmp_path / "crawl"), tmp_path / "out"
    words = [str(crawl), "--out", str(out)]
    assert main(words) == 0
    with (crawl / "urls" / "000001.tsv").open("a") as urls:
        urls.write("it,altro)/\thttp://altro.it/\n")
    command = [sys.executable, "-c", DIE_AFTER_RENAME, str(out / name), *words]
    killed = subprocess.run(command, check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(GraphError, match="is not a finished compact graph"):
        WebGraph(out)
    assert main(words) == 0
    assert (len(WebGraph(out)), len(WebGraph(out).hosts)) == (7, 4)


def test_a_folder_is_replaced_at_once(tmp_path: Path) -> None:
    """Killed while hosts/ is replaced: there is no half of the old one with its own graph.json."""
    crawl, out = write_crawl(tmp_path / "crawl"), tmp_path / "out"
    words = [str(crawl), "--out", str(out)]
    assert main(words) == 0
    old = str(out / ".work" / "staging" / "hosts.old")
    command = [sys.executable, "-c", DIE_AFTER_RENAME, old, *words, "--from", "hosts"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == -signal.SIGKILL
    assert not (out / "hosts").exists()
    assert main(words) == 0
    assert len(WebGraph(out).hosts) == 3
