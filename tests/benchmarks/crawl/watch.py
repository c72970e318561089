"""Runs a program to its end and watches its processes: wall time, CPU time, peak memory, CPU over time.

Memory is the kernel's own high-water mark of each process (VmHWM), read ten times a second. The `ru_maxrss` that
wait4 gives is no use here: between fork and exec a child is a copy of its parent, and that counts as its peak. A
benchmark that holds the truth of a large web would see its own size in every small contender. What is missed is
only what a process grows by in its last tenth of a second.

It also says how many cores other programs kept busy meanwhile: wall times of a busy machine are worth little.
"""

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

PROJECT = Path(__file__).parents[3]
POLL_SECONDS = 0.1
POLLS_PER_FAMILY = 5
"""Looking for new children costs more than looking at known ones."""


@dataclass
class Seen:
    """One process, as far as it was seen."""

    cpu_seconds: float = 0.0
    peak_mb: float = 0.0


@dataclass
class Watched:
    """A program that has ended."""

    code: int
    """Of its end; negative: the signal that killed it."""
    seconds: float
    cpu_seconds: float
    """Its own and that of the children it waited for."""
    text: str
    """All that it said."""
    pid: int
    processes: dict[int, Seen]
    """It and its descendants, by process id."""
    curve: list[tuple[float, float]]
    """(time, CPU seconds of all its processes until then)"""
    others_cores: float
    """Kept busy by other programs meanwhile; the partners are not others."""

    @property
    def peak_mb(self) -> float:
        """Of the program's own process."""
        return self.processes[self.pid].peak_mb if self.pid in self.processes else 0.0

    @property
    def children_peak_mb(self) -> float:
        """The sum over the processes beside it."""
        return sum(seen.peak_mb for pid, seen in self.processes.items() if pid != self.pid)

    def cpu_until(self, moment: float) -> float:
        """CPU seconds of all its processes until then, between two looks by a straight line."""
        return float(np.interp(moment, [at for at, _ in self.curve], [cpu for _, cpu in self.curve]))


@dataclass
class _Watcher:
    """Looks at a process and its descendants until told to stop; kills it when its time is over."""

    root: psutil.Process
    deadline: float
    processes: dict[int, Seen] = field(default_factory=dict)
    curve: list[tuple[float, float]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        polls = 0
        family = [self.root]
        while not self.ended.is_set():
            if polls % POLLS_PER_FAMILY == 0:
                family = self._family() or family
            for process in family:
                self._look(process)
            self.curve.append((time.time(), sum(seen.cpu_seconds for seen in self.processes.values())))
            if time.monotonic() > self.deadline:
                self.root.kill()
            polls += 1
            self.ended.wait(POLL_SECONDS)

    def _family(self) -> list[psutil.Process]:
        try:
            return [self.root, *self.root.children(recursive=True)]
        except psutil.Error:
            return []

    def _look(self, process: psutil.Process) -> None:
        seen = self.processes.setdefault(process.pid, Seen())
        try:
            cpu_seconds = _own_seconds(process)
            status = Path(f"/proc/{process.pid}/status").read_text()
        except (psutil.Error, OSError):  # it has just ended
            return
        seen.cpu_seconds = max(seen.cpu_seconds, cpu_seconds)
        peak = status.partition("VmHWM:")[2].split()
        if peak:  # a zombie has none
            seen.peak_mb = int(peak[0]) * 1024 / 1e6


def watch(command: list[str], *, partners: Sequence[int] = (), timeout_seconds: float = 3600.0) -> Watched:
    """Run it in the project's folder. It is killed when its time is over.

    `partners`: processes that work for it, such as the web that it crawls.
    """
    known = [psutil.Process(), *map(psutil.Process, partners)]
    machine, ours = _machine_seconds(), sum(map(_own_seconds, known))
    with tempfile.TemporaryFile("w+") as output:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=PROJECT, stdout=output, stderr=subprocess.STDOUT)
        watcher = _Watcher(psutil.Process(process.pid), time.monotonic() + timeout_seconds)
        thread = threading.Thread(target=watcher.watch)
        thread.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        watcher.ended.set()
        thread.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    cpu_seconds = usage.ru_utime + usage.ru_stime
    others = _machine_seconds() - machine - (sum(map(_own_seconds, known)) - ours) - cpu_seconds
    return Watched(
        process.returncode,
        seconds,
        cpu_seconds,
        text,
        process.pid,
        watcher.processes,
        watcher.curve,
        max(0.0, others / seconds),
    )


def _machine_seconds() -> float:
    """CPU time of all processes since the machine started."""
    times = psutil.cpu_times()
    return times.user + times.system


def _own_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def succeed(command: list[str], *, partners: Sequence[int] = ()) -> Watched:
    """The same for a program that must succeed."""
    watched = watch(command, partners=partners)
    if watched.code:
        raise SystemExit(f"{' '.join(command[1:5])} ended with code {watched.code}:\n{watched.text[-2000:]}")
    return watched
