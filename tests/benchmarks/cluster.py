"""URL ranking on Spark: records per second by input size and by workers, beside our own on one machine.

    python -m tests.benchmarks.cluster [--records 500000 1000000 2000000 4000000] [--large 60000000] [--rounds 1]

The input is a generated crawl directory (tests/benchmarks/crawl_generator.py). A record is one digest of a shard.
`webgraph-it cluster pagerank` is run whole, from the crawl directory to Parquet, on a standalone master with one worker
process and with two, each with one core. Ours is convert to CSR and its transpose, then PageRank to the same tolerance,
with one thread and with two. Spark's start is in its figures: the smallest input shows it. Needs `make cluster`.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks.crawl_generator import generate
from tests.cluster.spark import environment, spark_python, standalone

RECORDS_PER_NODE = 16
CODE = """
import sys, time
from pathlib import Path
from webgraph_it.analyse.csr import csr
from webgraph_it.analyse.pagerank import pagerank
from webgraph_it.cli import main
main(["convert", sys.argv[1], "--out", sys.argv[2], "--only", "csr,transpose"])
from webgraph_it.graph.csr import CsrFiles
import numpy as np
out = Path(sys.argv[2])
def read(tail):
    return csr(np.fromfile(out / f"offsets{tail}.u64", "u8"), np.fromfile(out / f"targets{tail}.u32", "u4"))
pagerank(read(""), read("-t"))
"""


SPARK = (
    *("--set", "spark.driver.host=127.0.0.1", "--set", "spark.driver.memory=3g"),
    *("--set", "spark.executor.memory=5g"),
)
COLUMNS = (
    *("records", "one worker", "an iteration", "two workers", "an iteration"),
    *("one ÷ two", "ours, one thread", "two threads", "Spark ÷ ours, one core each"),
)


class Cost(NamedTuple):
    """Of one run."""

    seconds: float
    iteration_seconds: float = 0.0
    """The start of the process, reading and writing left out."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, nargs="*", default=[500_000, 1_000_000, 2_000_000, 4_000_000])
    parser.add_argument("--large", type=int, default=60_000_000, help="0: none")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args(arguments)
    python = spark_python()
    with tempfile.TemporaryDirectory(
        prefix="cluster-"
    ) as folder:  # so that no figure has the compilation in it
        crawl = generate(Path(folder) / "crawl", 1_000, 15_000)
        cost([sys.executable, "-c", CODE, str(crawl), f"{folder}/out"], {})
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    for records in [*options.records, *([options.large] if options.large else [])]:
        with tempfile.TemporaryDirectory(prefix="cluster-") as folder:
            path = generate(Path(folder) / "crawl", records // RECORDS_PER_NODE, records * 15 // 16)
            found = sum(file.stat().st_size for file in (path / "graph").iterdir()) // 16
            show(found, [measured(python, path, Path(folder) / f"out-{n}") for n in range(options.rounds)])


def measured(python: str, crawl: Path, out: Path) -> list[Cost]:
    """Spark with one worker and with two, ours with one thread and with two."""
    costs = []
    for workers in (1, 2):
        with standalone(python, Path(f"{out}-spark-{workers}")) as cluster:
            for _ in range(workers):
                cluster.add_worker(memory="6g")
            words = ["pagerank", str(crawl), "--out", f"{out}-{workers}", "--master", cluster.url, *SPARK]
            costs.append(cost([python, "-m", "webgraph_it", "cluster", *words], {}))
    for threads in ("1", "2"):
        command = [sys.executable, "-c", CODE, str(crawl), f"{out}-ours-{threads}"]
        costs.append(cost(command, {"NUMBA_NUM_THREADS": threads}, cores=int(threads)))
    return costs


def cost(command: list[str], more: dict[str, str], cores: int = 0) -> Cost:
    """`cores`: how many the process may use; 0: all."""
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[-cores:])  # inherited
    began = time.monotonic()
    done = subprocess.run(command, env={**environment(), **more}, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    os.sched_setaffinity(0, allowed)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    told = re.findall(r"^iteration (\d+): .* \(([\d.]+) s\)$", done.stderr, re.MULTILINE)
    return Cost(seconds, float(told[-1][1]) / int(told[-1][0]) if told else 0.0)


def show(records: int, rounds: list[list[Cost]]) -> None:
    one, two, ours, ours_two = (
        Cost(*map(median, zip(*column, strict=True))) for column in zip(*rounds, strict=True)
    )
    cells = [
        f"{records:,}",
        *(
            text
            for spark in (one, two)
            for text in (_rate(records, spark), f"{spark.iteration_seconds:.2f} s")
        ),
        f"{one.seconds / two.seconds:.2f}",
        *(_rate(records, each) for each in (ours, ours_two)),
        f"{one.seconds / ours.seconds:.1f}",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def _rate(records: int, cost: Cost) -> str:
    return f"{cost.seconds:.1f} s, {records / cost.seconds:,.0f}/s"


if __name__ == "__main__":
    main()
