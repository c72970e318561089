"""Spark for tests: a Python that has pyspark, a standalone master with workers on loopback, and crawl directories."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from pathlib import Path

import numpy as np
import psutil
import pytest

from webgraph_it.analyse.csr import Csr

PROJECT = Path(__file__).parents[2]


def spark_python() -> str:
    """The Python of `make cluster`, or this one. The test is skipped without pyspark or Java."""
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java 17 or 21, which is not installed")
    own = PROJECT / ".venv/spark/bin/python"
    python = os.environ.get("SPARK_PYTHON") or (str(own) if own.exists() else sys.executable)
    if subprocess.run([python, "-c", "import pyspark"], capture_output=True, check=False).returncode:
        pytest.skip("pyspark is not installed: make cluster")
    return python


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PROJECT), "SPARK_LOCAL_IP": "127.0.0.1"}


def start_cluster(python: str, *words: str) -> subprocess.Popen[str]:
    """`webgraph-it cluster …`."""
    return subprocess.Popen(
        [python, "-m", "webgraph_it", "cluster", *words],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run_cluster(python: str, *words: str, code: int = 0) -> str:
    with start_cluster(python, *words) as process:
        output, _ = process.communicate(timeout=900)
    assert process.returncode == code, output[-4000:]
    return output


class Standalone:
    """A master and its workers, each with one core."""

    def __init__(self, python: str, folder: Path) -> None:
        found = subprocess.run(
            [python, "-c", "import pyspark; print(pyspark.__path__[0])"],
            capture_output=True,
            text=True,
            check=True,
        )
        self._class = Path(found.stdout.strip()) / "bin/spark-class"
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        folder.mkdir(parents=True)
        self.url = self._master()

    def _start(self, name: str, *words: str) -> Path:
        log = self._folder / f"{name}.log"
        with log.open("wb") as file:
            self._processes.append(
                subprocess.Popen(
                    [str(self._class), f"org.apache.spark.deploy.{words[0]}", *words[1:]],
                    env=environment(),
                    stdout=file,
                    stderr=file,
                    cwd=self._folder,
                )
            )
        return log

    def _master(self) -> str:
        log = self._start(
            "master", "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"
        )
        return _found(log, r"Starting Spark master at (spark://\S+)")

    def add_worker(self, memory: str = "1g") -> psutil.Process:
        number = len(self._processes)
        words = ["--cores", "1", "--memory", memory, "--webui-port", "0", "--host", "127.0.0.1"]
        folder = ["--work-dir", str(self._folder / f"worker-{number}")]
        log = self._start(f"worker-{number}", "worker.Worker", *words, *folder, self.url)
        _found(log, r"(Successfully registered with master)")
        return psutil.Process(self._processes[-1].pid)

    def stop(self) -> None:
        for process in reversed(self._processes):
            kill_tree(psutil.Process(process.pid)) if process.poll() is None else None
            process.wait()


def kill_tree(process: psutil.Process) -> None:
    """kill -9 of a process and all that it started: of a worker, its executors."""
    for each in (*process.children(recursive=True), process):
        try:
            each.kill()
        except psutil.NoSuchProcess:
            continue


@contextmanager
def standalone(python: str, folder: Path) -> Iterator[Standalone]:
    cluster = Standalone(python, folder)
    try:
        yield cluster
    finally:
        cluster.stop()


def _found(log: Path, pattern: str, seconds: float = 60) -> str:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := re.search(pattern, log.read_text(errors="replace")):
            return found.group(1)
        time.sleep(0.2)
    raise AssertionError(f"{pattern} is not in {log}: {log.read_text(errors='replace')[-2000:]}")


def write_graph(directory: Path, graph: Csr) -> Path:
    """A crawl directory with the arcs of a graph. Its nodes are called it,cnr)/000000 …, so that ids are ranks."""
    keys = [f"it,cnr)/{node:08d}" for node in range(graph.nodes)]
    digests = (
        np.frombuffer(b"".join(md5(key.encode()).digest() for key in keys), np.uint8).reshape(-1, 16).copy()
    )
    digests[:, 0] &= 0x7F
    for folder in ("graph", "urls", "pages"):
        (directory / folder).mkdir(parents=True)
    (directory / "crawl.json").write_text('{"recipe_version": 1}')
    lines = "".join(f"{key}\thttp://cnr.it/{key[8:]}\n" for key in keys)
    (directory / "urls/000001.tsv").write_text(lines)
    (directory / "pages/000001.jsonl").touch()
    offsets = np.asarray(graph.offsets, np.int64)
    parents = offsets[:-1] + np.arange(graph.nodes)
    records = np.empty((graph.arcs + graph.nodes, 16), np.uint8)
    is_parent = np.zeros(len(records), bool)
    is_parent[parents] = True
    records[is_parent] = digests
    records[is_parent, 0] |= 0x80
    records[~is_parent] = digests[np.asarray(graph.targets)]
    (directory / "graph/000001.g16").write_bytes(records.tobytes())
    return directory
