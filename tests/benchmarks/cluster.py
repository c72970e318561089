"""URL ranking on Spark: records per second by input size and by cores, beside our own on one machine.

    python -m tests.benchmarks.cluster [--records 500000 1000000 2000000 4000000] [--large 60000000] [--rounds 1]

The input is a generated crawl directory (tests/benchmarks/crawl_generator.py). A record is one digest of a shard.
`webgraph-it cluster pagerank` is run whole, from the crawl directory to Parquet, to the same tolerance as ours
(convert to CSR and its transpose, then PageRank). Spark's start is shown by the smallest input. Needs `make cluster`.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.crawl_generator import generate
from tests.cluster.spark import environment, spark_python

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


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="URL ranking on Spark.")
    parser.add_argument("--records", type=int, nargs="*", default=[500_000, 1_000_000, 2_000_000, 4_000_000])
    parser.add_argument("--large", type=int, default=60_000_000, help="0: none")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args(arguments)
    python = spark_python()
    print(
        "records       Spark 1 core         Spark 2 cores        growth   ours (2 threads)    Spark 2 / ours"
    )
    for records in [*options.records, *([options.large] if options.large else [])]:
        with tempfile.TemporaryDirectory(prefix="cluster-") as folder:
            path = generate(Path(folder) / "crawl", records // RECORDS_PER_NODE, records * 15 // 16)
            found = sum(file.stat().st_size for file in (path / "graph").iterdir()) // 16
            show(found, [measured(python, path, Path(folder) / f"out-{n}") for n in range(options.rounds)])


def measured(python: str, crawl: Path, out: Path) -> tuple[float, float, float]:
    """Seconds of Spark with one core, with two, and of ours."""
    one, two = (
        seconds(
            [
                *(python, "-m", "webgraph_it", "cluster", "pagerank", str(crawl), "--out", f"{out}-{cores}"),
                *("--master", f"local[{cores}]", "--set", "spark.driver.memory=6g"),
            ]
        )
        for cores in (1, 2)
    )
    return one, two, seconds([sys.executable, "-c", CODE, str(crawl), f"{out}-ours"])


def seconds(command: list[str]) -> float:
    began = time.monotonic()
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    for line in re.findall(r"^.*(?:blocks|iteration).*$", done.stderr, re.MULTILINE)[-2:]:
        print(f"    {line}", file=sys.stderr)
    return time.monotonic() - began


def show(records: int, rounds: list[tuple[float, float, float]]) -> None:
    one, two, ours = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(
        f"{records:>11,}   {one:6.1f} s {records / one:9,.0f}/s   {two:6.1f} s {records / two:9,.0f}/s"
        f"   {one / two:5.2f}   {ours:6.1f} s {records / ours:10,.0f}/s   {two / ours:6.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
