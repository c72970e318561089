"""Ids instead of digests, as convert gives them: the rank of the key. `webgraph-it convert --ids` finishes the result.

    nodes/*.parquet   id, key, url, state, status, depth, parent (whether it has a list), in order of id
    arcs/*.parquet    source, target, in order of (source, target)

An id has 64 bits here. Only what is finished into CSR and BV must fit into 31.
"""

from typing import TYPE_CHECKING

from webgraph_it.cluster.tables import NODE, arcs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SORTED = "sorted"
"""Kept while it works."""
ROW_BITS = 33
"""Of a row within its partition, in Spark's monotonically_increasing_id."""


def compact(spark: "SparkSession", nodes: "DataFrame", sequences: "DataFrame", out: str) -> None:
    """Write both folders below `out`."""
    from pyspark.sql import functions as f

    parents = sequences.select(*NODE).withColumn("parent", f.lit(True))
    table = nodes.join(parents, NODE, "left").fillna(False, ["parent"])
    ordered = table.orderBy("key").withColumn("row", f.monotonically_increasing_id())
    ordered.write.mode("overwrite").parquet(f"{out}/{SORTED}")
    kept = spark.read.parquet(f"{out}/{SORTED}")
    part = f.shiftright("row", ROW_BITS)
    counts = {row["part"]: row["count"] for row in kept.groupBy(part.alias("part")).count().collect()}
    before, firsts = 0, {}
    for number in sorted(counts):
        firsts[number] = before - (number << ROW_BITS)
        before += counts[number]
    starts = spark.createDataFrame(list(firsts.items()) or [(0, 0)], "part long, first long")
    ids = (
        kept.withColumn("part", part.cast("long"))
        .join(f.broadcast(starts), "part")
        .withColumn("id", f.col("row") + f.col("first"))
    )
    columns = ["id", "key", "url", "state", "status", "depth", "parent"]
    ids.select(*columns).repartitionByRange("id").sortWithinPartitions("id").write.mode("overwrite").parquet(
        f"{out}/nodes"
    )
    source = ids.select(*NODE, f.col("id").alias("source"))
    target = ids.select(
        f.col("high").alias("to_high"), f.col("low").alias("to_low"), f.col("id").alias("target")
    )
    numbered = (
        arcs(sequences).join(source, NODE).join(target, ["to_high", "to_low"]).select("source", "target")
    )
    (
        numbered.repartitionByRange("source")
        .sortWithinPartitions("source", "target")
        .write.mode("overwrite")
        .parquet(f"{out}/arcs")
    )
