"""URL ranking on Spark: records per second by input size and by workers, beside our own on one machine.

    python -m tests.benchmarks.cluster [--records 500000 1000000 2000000 4000000 60000000] [--rounds 1]
                                       [--rankings priorities pagerank]

The input is a generated crawl directory (tests/benchmarks/crawl_generator.py). A record is one digest of a shard.
`webgraph-it cluster` is run whole, from the crawl directory to Parquet, on a standalone master with one worker process
and with two, each with one core. Spark's start is in its figures: the smallest input shows it. Needs `make cluster`.

priorities  Anansi's ranking, one pass over the links. Ours is `webgraph-it recrawl plan`
pagerank    to a tolerance of 1e-11, in some 130 iterations. Ours is convert to CSR and its transpose, then PageRank

Ours runs with one thread and with two.
"""

import argparse
import os
import re
import shutil
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
PAGERANK = """
import sys
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
RANKINGS = ("priorities", "pagerank")
SPARK = (
    *("--set", "spark.driver.host=127.0.0.1", "--set", "spark.driver.memory=3g"),
    *("--set", "spark.executor.memory=5g"),
)
COLUMNS = (
    *("ranking", "records", "one worker", "an iteration", "two workers", "an iteration"),
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
    sizes = [500_000, 1_000_000, 2_000_000, 4_000_000, 60_000_000]
    parser.add_argument("--records", type=int, nargs="*", default=sizes)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--rankings", nargs="*", choices=RANKINGS, default=RANKINGS)
    options = parser.parse_args(arguments)
    python = spark_python()
    with tempfile.TemporaryDirectory(
        prefix="cluster-"
    ) as folder:  # so that no figure has the compilation in it
        crawl = generate(Path(folder) / "crawl", 1_000, 15_000)
        for ranking in options.rankings:
            cost(ours(ranking, crawl, Path(folder) / ranking, 2), {})
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    for records in options.records:
        with tempfile.TemporaryDirectory(prefix="cluster-") as folder:
            path = generate(Path(folder) / "crawl", records // RECORDS_PER_NODE, records * 15 // 16)
            found = sum(file.stat().st_size for file in (path / "graph").iterdir()) // 16
            for ranking in options.rankings:
                rounds = [
                    measured(python, ranking, path, Path(folder) / "out") for _ in range(options.rounds)
                ]
                show(ranking, found, rounds)


def measured(python: str, ranking: str, crawl: Path, out: Path) -> list[Cost]:
    """Spark with one worker and with two, ours with one thread and with two. `out` is a folder for each in turn."""
    costs = []
    for workers in (1, 2):
        with standalone(python, out / "spark") as cluster:
            for _ in range(workers):
                cluster.add_worker(memory="6g")
            words = [ranking, str(crawl), "--out", str(out / "result"), "--master", cluster.url, *SPARK]
            costs.append(cost([python, "-m", "webgraph_it", "cluster", *words], {}))
        shutil.rmtree(out)
    for threads in (1, 2):
        limit = {"NUMBA_NUM_THREADS": str(threads)}
        costs.append(cost(ours(ranking, crawl, out, threads), limit, cores=threads))
        shutil.rmtree(out, ignore_errors=True)
    return costs


def ours(ranking: str, crawl: Path, out: Path, threads: int) -> list[str]:
    """The command that ranks on this machine."""
    if ranking == "pagerank":
        return [sys.executable, "-c", PAGERANK, str(crawl), str(out)]
    words = ["recrawl", "plan", str(crawl), "--threads", str(threads)]
    return [sys.executable, "-m", "webgraph_it", *words]


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


def show(ranking: str, records: int, rounds: list[list[Cost]]) -> None:
    one, two, ours, ours_two = (
        Cost(*map(median, zip(*column, strict=True))) for column in zip(*rounds, strict=True)
    )
    cells = [
        ranking,
        f"{records:,}",
        *(
            text
            for spark in (one, two)
            for text in (
                _rate(records, spark),
                f"{spark.iteration_seconds:.2f} s" if ranking == "pagerank" else "",
            )
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
