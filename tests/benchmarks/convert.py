"""Convert against DuckDB, the thesis' method and Java WebGraph, side by side in one run, from files to files.

The mapping (digests in shards → lists of ids grouped by parent) is timed alone, for it is what a database could
do instead: ours starts with the raw shards and a file of digests; DuckDB is given, untimed, the same arcs and nodes as
Parquet with each digest as two 64-bit numbers. Every contestant is a process of its own; times include its start.
GNU sort and binary search, the thesis' way, run on a sample and are extrapolated. Then the whole conversion,
BV against Java (one thread: the only way to the same bytes; and two), the URL map, and with --grow other sizes.
"""

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet

from tests.benchmarks.crawl_generator import generate
from tests.graph import java_oracle
from webgraph_it.graph import WebGraph
from webgraph_it.graph.bv import Parameters

SAMPLE = 500_000
LOOKUPS = 20_000
DUCKDB = """
import duckdb, sys
folder, out, memory, threads, shape = sys.argv[1:]
con = duckdb.connect()
con.execute(f"SET memory_limit='{memory}'; SET threads={threads}; SET temp_directory='{out}.tmp'")
con.execute("SET preserve_insertion_order=false")
arcs = f'''SELECT p.id AS source, c.id AS target FROM '{folder}/arcs.parquet' a
  JOIN '{folder}/nodes.parquet' p ON a.p0 = p.w0 AND a.p1 = p.w1
  JOIN '{folder}/nodes.parquet' c ON a.c0 = c.w0 AND a.c1 = c.w1'''
shapes = {
    'lists': f"SELECT source, list(target ORDER BY target) FROM ({arcs}) GROUP BY source",
    'ordered': f"SELECT * FROM ({arcs}) ORDER BY source, target",
}
con.execute(f"COPY ({shapes[shape]}) TO '{out}' (FORMAT parquet, COMPRESSION uncompressed)")
"""


