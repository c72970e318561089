"""Crawl directories as Spark tables: sequences, arcs, nodes.

The rules are those of convert: if a parent has several sequences, the last counts. A list has each target once. A
node is a key of a URL list. Its URL and state come from the last page-log line that made it a parent, else from
the last line, else from the first listing.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from webgraph_it.cluster import reading
from webgraph_it.cluster.sources import Sources, Task
from webgraph_it.convert.lines import LISTED, PARENT_STATES, STATES, TRIED
from webgraph_it.shards.formats import GRAPH_FOLDER, PAGES_FOLDER, URLS_FOLDER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SEQUENCES = "high long, low long, position long, children binary"
LINES = "high long, low long, key string, url string, kind short, state short, status int, depth long, position long"
ARCS = "high long, low long, to_high long, to_low long"
NODE = ["high", "low"]
DIGEST = "unhex(concat(lpad(hex(high), 16, '0'), lpad(hex(low), 16, '0')))"
"""The 16 bytes of a node's digest."""


def sequences(spark: "SparkSession", found: Sources) -> "DataFrame":
    """The last sequence of every parent."""
    from pyspark.sql import functions as f

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
    )


def arcs(sequences: "DataFrame") -> "DataFrame":
    """Every arc once."""
    return sequences.mapInArrow(reading.arcs, ARCS)


def lines(spark: "SparkSession", found: Sources) -> "DataFrame":
    """Every line of the URL lists and page logs."""
    return read(spark, found.tasks(URLS_FOLDER, PAGES_FOLDER), reading.lines, LINES)


def nodes(spark: "SparkSession", found: Sources) -> "DataFrame":
    """One row per node: its key, URL, state, status and depth."""
    from pyspark.sql import functions as f

    parents = ", ".join(map(str, PARENT_STATES))
    order = f.expr(
        f"CASE WHEN kind = {LISTED} THEN struct(0 AS rank, -position AS at)"
        f" WHEN state IN ({parents}) THEN struct(2 AS rank, position AS at) ELSE struct(1 AS rank, position AS at) END"
    )
    names = f.array(*map(f.lit, STATES))
    chosen = (
        lines(spark, found)
        .groupBy(*NODE, "key")
        .agg(
            f.max_by(f.struct("url", "state", "status", "depth"), order).alias("chosen"),
            f.min("kind").alias("kind"),
        )
        .where(f"kind = {LISTED}")
    )
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


__all__ = ["DIGEST", "NODE", "TRIED", "arcs", "lines", "nodes", "read", "sequences"]
