"""PageRank over blocks, as `analyse` defines it.

    rank[v] = (1 − d)/n + d · ( Σ over u→v of rank[u]/out(u) + dangling/n )

An iteration is one shuffle: each block sends to each other block the sums for its targets there (cluster/blocks.py).
Every ten iterations the ranks are written to the work folder. So a worker that dies costs at most ten iterations of its
blocks, and the same command resumes where an interrupted one was.

Guarantees: sums are made in a fixed order. So a repeated task, another number of workers or a restart changes no bit.
"""

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np
import pyarrow as pa

from webgraph_it.cluster import blocks as blocks_of
from webgraph_it.cluster.blocks import Folder, Values
from webgraph_it.cluster.sources import Sources
from webgraph_it.cluster.tables import NODE, block_expression, lines, sequences
from webgraph_it.shards.formats import DIGEST_BYTES, GRAPH_FOLDER

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame, SparkSession

DAMPING, TOLERANCE, MAX_ITERATIONS = 0.85, 1e-11, 500
"""As in analyse/pagerank.py."""
CHECKPOINT_EVERY = 10
RECORDS_PER_BLOCK, MOST_BLOCKS = 4 << 20, 20_000
"""An iteration has at most blocks × blocks messages."""
STATE = "state.json"
RANKS = "high long, low long, pagerank double"
SENT = "block int, sender int, targets binary, arcs long"


class State(TypedDict):
    """How far the computation is, in state.json."""

    sources: list[list[object]]
    blocks: int
    sizes: dict[str, int]
    """Block → nodes, of the blocks that have any."""
    iteration: int
    moved: float


class Totals(NamedTuple):
    """Of one block after an iteration."""

    block: int
    nodes: int
    dangling: float
    moved: float


Tell = Callable[[str], None]
Vector = tuple[int, Values, float]
"""(block, ranks, how much they moved)."""


