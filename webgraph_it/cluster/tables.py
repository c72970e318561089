"""Crawl directories as Spark tables: sequences, arcs, nodes.

The rules are those of convert: if a parent has several sequences, the last counts. A page that is gone has none. A list
has each target once. A node is a key of a URL list. Its URL and state come from the last page-log line that made it a
parent, or that says that the parent is gone, else from the last line, else from the first listing.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from webgraph_it.cluster import reading
from webgraph_it.cluster.sources import FILE_BITS, Sources, Task
from webgraph_it.convert.lines import (
    ERROR,
    GONE,
    LISTED,
    PARENT_STATES,
    REVISIT_FAILED,
    STATES,
    TRIED,
    UNCHANGED,
)
from webgraph_it.convert.mapping import unlisted
from webgraph_it.convert.visits import GONE_STATUSES
from webgraph_it.shards.formats import GRAPH_FOLDER, LINKS_FOLDER, PAGES_FOLDER, URLS_FOLDER

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

RECORDS = "high long, low long, position long"
SEQUENCES = "high long, low long, position long, children binary"
LINES = "high long, low long, key string, url string, kind short, state short, status int, depth long, position long"
TIMED_LINES = f"{LINES}, time double, change float, via string, host_depth long"
LISTS = (URLS_FOLDER, LINKS_FOLDER)
ARCS = "high long, low long, to_high long, to_low long"
NODE = ["high", "low"]
PARENT = f"(kind = {TRIED} AND state IN {PARENT_STATES})"
ENDS = f"(kind = {TRIED} AND (state = {GONE} OR (state = {ERROR} AND status IN {GONE_STATUSES})))"
"""Lines of a page log that make a node a parent, and that say that it is gone (convert/visits.py)."""
ROW_BITS = 33
"""Of a row within its partition, in Spark's monotonically_increasing_id."""
DIGEST = "unhex(concat(lpad(hex(high), 16, '0'), lpad(hex(low), 16, '0')))"
"""The 16 bytes of a node's digest."""


def block_expression(blocks: int) -> str:
    """`blocks.block_of` in Spark's SQL."""
    return f"CAST(shiftright(shiftright(high, 32) * {blocks}, 31) AS INT)"


def sequences(spark: "SparkSession", found: Sources) -> "DataFrame":
    """The last sequence of every parent. ShardError, before anything else is computed, if a record has no URL."""
    from pyspark.sql import functions as f

    _refuse_unlisted(spark, found)
    each = read(spark, found.tasks(GRAPH_FOLDER), reading.sequences, SEQUENCES)
    replaced = (
        each.groupBy(*NODE)
        .agg(f.count("*").alias("count"), f.max("position").alias("last"))
        .where("count > 1")
        .select(*NODE, "last")
    )
    return (
        each.join(replaced, NODE, "left")
        .where("last IS NULL OR position = last")
        .select(*NODE, "position", "children")
        .join(_gone(spark, found), NODE, "left_anti")
    )


def arcs(sequences: "DataFrame") -> "DataFrame":
    """Every arc once."""
    return sequences.mapInArrow(reading.arcs, ARCS)


def lines(spark: "SparkSession", found: Sources) -> "DataFrame":
    """Every line of the URL lists, link logs and page logs."""
    return read(spark, found.tasks(*LISTS, PAGES_FOLDER), reading.lines, LINES)


def timed_lines(spark: "SparkSession", found: Sources) -> "DataFrame":
    """The same, with the times of visits."""
    return read(spark, found.tasks(*LISTS, PAGES_FOLDER), reading.timed_lines, TIMED_LINES)


def nodes(spark: "SparkSession", found: Sources) -> "DataFrame":
    """One row per node: its key, URL, state, status and depth."""
    from pyspark.sql import functions as f

    line, place = f.struct("url", "state", "status", "depth"), f.col("position")

    def last(which: str) -> "Column":
        return f.max_by(line, f.when(f.expr(which), place))

    names = f.array(*map(f.lit, STATES))
    each = (
        lines(spark, found)
        .groupBy(*NODE, "key")
        .agg(
            f.max(f.expr(PARENT)).alias("was_parent"),
            last(f"{PARENT} OR {ENDS}").alias("as_parent"),
            last(f"kind = {TRIED} AND state NOT IN ({UNCHANGED}, {REVISIT_FAILED})").alias("tried"),
            f.min_by(line, f.when(f.expr(f"kind = {LISTED}"), place)).alias("listed"),
        )
        .where("listed IS NOT NULL")
    )
    chosen = f.when(f.col("was_parent"), f.col("as_parent")).otherwise(f.coalesce("tried", "listed"))
    state = f.when(f.col("state") < len(STATES), f.col("state")).otherwise(ERROR)
    found_nodes = each.select(*NODE, "key", chosen.alias("chosen")).select(*NODE, "key", "chosen.*")
    return found_nodes.withColumn("state", f.element_at(names, (state + 1).cast("int")))


