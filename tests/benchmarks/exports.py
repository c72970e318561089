"""Exports to Parquet and DuckDB beside DuckDB's own loader, in turns, each in a process of its own.

    python -m tests.benchmarks.exports [--arcs 50000000] [--rounds 5] [--folder DIR]

Ours reads the compact graph. DuckDB is given, untimed, the same tables as CSV and as Parquet, and loads all of them
into a file (CREATE TABLE … AS FROM), with the same number of threads, and memory as it likes unless --memory limits it.
For Parquet both write the arcs alone. What each made is compared with the graph: the number of arcs and a sum over all.
Times include the start of the process. All write to the same disk; what was written before is synced first.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.parquet

from tests.benchmarks.convert import Run, convert, run, tell
from tests.benchmarks.crawl_generator import generate
from webgraph_it.convert.to.tables import tables
from webgraph_it.graph import WebGraph

NODES_PER_ARC = 1 / 25
LOAD = """
import duckdb, sys
out, memory, source = sys.argv[1:4]
config = {} if memory == "unlimited" else {"memory_limit": memory}
with duckdb.connect(out, config=config) as database:
    for table in sys.argv[4:]:
        database.execute(f"CREATE TABLE {table} AS FROM '{source.format(table)}'")
    database.execute("CHECKPOINT")
"""
COPY = """
import duckdb, sys
out, memory, source = sys.argv[1:4]
config = {} if memory == "unlimited" else {"memory_limit": memory}
with duckdb.connect(config=config) as database:
    database.execute(f"COPY (FROM '{source.format('arcs')}') TO '{out}' (FORMAT parquet, COMPRESSION zstd)")
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--arcs", type=float, default=50e6)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--memory", default="unlimited", help="DuckDB's memory_limit as a loader, such as 512MB"
    )
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        graph = prepare(folder, int(options.arcs))
        contestants = commands(folder, graph, options.memory)
        took: dict[str, list[Run]] = {name: [] for name in contestants}
        for number in range(options.rounds):
            for contestant, (command, out, check) in contestants.items():
                tell(f"round {number + 1}: {contestant}")
                out.unlink(missing_ok=True)
                took[contestant].append(run(command))
                assert check(out) == expected(graph), f"{contestant} made another graph"
        show(graph, took, {name: out.stat().st_size for name, (_, out, _) in contestants.items()})


def prepare(folder: Path, arcs: int) -> Path:
    """A graph, and its tables as CSV and Parquet for DuckDB."""
    tell(f"generating and converting {arcs:,} arcs")
    crawl, graph = generate(folder / "crawl", int(arcs * NODES_PER_ARC), arcs), folder / "graph"
    convert(crawl, graph, "--skip", "bv,g4,transpose")
    tell("the same tables as CSV and Parquet, for DuckDB (untimed)")
    export = [sys.executable, "-m", "webgraph_it", "export", str(graph)]
    subprocess.run([*export, "--to", str(folder / "tables.csv")], check=True, capture_output=True)
    for table in tables(graph):
        with pyarrow.parquet.ParquetWriter(folder / f"{table.name}.parquet", table.schema) as writer:
            for batch in table.batches():
                writer.write_batch(batch)
    return graph


Contestant = tuple[list[str], Path, Callable[[Path], tuple[int, int]]]


def commands(folder: Path, graph: Path, memory: str) -> dict[str, Contestant]:
    """Name → command, what it writes, and how that is read."""
    python, names = sys.executable, [table.name for table in tables(graph)]
    from_csv, from_parquet = str(folder / "tables.csv" / "{}.csv"), str(folder / "{}.parquet")
    ours = [python, "-m", "webgraph_it", "export", str(graph), "--to"]
    database, arcs = folder / "x.duckdb", folder / "x.parquet"
    return {
        "DuckDB file: ours": ([*ours, str(database)], database, in_database),
        "DuckDB file: its loader, CSV": (
            [python, "-c", LOAD, str(database), memory, from_csv, *names], database, in_database,
        ),
        "DuckDB file: its loader, Parquet": (
            [python, "-c", LOAD, str(database), memory, from_parquet, *names], database, in_database,
        ),
        "Parquet: ours": ([*ours, str(arcs)], arcs, in_parquet),
        "Parquet: DuckDB from CSV": ([python, "-c", COPY, str(arcs), memory, from_csv], arcs, in_parquet),
    }  # fmt: skip


SUMS = "SELECT count(*), sum(source::HUGEINT * 31 + target) FROM"


def in_database(path: Path) -> tuple[int, int]:
    with duckdb.connect(str(path), read_only=True) as database:
        (found,) = database.execute(f"{SUMS} arcs").fetchall()
    return int(found[0]), int(found[1])


def in_parquet(path: Path) -> tuple[int, int]:
    with duckdb.connect() as database:
        (found,) = database.execute(f"{SUMS} '{path}'").fetchall()
    return int(found[0]), int(found[1])


def expected(path: Path) -> tuple[int, int]:
    graph, total = WebGraph(path), 0
    for sources, targets, _ in graph.arc_blocks():
        total += int((sources.astype(np.uint64) * 31 + targets).sum())
    return graph.arcs, total


def show(path: Path, took: dict[str, list[Run]], sizes: dict[str, int]) -> None:
    """Medians over the rounds; a ratio is the median of the rounds' own ratios, above 1 where ours is better."""
    graph = WebGraph(path)
    rounds = len(next(iter(took.values())))
    print(f"\n{len(graph):,} nodes, {graph.arcs:,} arcs, medians of {rounds} rounds in turns")
    ours: list[Run] = []
    for name, runs in took.items():
        ours = runs if name.endswith("ours") else ours
        seconds = statistics.median(each.seconds for each in runs)
        cpu = statistics.median(each.cpu_seconds for each in runs)
        peak = max(each.peak_bytes for each in runs) / 2**20
        ratio = statistics.median(a.seconds / b.seconds for a, b in zip(runs, ours, strict=True))
        print(
            f"{name:34}{seconds:8.2f} s{cpu:8.2f} s CPU{graph.arcs / seconds / 1e6:8.2f} M arcs/s"
            f"{peak:8.0f} MiB peak{sizes[name] / 1e6:8.0f} MB   time ÷ ours {ratio:.2f}"
        )


if __name__ == "__main__":
    main()