@dataclass(frozen=True)
class Run:
    """What a process took."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    read_bytes: int
    written_bytes: int


def run(command: list[str], cwd: Path | None = None) -> Run:
    """Run a process to its end, watching it; what was written before is on disk, so that it waits for its own."""
    os.sync()
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=cwd)
    seen = psutil.Process(process.pid)
    read = written = peak = 0
    while process.poll() is None:
        try:
            io = seen.io_counters()
            read, written, peak = io.read_chars, io.write_chars, max(peak, seen.memory_info().rss)
        except psutil.Error:
            pass
        time.sleep(0.01)
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert process.stderr is not None
    error = process.stderr.read().decode()
    process.stderr.close()
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:4])} … failed:\n{error[-2000:]}")
    return Run(seconds, cpu, peak, read, written)


def convert(crawl: Path, out: Path, *options: str) -> Run:
    return run([sys.executable, "-m", "webgraph_it.convert", str(crawl), "--out", str(out), *options])


def line(name: str, took: Run, arcs: int, note: str = "") -> None:
    print(
        f"{name:34}{took.seconds:8.2f} s{took.cpu_seconds:8.2f} s CPU"
        f"{arcs / took.seconds / 1e6:10.2f} M arcs/s{took.peak_bytes / 2**20:9.0f} MiB"
        f"{took.read_bytes / 1e6:10.0f} MB read{took.written_bytes / 1e6:9.0f} MB written  {note}",
        flush=True,
    )


def tell(doing: str) -> None:
    """What is running now: some parts take minutes."""
    print(f"… {doing}", file=sys.stderr, flush=True)


def cat_seconds(crawl: Path) -> float:
    begun = time.perf_counter()
    subprocess.run(["cat", *map(str, (crawl / "graph").iterdir())], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def prepare_duckdb(crawl: Path, out: Path, folder: Path) -> None:
    """The same nodes and arcs as Parquet (untimed)."""
    folder.mkdir()
    words = np.fromfile(out / ".work" / "digests.bin", np.uint64).reshape(-1, 2)
    ids = np.arange(len(words), dtype=np.uint32)
    nodes = pa.table({"w0": words[:, 0].copy(), "w1": words[:, 1].copy(), "id": ids})
    pyarrow.parquet.write_table(nodes, folder / "nodes.parquet", compression="none", use_dictionary=False)
    shard = np.memmap(crawl / "graph" / "000001.g16", np.uint64, "r").reshape(-1, 2)
    schema = pa.schema({name: pa.uint64() for name in ("p0", "p1", "c0", "c1")})
    parent = np.zeros(2, np.uint64)
    with pyarrow.parquet.ParquetWriter(
        folder / "arcs.parquet", schema, compression="none", use_dictionary=False
    ) as writer:
        for start in range(0, len(shard), 1 << 22):
            records = np.array(shard[start : start + (1 << 22)])
            is_parent = records[:, 0] & np.uint64(0x80) > 0
            records[:, 0] &= ~np.uint64(0x80)
            row = np.cumsum(is_parent)
            parents = np.vstack([parent, records[is_parent]])
            of = parents[row[~is_parent]]
            children = records[~is_parent]
            columns = [of[:, 0], of[:, 1], children[:, 0], children[:, 1]]
            writer.write_table(pa.Table.from_arrays([pa.array(c.copy()) for c in columns], schema=schema))
            parent = parents[-1]


def thesis(out: Path, nodes: int, records: int, folder: Path) -> tuple[float, str]:
    """GNU sort of `digest id` lines and a binary search per record: seconds, and how they were extrapolated."""
    digests = np.fromfile(out / ".work" / "digests.bin", np.uint8).reshape(-1, 16)
    sample = digests[: min(SAMPLE, nodes)]
    text = folder / "digests.txt"
    text.write_text("".join(f"{row.tobytes().hex()} {i}\n" for i, row in enumerate(sample)))
    begun = time.perf_counter()
    subprocess.run(
        ["sort", "-S", "1G", str(text), "-o", f"{text}.sorted"], check=True, env={**os.environ, "LC_ALL": "C"}
    )
    sorting = (time.perf_counter() - begun) * nodes / len(sample)
    ordered = np.sort(digests.copy().view("S16").ravel())
    picked = np.random.default_rng(1).choice(ordered, min(SAMPLE, records))
    begun = time.perf_counter()
    np.searchsorted(ordered, picked)
    searching = (time.perf_counter() - begun) * records / len(picked)
    words = f"extrapolated from {len(sample):,} of {nodes:,} lines, {len(picked):,} of {records:,} searches"
    return sorting + searching, words


def compare_mapping(crawl: Path, folder: Path, memory: str, with_peers: bool) -> tuple[Path, int, Run]:
    """Print the table of the mapping; returns the graph, its arcs, and what ours took."""
    out = folder / "compact"
    tell("names: ours")
    names = convert(crawl, out, "--memory", memory, "--only", "names")
    arcs_file = crawl / "graph" / "000001.g16"
    records = arcs_file.stat().st_size // 16
    if with_peers:
        tell("the same nodes and arcs as Parquet, for DuckDB (untimed)")
        prepare_duckdb(crawl, out, folder / "duckdb")
        tell("mapping: GNU sort, binary search, on a sample")
        nodes = (out / ".work" / "digests.bin").stat().st_size // 16
        thesis_seconds, extrapolated = thesis(out, nodes, records, folder)
    tell("mapping: ours")
    cat_seconds(crawl)
    cat = cat_seconds(crawl)
    ours = convert(crawl, out, "--memory", memory, "--only", "csr")
    arcs = WebGraph(out).arcs
    print(f"\n{len(WebGraph(out)):,} nodes, {arcs:,} arcs, --memory {memory}, {os.cpu_count()} cores")
    line("names (URL lists sorted)", names, arcs)
    line("mapping: ours", ours, arcs, f"{ours.seconds / cat:.1f} × cat ({cat:.2f} s)")
    if with_peers:
        for shape in ("lists", "ordered"):
            tell(f"mapping: DuckDB, {shape}")
            command = [sys.executable, "-c", DUCKDB, str(folder / "duckdb"), str(folder / "duck.parquet")]
            duck = run([*command, f"{memory}B", str(os.cpu_count()), shape])
            line(
                f"mapping: DuckDB, {shape}",
                duck,
                arcs,
                f"ours is {duck.seconds / ours.seconds:.1f} × as fast",
            )
        print(
            f"{'mapping: GNU sort, binary search':34}{thesis_seconds:8.2f} s ({extrapolated})"
            f"  ours is {thesis_seconds / ours.seconds:.1f} × as fast"
        )
    return out, arcs, ours


def compare_bv(out: Path, folder: Path, arcs: int) -> None:
    """Our BV against Java's."""
    if not (shutil.which("java") and java_oracle.JAR.exists()):
        print("BV: no Java oracle here (python -m tests.graph.java_oracle)")
        return
    from webgraph_it.graph.bv import write_bv
    from webgraph_it.graph.csr import CsrFiles

    write_bv(folder / "warm-bv", CsrFiles.of(folder / "warm"), Parameters(), 1)  # loads the kernels
    for threads in (1, 2):
        tell(f"BV: ours and Java, {threads} threads")
        begun = time.perf_counter()
        write_bv(folder / "ours", CsrFiles.of(out), Parameters(), threads)
        ours = time.perf_counter() - begun
        begun = time.perf_counter()
        java_oracle.compress(out / "italy", folder / "java", Parameters(), threads=threads)
        java = time.perf_counter() - begun
        same = (folder / "ours.graph").read_bytes() == (folder / "java.graph").read_bytes()
        print(
            f"BV, {threads} threads: ours {arcs / ours / 1e6:.1f} M arcs/s, Java {arcs / java / 1e6:.1f} "
            f"(start included): {java / ours:.1f} × as fast, {'the same bytes' if same else 'other bytes'}",
            flush=True,
        )


