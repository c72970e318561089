"""Runs real fleets on a real small internet, kills their members, and compares what they left with the truth."""

import random
import signal
import subprocess
import time
from collections import Counter
from hashlib import md5
from pathlib import Path
from typing import Any

from tests.crawl.crawling import finish, start_crawl
from webgraph_it.cli import main
from webgraph_it.fleet.local import board_of
from webgraph_it.killpoint import FLEET_POINTS, POINTS
from webgraph_it.shards.fleet import member_folder
from webgraph_it.simweb import SimWeb

FAST = {"COMMIT_INTERVAL": 0.2, "CHECKPOINT_INTERVAL": 0.7, "EXTRACT_WORKERS": 0}
AT_RANDOM = "at random"
COMPACT = ("graph.g4", "offsets.u64", "targets.u32", "italy.graph", "italy.offsets", "italy.properties")
"""The files of a compact graph that are equal byte for byte. The others show spellings, depths and times."""


class Fleet:
    """A fleet of one web in one directory: one process per member, started and killed one by one."""

    def __init__(self, web: SimWeb, directory: Path, size: int, **settings: Any) -> None:
        self._web = web
        self.directory = directory
        self.size = size
        self._settings = {**FAST, **settings}
        self.processes: dict[int, subprocess.Popen[str]] = {}
        self.kills: Counter[str] = Counter()
        self._where: dict[int, str] = {}
        self._deadlines: dict[int, float] = {}

    def path(self, member: int) -> Path:
        return self.directory / member_folder(member)

    def start(self, member: int, kill_at: str = "", **settings: Any) -> subprocess.Popen[str]:
        settings = {**self._settings, "FLEET_SIZE": self.size, "FLEET_MEMBER": member, **settings}
        process = start_crawl(self._web, self.directory, kill_at=kill_at, **settings)
        self.processes[member] = process
        self._where[member] = kill_at.partition(":")[0]
        return process

    def start_all(self) -> None:
        for member in range(1, self.size + 1):
            self.start(member)

    def wait(self, seconds: float = 120) -> list[str]:
        """The output of every member, once all have ended with exit code 0."""
        outputs = {member: finish(process, seconds) for member, process in self.processes.items()}
        for member, process in self.processes.items():
            assert process.returncode == 0, f"member {member}: {outputs[member][-4000:]}"
        return list(outputs.values())

    def run(self) -> list[str]:
        self.start_all()
        return self.wait()

    def stop(self) -> None:
        """Kill what is left, after a failed test."""
        for process in self.processes.values():
            process.kill()
            process.communicate()

    def be_killed(self, kills: int, chance: random.Random) -> None:
        """Let members be killed, at named points and at random, until there were so many kills or the crawl is over."""
        for member in range(1, self.size + 1):
            self._start_doomed(member, chance)
        stop = time.monotonic() + 60 + 5 * kills
        while self.kills.total() < kills and time.monotonic() < stop:
            time.sleep(0.02)
            for member, process in list(self.processes.items()):
                if process.poll() is None and time.monotonic() > self._deadlines[member]:
                    process.kill()
                    self._where[member] = AT_RANDOM
                if process.poll() is None:
                    continue
                output = finish(process)
                assert process.returncode in (0, -signal.SIGKILL), f"member {member}: {output[-4000:]}"
                if process.returncode:
                    self.kills[self._where[member]] += 1
                elif all(each.poll() == 0 for each in self.processes.values()):
                    return
                self._start_doomed(member, chance)

    def _start_doomed(self, member: int, chance: random.Random) -> None:
        point = chance.choice((*POINTS, *FLEET_POINTS)) if chance.random() < 0.7 else ""
        self.start(member, f"{point}:{chance.randint(1, 3)}" if point else "")
        self._deadlines[member] = time.monotonic() + (15.0 if point else chance.uniform(1.0, 5.0))

    def recover(self) -> list[str]:
        """After the kills, start again whoever was killed, and let the crawl end."""
        for member, process in list(self.processes.items()):
            if self._where[member] or process.poll() is not None:
                process.kill()
                process.communicate()
                self.start(member)
        return self.wait()


def crawl_a_while(fleet: Fleet, pages: int) -> None:
    """Let it crawl until it has so many pages, then stop it."""
    began = time.time()
    fleet.start_all()
    stop = time.monotonic() + 60
    while time.monotonic() < stop:
        board = [each for each in board_of(fleet.directory).values() if each.facts.get("time", 0) > began]
        fetched = sum(status.facts.get("pages", 0) for status in board)
        if len(board) == fleet.size and fetched >= pages:
            break
        time.sleep(0.05)
    for process in fleet.processes.values():
        process.send_signal(signal.SIGTERM)
    for process in fleet.processes.values():
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 3, output[-3000:]


def compact(crawl: Path, out: Path) -> dict[str, str]:
    """Checksums of the compact graph of a crawl or a fleet."""
    assert main(["convert", str(crawl), "--out", str(out), "--only", "g4,bv"]) == 0
    return {name: md5((out / name).read_bytes()).hexdigest() for name in COMPACT}