def _refuse_unlisted(spark: "SparkSession", found: Sources) -> None:
    """As convert does: an arc to a node that is in no list must not be lost silently."""
    from pyspark.sql import functions as f

    records = read(spark, found.tasks(GRAPH_FOLDER), reading.records, RECORDS)
    lists = read(spark, found.tasks(URLS_FOLDER), reading.lines, LINES)
    listed = lists.select(*NODE, f.lit(None).cast("long").alias("position"))
    unknown = (  # one exchange, and each task adds up a popular node by itself
        records.unionByName(listed)
        .groupBy(*NODE)
        .agg(
            f.count("position").alias("records"), f.count("*").alias("rows"), f.min("position").alias("first")
        )
        .where("records = rows")
    )
    total = unknown.agg(
        f.sum("records").alias("records"),
        f.min("first").alias("first"),
        f.min_by(f.expr(DIGEST), "first").alias("digest"),
    ).first()
    if total is not None and total["records"]:
        name = found.file_of(total["first"])
        place = total["first"] & ((1 << FILE_BITS) - 1)
        raise unlisted(total["records"], f"{total['digest'].hex()}, record {place} of {name}")


def _gone(spark: "SparkSession", found: Sources) -> "DataFrame":
    """The nodes that were parents, and whose page is gone since."""
    from pyspark.sql import functions as f

    tried = read(spark, found.tasks(PAGES_FOLDER), reading.lines, LINES)
    last = {which: f.max(f.when(f.expr(which), f.col("position"))) for which in (PARENT, ENDS)}
    return (
        tried.groupBy(*NODE)
        .agg(last[PARENT].alias("parent"), last[ENDS].alias("ended"))
        .where("ended > parent")
        .select(*NODE)
    )


def degrees(arcs: "DataFrame", nodes: "DataFrame") -> "DataFrame":
    """The nodes with their in_degree and out_degree."""
    from pyspark.sql import functions as f

    leaving = arcs.groupBy(*NODE).agg(f.count("*").alias("out_degree"))
    arriving = arcs.groupBy(f.col("to_high").alias("high"), f.col("to_low").alias("low")).agg(
        f.count("*").alias("in_degree")
    )
    return nodes.join(arriving, NODE, "left").join(leaving, NODE, "left").fillna(0)


def kept(table: "DataFrame", path: str) -> "DataFrame":
    """The same rows, computed once: the folder `path` keeps them for every later use."""
    table.write.mode("overwrite").parquet(path)
    return table.sparkSession.read.parquet(path)


def numbered(spark: "SparkSession", table: "DataFrame", order: "list[str]", path: str) -> "DataFrame":
    """The rows with their `place` (0, 1, …) in this order, which the folder `path` keeps."""
    from pyspark.sql import functions as f

    rows = kept(table.orderBy(*order).withColumn("row", f.monotonically_increasing_id()), path)
    part = f.shiftright("row", ROW_BITS)
    counts = {row["part"]: row["count"] for row in rows.groupBy(part.alias("part")).count().collect()}
    before, firsts = 0, {}
    for number in sorted(counts):
        firsts[number] = before - (number << ROW_BITS)
        before += counts[number]
    starts = spark.createDataFrame(list(firsts.items()) or [(0, 0)], "part long, first long")
    placed = rows.withColumn("part", part.cast("long")).join(f.broadcast(starts), "part")
    return placed.withColumn("place", f.col("row") + f.col("first")).drop("row", "part", "first")


def read(
    spark: "SparkSession", tasks: list[Task], reader: Callable[[Task], Iterator[pa.RecordBatch]], schema: str
) -> "DataFrame":
    """The rows that `reader` finds in each task. One partition per task."""

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                yield from reader(tasks[number])

    return spark.range(0, len(tasks), 1, max(len(tasks), 1)).mapInArrow(rows, schema)
