"""Which pages to visit again, and how popular untried URLs are: what `webgraph-it recrawl plan` decides, on Spark.

    revisits/   priority, key, url, depth, host_depth, via, in order of key; the most urgent has priority 0
    untried/    digest, in_degree, in order of digest

`webgraph-it recrawl plan JOBDIR --from DIR` hands both to a crawl. A block of nodes is judged by the functions of
convert and recrawl, so that the answers are the same. Only the order of all pages is made by Spark.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webgraph_it.cluster import tables
from webgraph_it.cluster.sources import Sources, opened
from webgraph_it.convert import names
from webgraph_it.convert.lines import NEVER_TRIED, NO_DEPTH, TIMED_RUN
from webgraph_it.recrawl import planning, policies
from webgraph_it.recrawl.lists import identity_of
from webgraph_it.recrawl.plan_files import LOWEST_PRIORITY
from webgraph_it.shards.formats import DIGEST_BYTES, GRAPH_FOLDER, PAGES_FOLDER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RECORDS_PER_BLOCK = 1 << 20
JUDGED = (
    "high long, low long, key string, url string, depth long, host_depth long, via string,"
    " in_degree long, last_visit double, urgency double"
)
"""Of a page that was fetched; of an untried URL, `urgency` and `last_visit` are null."""
TYPES = dict.fromkeys(("key", "url", "via"), pa.string()) | dict.fromkeys(
    ("last_visit", "urgency"), pa.float64()
)
URGENCY = {"uniform": "last_visit", "adaptive": "due"}


class Choice(NamedTuple):
    """What to plan."""

    policy: str = "smoothed"
    budget: int | None = None
    now: float = 0.0


def priorities(
    spark: "SparkSession", found: Sources, choice: Choice, out: str
) -> "tuple[DataFrame, DataFrame]":
    """(revisits, untried)."""
    from pyspark.sql import functions as f

    judged = tables.kept(_judged(spark, found, choice), f"{out}/judged")
    pages = judged.where("urgency IS NOT NULL")
    count = pages.count()
    budget = count if choice.budget is None else min(choice.budget, count)
    urgent = tables.numbered(spark, pages, ["urgency", "last_visit", "key"], f"{out}/urgent")
    place = f.col("place").cast("double")
    if choice.policy == "smoothed":
        oldest = tables.numbered(
            spark, pages.select(*tables.NODE, "last_visit", "key"), ["last_visit", "key"], f"{out}/oldest"
        )
        limit = -(-budget // policies.OLDEST_EVERY)
        turns = oldest.where(f.col("place") < limit).select(*tables.NODE, f.col("place").alias("turn"))
        step = f.lit(float(policies.OLDEST_EVERY))
        early = f.col("turn") * step + (step - 1.5)
        by_urgency = f.when(f.col("place") < budget, place * step / (step - 1))
        urgent = (
            urgent.join(turns, tables.NODE, "left")
            .withColumn("at", f.least(by_urgency, early))
            .drop("place", "turn")
        )
    else:
        urgent = urgent.withColumn("at", place).drop("place")
    chosen = tables.numbered(spark, urgent.where("at IS NOT NULL"), ["at"], f"{out}/chosen").where(
        f.col("place") < budget
    )
    priority = f.expr(f"CAST(place * {LOWEST_PRIORITY + 1} DIV {max(budget, 1)} AS INT)")
    columns = ["key", "url", "depth", "host_depth", "via"]
    revisits = chosen.withColumn("priority", priority).select("priority", *columns).orderBy("key")
    untried = judged.where("urgency IS NULL").select(f.expr(tables.DIGEST).alias("digest"), "in_degree")
    return revisits, untried.orderBy("digest")


def crawls(found: Sources) -> list[str]:
    """The identity of every crawl in which a page was fetched."""
    first: dict[str, str] = {}
    for split in found.splits:
        if split.stream == PAGES_FOLDER:
            first.setdefault(split.uri.rsplit("/", 2)[0], split.uri)
    identities = []
    for uri in first.values():
        system, path = opened(uri)
        with system.open_input_file(path) as log:
            identities.append(identity_of(log))
    return identities


def _judged(spark: "SparkSession", found: Sources, choice: Choice) -> "DataFrame":
    from pyspark.sql import functions as f

    records = found.bytes_of(GRAPH_FOLDER) // DIGEST_BYTES
    count = max(records // RECORDS_PER_BLOCK + 1, spark.sparkContext.defaultParallelism)
    block = f.expr(tables.block_expression(count)).alias("block")
    lines = tables.timed_lines(spark, found)
    arcs = tables.arcs(tables.sequences(spark, found))
    known = tables.lines(spark, found).where("kind = 0").select(*tables.NODE).distinct()
    degrees = tables.degrees(arcs, known)

    def judge(_: tuple[pa.Scalar, ...], some: pa.Table, measured: pa.Table) -> pa.Table:
        return judged(some, measured, choice)

    left = lines.select(block, "*").groupBy("block")
    return left.cogroup(degrees.select(block, "*").groupBy("block")).applyInArrow(judge, JUDGED)


def judged(lines: pa.Table, measured: pa.Table, choice: Choice) -> pa.Table:
    """The pages and untried URLs of one block. Runs in a worker."""
    lines = lines.take(
        pc.sort_indices(lines, [("key", "ascending"), ("kind", "ascending"), ("position", "ascending")])
    )
    run = pa.table(
        [lines[field.name].cast(field.type).combine_chunks() for field in TIMED_RUN], schema=TIMED_RUN
    )
    nodes = names.unique(run)
    keys = nodes.table["key"]
    starts = np.flatnonzero(
        np.concatenate([[True], pc.not_equal(run["key"][1:], run["key"][:-1]).to_numpy()])
    )
    where = {key: row for row, key in zip(starts.tolist(), run["key"].take(starts).to_pylist(), strict=True)}
    rows = np.array([where[key] for key in keys.to_pylist()], np.int64)
    high, low = (lines[name].to_numpy()[rows] for name in ("high", "low"))
    incoming, outgoing = _measured(high, low, measured)
    candidates = planning.of_visits(
        nodes.visits, planning.Degrees(incoming, outgoing), with_due=choice.policy == "adaptive"
    )
    fetched, pages = candidates.nodes, candidates.pages
    states, depths = nodes.table["state"].to_numpy(), nodes.table["depth"].to_numpy()
    untried = np.flatnonzero((states == NEVER_TRIED) & (depths == NO_DEPTH))
    chosen = np.concatenate([fetched, untried]).astype(np.int64)
    gap = np.full(len(untried), np.nan)
    columns = {
        "high": high[chosen],
        "low": low[chosen],
        **{
            name: nodes.table[name].take(pa.array(chosen))
            for name in ("key", "url", "depth", "host_depth", "via")
        },
        "in_degree": incoming[chosen],
        "last_visit": pa.array(np.concatenate([pages.last_visit, gap]), from_pandas=True),
        "urgency": pa.array(np.concatenate([_urgency(pages, choice), gap]), from_pandas=True),
    }
    return pa.table({name: _as(column, TYPES.get(name, pa.int64())) for name, column in columns.items()})


def _urgency(pages: policies.Visited, choice: Choice) -> policies.Array:
    """The lowest is visited first."""
    if choice.policy in URGENCY:
        value: policies.Array = getattr(pages, URGENCY[choice.policy])
        return value.astype(np.float64)
    change = (
        pages.last_change
        if choice.policy == "anansi"
        else (policies.PRIOR_CHANGE + pages.changes) / (1 + pages.revisits)
    )
    return -policies.priority(pages, change, choice.now)


def _measured(
    high: policies.Array, low: policies.Array, measured: pa.Table
) -> tuple[policies.Array, policies.Array]:
    """In- and out-degree of nodes."""
    columns = [measured[name].to_pylist() for name in ("high", "low", "in_degree", "out_degree")]
    found = {(first, second): degrees for first, second, *degrees in zip(*columns, strict=True)}
    pairs = zip(high.tolist(), low.tolist(), strict=True)
    both = np.array([found[pair] for pair in pairs], np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _as(column: "pa.Array | policies.Array", kind: pa.DataType) -> "pa.Array | pa.ChunkedArray":
    return pa.array(column, kind) if isinstance(column, np.ndarray) else column.cast(kind)
