"""kill -9 at any moment: what is reopened is what was committed, all of it and nothing more."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from webgraph_it.frontier import RocksStore

from .making import drain, open_frontier
from .working import diary_of


def kill_after(directory: Path, seed: int, seconds: float) -> int:
    """Let a process work so long after it opened the frontier, then kill it. How often it committed."""
    command = [sys.executable, "-m", f"{__package__}.working", str(directory), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        time.sleep(seconds)
        process.kill()
        return process.stdout.read().count("committed")


def check(directory: Path) -> int:
    """The frontier must hold exactly what the committed part of the diary says. How many URLs are left."""
    store = RocksStore(directory / "frontier")
    frontier = open_frontier(store)
    length = int(frontier.get_meta("diary") or 0)
    lines = diary_of(directory).read_bytes()[:length].decode().split()
    added = [line[1:] for line in lines if line.startswith("+")]
    finished = {line[1:] for line in lines if line.startswith("-")}
    assert len(added) == len(set(added)), "added twice"
    counts = frontier.counts()
    assert (counts.seen, counts.done) == (len(added), len(finished))
    # Taken out but never committed: the next process finds it all again.
    assert sorted(lease.key for lease in drain(frontier, 0.0)) == sorted(set(added) - finished)
    store.close()
    return len(added)


def kill_and_check(directory: Path, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    sizes = []
    for kill in range(kills):
        kill_after(directory, kill, chance.uniform(0.0, 0.6))
        sizes.append(check(directory))
    assert sizes == sorted(sizes)
    assert sizes[-1] > 0


def test_a_killed_frontier_is_the_committed_one(tmp_path: Path) -> None:
    kill_and_check(tmp_path, kills=5, seed=1)


@pytest.mark.slow
def test_a_frontier_killed_very_often_is_the_committed_one(tmp_path: Path) -> None:
    kill_and_check(tmp_path, kills=60, seed=2)