def pagerank(spark: "SparkSession", found: Sources, work: str, tell: Tell) -> "DataFrame":
    """The rank of every node. `work` is a folder that all workers reach."""
    folder = Folder(work)
    records = found.bytes_of(GRAPH_FOLDER) // DIGEST_BYTES
    count = max(min(records // RECORDS_PER_BLOCK + 1, MOST_BLOCKS), spark.sparkContext.defaultParallelism)
    state = resumable(folder, found, count, tell)
    if state is None:
        folder.remove()
        began = time.monotonic()
        sizes = _make_blocks(spark, found, folder, count)
        state = State(sources=found.fingerprint(), blocks=count, sizes=sizes, iteration=0, moved=1.0)
        save(folder, state)
        tell(f"{sum(sizes.values()):,} nodes in {len(sizes)} blocks ({time.monotonic() - began:.1f} s)")
    numbers = sorted(map(int, state["sizes"]))
    _iterate(spark, folder, numbers, state, tell)
    return _ranks(spark, folder, numbers, state["iteration"])


def _make_blocks(spark: "SparkSession", found: Sources, folder: Folder, count: int) -> dict[str, int]:
    """Write all blocks. Returns the number of nodes of each that has any."""
    from pyspark.sql import functions as f

    block = f.expr(block_expression(count)).alias("block")
    nodes = lines(spark, found).where("kind = 0").select(block, *NODE)
    parents = sequences(spark, found).select(block, *NODE, "children")

    def out(key: tuple[pa.Scalar, ...], own: pa.Table, some: pa.Table) -> pa.Table:
        return blocks_of.make_out(folder, count, key[0].as_py(), own, some)

    def into(key: tuple[pa.Scalar, ...], sent: pa.Table) -> pa.Table:
        blocks_of.make_in(folder, key[0].as_py(), sent)
        return pa.table({"block": pa.array([key[0].as_py()], pa.int32())})

    sent = nodes.groupBy("block").cogroup(parents.groupBy("block")).applyInArrow(out, SENT)
    sent.groupBy("block").applyInArrow(into, "block int").collect()
    names = [name for name in folder.names() if name.startswith("nodes-")]
    numbers = [int(name[6:12]) for name in names]
    measured = (
        spark.sparkContext.parallelize(numbers, max(len(numbers), 1))
        .map(lambda number: (number, len(blocks_of.load_nodes(folder, number))))
        .collect()
    )
    return {str(number): size for number, size in measured}


def _iterate(spark: "SparkSession", folder: Folder, numbers: list[int], state: State, tell: Tell) -> None:
    nodes, iteration, moved = sum(state["sizes"].values()), state["iteration"], state["moved"]
    if moved < TOLERANCE or not nodes:
        return
    vectors = _start(spark, folder, numbers, iteration, nodes)
    totals, began = _totals(vectors, folder), time.monotonic()
    while iteration < MAX_ITERATIONS:
        iteration += 1
        base = (1.0 - DAMPING) / nodes + DAMPING * math.fsum(each.dangling for each in totals) / nodes
        earlier, vectors = vectors, _next(vectors, folder, numbers, base).persist()
        totals = _totals(vectors, folder)
        earlier.unpersist()
        moved = math.fsum(each.moved for each in totals)
        done = moved < TOLERANCE or iteration == MAX_ITERATIONS
        if done or iteration % CHECKPOINT_EVERY == 0:
            vectors.foreach(lambda vector, at=iteration: _write(folder, at, vector))
            state["iteration"], state["moved"] = iteration, moved
            save(folder, state)
            tell(f"iteration {iteration}: the ranks moved {moved:.1e} ({time.monotonic() - began:.1f} s)")
            vectors.unpersist()
            vectors = _start(spark, folder, numbers, iteration, nodes)
        if done:
            return


def _start(
    spark: "SparkSession", folder: Folder, numbers: list[int], iteration: int, nodes: int
) -> "RDD[Vector]":
    """The ranks of a checkpoint, or 1/n."""

    def read(number: int) -> Vector:
        if iteration == 0:
            return number, np.full(len(blocks_of.load_nodes(folder, number)), 1.0 / nodes), 0.0
        return number, folder.load(_rank_file(number, iteration))["ranks"], 0.0

    return spark.sparkContext.parallelize(numbers, len(numbers)).map(read)


def _next(vectors: "RDD[Vector]", folder: Folder, numbers: list[int], base: float) -> "RDD[Vector]":
    place = {number: index for index, number in enumerate(numbers)}

    def send(vector: Vector) -> Iterator[tuple[int, tuple[int, Values]]]:
        number, ranks, _ = vector
        out, degrees = blocks_of.load_out(folder, number), blocks_of.load_degrees(folder, number)
        shares = np.divide(ranks, degrees, out=np.zeros(len(ranks)), where=degrees > 0)
        sums = blocks_of.sums_by_target(out, shares)
        yield number, (-1, ranks)
        for block in numbers:
            low, high = out.bounds[block], out.bounds[block + 1]
            if high > low:
                yield block, (number, sums[low:high])

    def receive(received: Iterable[tuple[int, tuple[int, Values]]]) -> Iterator[Vector]:
        sent: dict[int, dict[int, Values]] = {}
        for block, (sender, values) in received:
            sent.setdefault(block, {})[sender] = values
        for block, values_of in sent.items():
            before = values_of.pop(-1)
            where, total = blocks_of.load_in(folder, block), np.zeros(len(before))
            for sender in sorted(values_of):
                total[where[sender]] += values_of[sender]
            ranks = base + DAMPING * total
            yield block, ranks, float(np.abs(ranks - before).sum())

    return vectors.flatMap(send).partitionBy(len(numbers), lambda block: place[block]).mapPartitions(receive)


def _totals(vectors: "RDD[Vector]", folder: Folder) -> list[Totals]:
    def total(vector: Vector) -> Totals:
        number, ranks, moved = vector
        lost = ranks[blocks_of.load_degrees(folder, number) == 0]
        return Totals(number, len(ranks), float(lost.sum()), moved)

    return sorted(vectors.map(total).collect())


def _ranks(spark: "SparkSession", folder: Folder, numbers: list[int], iteration: int) -> "DataFrame":
    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch["id"].to_pylist():
                digests = blocks_of.load_nodes(folder, numbers[index])
                ranks = folder.load(_rank_file(numbers[index], iteration))["ranks"]
                columns = [digests[:, 0].view(np.int64), digests[:, 1].view(np.int64), ranks]
                made = pa.table(
                    [pa.array(np.ascontiguousarray(c)) for c in columns], ["high", "low", "pagerank"]
                )
                yield from made.to_batches(max_chunksize=65_536)

    return spark.range(0, len(numbers), 1, max(len(numbers), 1)).mapInArrow(rows, RANKS)


def _write(folder: Folder, iteration: int, vector: Vector) -> None:
    folder.save(_rank_file(vector[0], iteration), ranks=vector[1])


def _rank_file(number: int, iteration: int) -> str:
    return f"ranks-{iteration:04d}-{number:06d}.npz"


def resumable(folder: Folder, found: Sources, count: int, tell: Tell) -> State | None:
    """What an interrupted run of the same command left, if it was at least as far as its blocks."""
    data = folder.read(STATE)
    if data is None:
        return None
    state = _parsed(data)
    if state is None:
        tell(f"The checkpoint in {folder.uri} is damaged; starting again.")
    elif state["sources"] != found.fingerprint():
        tell(f"The crawl directories have changed since the checkpoint in {folder.uri}; starting again.")
    elif state["blocks"] != count:
        tell(
            f"The checkpoint in {folder.uri} has {state['blocks']} blocks instead of {count}; starting again."
        )
    else:
        tell(f"Resuming after iteration {state['iteration']}.")
        return state
    return None


def _parsed(data: bytes) -> State | None:
    try:
        state: State | None = json.loads(data)
    except ValueError:
        return None
    return state if isinstance(state, dict) and state.keys() == State.__annotations__.keys() else None


def save(folder: Folder, state: State) -> None:
    folder.write(STATE, json.dumps(state).encode())
