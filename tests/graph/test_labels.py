"""LAW's arc labels: bit by bit, and as Java reads them."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.convert.visited_crawls import Visit, write_visits
from tests.graph.java_oracle import JAR, needs_java
from tests.verbs import convert
from webgraph_it.graph import WebGraph
from webgraph_it.graph.labels import LABEL_BITS

KEYS = [f"it,sito{number})/" for number in range(12)]


@pytest.fixture
def graph(tmp_path: Path) -> WebGraph:
    draw = np.random.default_rng(4)
    visits = [
        Visit(
            20_000 + 10 * turn, key, "fetched", tuple(draw.choice(KEYS, draw.integers(0, 9), replace=False))
        )
        for turn in range(3)
        for key in KEYS
    ]
    crawl = write_visits(tmp_path, visits)
    assert convert([str(crawl), "--history"]) == 0
    return WebGraph(crawl / "history")


def arcs(graph: WebGraph) -> list[tuple[int, ...]]:
    days = graph.arc_days
    sources = np.repeat(np.arange(len(graph)), np.diff(graph.offsets).astype(int))
    columns = [each.tolist() for each in (sources, graph.targets, days.first, days.last, days.ended)]
    return list(zip(*columns, strict=True))


def test_label_of_an_arc_is_three_days_of_16_bits(graph: WebGraph) -> None:
    bits = np.unpackbits(np.fromfile(graph.path / "italy-days.labels", np.uint8))
    labels = bits[: LABEL_BITS * graph.arcs].reshape(-1, LABEL_BITS)
    assert len(bits) - labels.size < 8
    assert labels[:, :5].tolist() == [[0, 0, 1, 0, 0]] * graph.arcs
    days = labels[:, 5:].reshape(-1, 3, 16) @ (1 << np.arange(15, -1, -1))
    assert [tuple(row) for row in days.tolist()] == [arc[2:] for arc in arcs(graph)]
    assert {arc[4] > 0 for arc in arcs(graph)} == {True, False}


@needs_java
def test_java_reads_the_same_days(graph: WebGraph) -> None:
    program = Path(__file__).with_name("ShowLabels.java")
    modules = subprocess.run(["java", "--list-modules"], capture_output=True, text=True, check=True).stdout
    if "jdk.compiler" not in modules:
        pytest.skip("needs a JDK: this Java cannot compile")
    command = ["java", "-cp", str(JAR), str(program), str(graph.path / "italy-days")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert sorted(found) == arcs(graph)