def lookups(look_up: Callable[[Any], Any], picked: list[Any]) -> tuple[list[Any], str]:
    """What was found, and the CPU time of one lookup in words; their order is random, so most blocks are cold."""
    found, spent = [], []
    for one in picked:
        begun = time.thread_time_ns()
        found.append(look_up(one))
        spent.append((time.thread_time_ns() - begun) / 1000)
    return found, f"{statistics.median(spent):.1f} µs of CPU (median), {statistics.mean(spent):.1f} (mean)"


def measure_urls(out: Path) -> None:
    """Bytes and microseconds of the URL map."""
    graph = WebGraph(out)
    size = sum((out / f"urls.{suffix}").stat().st_size for suffix in ("index", "blocks"))
    picked = random.Random(1).sample(range(len(graph)), min(LOOKUPS, len(graph)))
    graph.id(graph.url(0))  # loads the compiled searches
    urls, to_url = lookups(graph.url, picked)
    ids, to_id = lookups(graph.id, urls)
    assert ids == picked
    length = sum(map(len, urls)) / len(urls)
    print(
        f"URL map: {size / len(graph):.2f} bytes a URL of {length:.0f}; id → URL {to_url}; URL → id {to_id}"
    )
    begun = time.perf_counter()
    WebGraph(out).successors(0)
    print(f"WebGraph opens in {(time.perf_counter() - begun) * 1e3:.1f} ms")


def show_growth(grown: list[tuple[int, Run, Run]]) -> None:
    """The same work at several sizes: what a million arcs cost."""
    print("\nHow the cost grows (ours alone: the peers ran at the first size only)")
    for arcs, mapping, whole in sorted(grown, key=lambda sized: sized[0]):
        parts = [
            f"{name} {took.seconds:8.2f} s, {took.seconds / arcs * 1e6:.3f} s and {took.cpu_seconds / arcs * 1e6:.3f} s"
            f" CPU a million arcs, {took.peak_bytes / 2**20:.0f} MiB"
            for name, took in (("mapping", mapping), ("all of convert", whole))
        ]
        print(f"{arcs:14,} arcs: {'; '.join(parts)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=float, default=2e6)
    parser.add_argument("--arcs", type=float, default=60e6)
    parser.add_argument("--memory", default="2G")
    parser.add_argument(
        "--grow",
        action="store_true",
        help="also 1/4 and 4 times the size, without peers; some ten minutes and 20 GB of disk in all",
    )
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    grown: list[tuple[int, Run, Run]] = []
    sizes = [1.0, 0.25, 4.0] if options.grow else [1.0]
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            folder = Path(name)
            tell(f"generating {options.arcs * size:,.0f} arcs")
            crawl = generate(folder / "crawl", int(options.nodes * size), int(options.arcs * size))
            convert(generate(folder / "tiny", 1000, 5000), folder / "warm")  # kernels are compiled once
            out, arcs, mapping = compare_mapping(crawl, folder, options.memory, with_peers=size == 1.0)
            shutil.rmtree(out)
            tell("all of convert")
            whole = convert(crawl, out, "--memory", options.memory)
            line("all of convert", whole, arcs)
            grown.append((arcs, mapping, whole))
            if size == 1.0:
                compare_bv(out, folder, arcs)
                measure_urls(out)
    if len(grown) > 1:
        show_growth(grown)


if __name__ == "__main__":
    main()
