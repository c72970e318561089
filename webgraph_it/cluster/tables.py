"""Crawl directories as Spark tables: sequences, arcs, nodes.

The rules are those of convert: if a parent has several sequences, the last counts. A list has each target once. A
node is a key of a URL list. Its URL and state come from the last page-log line that made it a parent, else from
the last line, else from the first listing. If a line after it says that the page is gone, the node is an error and has
no list.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from webgraph_it.cluster import reading
from webgraph_it.cluster.sources import Sources, Task
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
from webgraph_it.convert.visits import GONE_STATUSES
from webgraph_it.shards.formats import GRAPH_FOLDER, PAGES_FOLDER, URLS_FOLDER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SEQUENCES = "high long, low long, position long, children binary"
LINES = "high long, low long, key string, url string, kind short, state short, status int, depth long, position long"
ARCS = "high long, low long, to_high long, to_low long"
NODE = ["high", "low"]
DIGEST = "unhex(concat(lpad(hex(high), 16, '0'), lpad(hex(low), 16, '0')))"
"""The 16 bytes of a node's digest."""
IS_TRIED = f"kind = {TRIED} AND state NOT IN ({UNCHANGED}, {REVISIT_FAILED})"
IS_PARENT = f"{IS_TRIED} AND state IN ({', '.join(map(str, PARENT_STATES))})"
IS_END = (
    f"{IS_TRIED} AND (state = {GONE} OR state = {ERROR} AND status IN ({', '.join(map(str, GONE_STATUSES))}))"
)


def sequences(spark: "SparkSession", found: Sources) -> "DataFrame":
    """The last sequence of every parent that is not gone."""
    from pyspark.sql import functions as f

    each = read(spark, found.tasks(GRAPH_FOLDER), reading.sequences, SEQUENCES)
    each = each.join(f.broadcast(gone(spark, found)), NODE, "left_anti")
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
    )


def arcs(sequences: "DataFrame") -> "DataFrame":
    """Every arc once."""
    return sequences.mapInArrow(reading.arcs, ARCS)


def lines(spark: "SparkSession", found: Sources) -> "DataFrame":
    """Every line of the URL lists and page logs."""
    return read(spark, found.tasks(URLS_FOLDER, PAGES_FOLDER), reading.lines, LINES)


def gone(spark: "SparkSession", found: Sources) -> "DataFrame":
    """The nodes that were parents and no longer exist. Few, in most crawls: only pages that ended are compared."""
    from pyspark.sql import functions as f

    logged = read(spark, found.tasks(PAGES_FOLDER), reading.lines, LINES)
    ended = logged.where(IS_END).groupBy(*NODE).agg(f.max("position").alias("ended"))
    parents = logged.where(IS_PARENT).select(*NODE, "position").join(f.broadcast(ended), NODE)
    return (
        parents.groupBy(*NODE, "ended")
        .agg(f.max("position").alias("last"))
        .where("ended > last")
        .select(*NODE)
    )


def nodes(spark: "SparkSession", found: Sources) -> "DataFrame":
    """One row per node: its key, URL, state, status and depth."""
    from pyspark.sql import functions as f

    row = "struct(url, state, status, depth)"
    chosen = (
        lines(spark, found)
        .groupBy(*NODE, "key")
        .agg(
            f.expr(f"max({IS_PARENT})").alias("was_parent"),
            f.expr(f"max_by({row}, CASE WHEN {IS_PARENT} OR {IS_END} THEN position END)").alias("shown"),
            f.expr(f"max_by({row}, CASE WHEN {IS_TRIED} THEN position END)").alias("tried"),
            f.expr(f"min_by({row}, CASE WHEN kind = {LISTED} THEN position END)").alias("listed"),
        )
        .where("listed IS NOT NULL")
        .withColumn("chosen", f.expr("CASE WHEN was_parent THEN shown ELSE coalesce(tried, listed) END"))
    )
    names = f.array(*map(f.lit, [*STATES, *[STATES[ERROR]] * 3]))
    return chosen.select(*NODE, "key", "chosen.*").withColumn(
        "state", f.element_at(names, f.col("state") + 1)
    )


def read(
    spark: "SparkSession", tasks: list[Task], reader: Callable[[Task], Iterator[pa.RecordBatch]], schema: str
) -> "DataFrame":
    """The rows that `reader` finds in each task. One partition per task."""

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                yield from reader(tasks[number])

    return spark.range(0, len(tasks), 1, max(len(tasks), 1)).mapInArrow(rows, schema)


__all__ = ["DIGEST", "NODE", "TRIED", "arcs", "gone", "lines", "nodes", "read", "sequences"]
