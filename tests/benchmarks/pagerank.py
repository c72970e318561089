"""PageRank per iteration: ours against scipy and networkit, on one generated graph, each in a process of its own.

    python -m tests.benchmarks.pagerank [--arcs 32000000] [--nodes 1500000] [--iterations 20]

All do the same power iteration (damping 0.85, dangling rank spread evenly) from the same memory-mapped files;
the answers are compared. Time per iteration leaves preparation out (turning the graph round, building a matrix or a
Graph object, compiling), which is shown beside it; peak memory is the process's own high-water mark, all included:
libraries, preparation, and the pages of mapped files that were read.

Threads: ours and networkit take all cores, scipy's product has no threads: its matrix is multiplied by one. Whoever
wants to compare work, not waiting, reads the CPU time. Ranks are float64 everywhere; scipy's ones are too, since with
any other type it would convert all of them in every product (ids are 32-bit in ours and scipy, 64-bit in networkit).
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.float64]
Iterate = Callable[[int], Ranks]
DAMPING = 0.85


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="PageRank per iteration: ours, scipy, networkit.")
    parser.add_argument("--arcs", type=int, default=32_000_000)
    parser.add_argument("--nodes", type=int, default=1_500_000)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--contestant", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.contestant:
        print(json.dumps(run_one(options.contestant[0], Path(options.contestant[1]), options.iterations)))
        return
    with tempfile.TemporaryDirectory(prefix="pagerank-") as folder:
        arcs = generate(Path(folder), options.nodes, options.arcs)
        print(f"PageRank on {options.nodes:,} nodes and {arcs:,} arcs, {options.iterations} iterations")
        results = {name: in_own_process(name, Path(folder), options.iterations) for name in present()}
        show(results, Path(folder))


def present() -> list[str]:
    names = ["ours", "scipy", "networkit"]
    missing = [name for name in names[1:] if importlib.util.find_spec(name) is None]
    for name in missing:
        print(f"{name} is not installed and left out (pip install -e '.[bench]')")
    return [name for name in names if name not in missing]


def show(results: dict[str, dict[str, float]], folder: Path) -> None:
    ours, ranks = results["ours"], np.load(folder / "ours.npy")
    print(
        f"{'':<10} {'threads':>7} {'s/iteration':>12} {'ratio':>7} {'CPU s/iteration':>16} {'ratio':>7} "
        f"{'peak MB':>9} {'ratio':>7} {'prepare s':>10} {'difference':>12}"
    )
    for name, result in results.items():
        times, cpu, memory = (result[what] / ours[what] for what in ("seconds", "cpu_seconds", "peak_mb"))
        difference = float(np.abs(np.load(folder / f"{name}.npy") - ranks).max())
        print(
            f"{name:<10} {result['threads']:>7.0f} {result['seconds']:>12.4f} {times:>7.2f} "
            f"{result['cpu_seconds']:>16.4f} {cpu:>7.2f} {result['peak_mb']:>9.0f} {memory:>7.2f} "
            f"{result['prepare']:>10.1f} {difference:>12.1e}"
        )


# -- the graph -----------------------------------------------------------------------------------------------


def generate(folder: Path, nodes: int, arcs: int, seed: int = 2010) -> int:
    """Like a web in URL order: most links go to near pages, the others to popular ones. Returns the number of arcs."""
    random = np.random.default_rng(seed)
    linking = random.permutation(nodes)[: nodes * 3 // 4]
    origins = linking[random.integers(0, len(linking), arcs * 3 // 2)]
    near = origins + (random.zipf(1.2, len(origins)) % 5000) * random.choice([-1, 1], len(origins))
    popular = random.permutation(nodes)[random.zipf(1.2, len(origins)) % nodes]
    targets = np.where(random.random(len(origins)) < 0.8, near % nodes, popular)
    pairs = np.unique(origins.astype(np.int64) << 32 | targets)
    pairs = pairs if len(pairs) <= arcs else np.sort(random.choice(pairs, arcs, replace=False))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(pairs >> 32, minlength=nodes))))
    offsets.astype("<u8").tofile(folder / "offsets.u64")
    (pairs & 0xFFFFFFFF).astype("<u4").tofile(folder / "targets.u32")
    return len(pairs)


# -- one contestant ------------------------------------------------------------------------------------------


def in_own_process(name: str, folder: Path, iterations: int) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.pagerank", "--contestant", name, str(folder)]
    done = subprocess.run(
        [*command, "--iterations", str(iterations)], check=True, capture_output=True, timeout=1800
    )
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def run_one(name: str, folder: Path, iterations: int) -> dict[str, float]:
    """Seconds and CPU seconds per iteration, threads, seconds of preparation, peak memory; the ranks go to a file."""
    offsets = np.memmap(folder / "offsets.u64", dtype="<u8", mode="r")
    targets = np.memmap(folder / "targets.u32", dtype="<u4", mode="r")
    began = time.perf_counter()
    iterate = {"ours": ours, "scipy": scipy, "networkit": networkit}[name](offsets, targets)
    first = _timed(iterate, 1)
    prepared = time.perf_counter() - began
    many = min(_timed(iterate, 1 + iterations) for _ in range(5))
    one = min(first, _timed(iterate, 1))
    np.save(folder / f"{name}.npy", iterate(iterations))
    seconds, cpu_seconds = ((a - b) / iterations for a, b in zip(many, one, strict=True))
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "threads": threads(name),
        "prepare": prepared,
        "peak_mb": peak_mb(),
    }


def threads(name: str) -> int:
    """How many the contestant uses, by its own word."""
    if name == "ours":
        import numba

        return int(numba.get_num_threads())
    if name == "networkit":
        import networkit

        return int(networkit.getMaxNumberOfThreads())
    return 1


def _timed(iterate: Iterate, iterations: int) -> tuple[float, float]:
    """Seconds, and seconds of CPU of all threads."""
    began, began_cpu = time.perf_counter(), time.process_time()
    iterate(iterations)
    return time.perf_counter() - began, time.process_time() - began_cpu


def peak_mb() -> float:
    """High-water mark of resident memory, mapped files included (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def ours(offsets: Any, targets: Any) -> Iterate:
    from webgraph_it.analyse.csr import csr, transpose
    from webgraph_it.analyse.pagerank import pagerank

    graph = csr(offsets, targets)
    transposed = transpose(graph)
    return lambda iterations: pagerank(graph, transposed, DAMPING, 0.0, iterations).ranks


def scipy(offsets: Any, targets: Any) -> Iterate:
    """The leanest form: the matrix of ones is the graph itself, turned round once to rows of predecessors."""
    from scipy.sparse import csr_array

    nodes = len(offsets) - 1
    degrees = np.diff(offsets.astype(np.int64))
    ones = np.ones(len(targets))
    forward = csr_array((ones, targets.view(np.int32), offsets.astype(np.int32)), shape=(nodes, nodes))
    matrix = forward.T.tocsr()
    del forward, ones
    inverse = np.divide(1.0, degrees, out=np.zeros(nodes), where=degrees > 0)

    def iterate(iterations: int) -> Ranks:
        ranks = np.full(nodes, 1 / nodes)
        for _ in range(iterations):
            lost = ranks[degrees == 0].sum()
            ranks = DAMPING * (matrix @ (ranks * inverse)) + (1 - DAMPING + DAMPING * lost) / nodes
        return ranks

    return iterate


def networkit(offsets: Any, targets: Any) -> Iterate:
    import networkit as nk

    nodes = len(offsets) - 1
    origins = np.repeat(np.arange(nodes, dtype=np.uint64), np.diff(offsets.astype(np.int64)))
    graph = nk.GraphFromCoo((origins, targets.astype(np.uint64)), n=nodes, directed=True)
    del origins
    sinks = nk.centrality.SinkHandling.DistributeSinks

    def iterate(iterations: int) -> Ranks:
        algorithm = nk.centrality.PageRank(graph, DAMPING, 1e-300, distributeSinks=sinks)
        algorithm.maxIterations = iterations
        algorithm.run()
        return np.array(algorithm.scores())

    return iterate


if __name__ == "__main__":
    main()
