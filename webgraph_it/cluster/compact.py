"""Ids instead of digests, as convert gives them: the rank of the key. `webgraph-it convert --ids` finishes the result.

    nodes/*.parquet   id, key, url, state, status, depth, parent (whether it has a list), in order of id
    arcs/*.parquet    source, target, in order of (source, target)

An id has 64 bits here. Only what is finished into CSR and BV must fit into 31.
"""

from typing import TYPE_CHECKING

from webgraph_it.cluster.tables import NODE, arcs, numbered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def compact(
    spark: "SparkSession", nodes: "DataFrame", sequences: "DataFrame", work: str
) -> "tuple[DataFrame, DataFrame]":
    """(nodes, arcs). The folder `work` keeps the nodes while they are numbered."""
    from pyspark.sql import functions as f

    parents = sequences.select(*NODE).withColumn("parent", f.lit(True))
    table = nodes.join(parents, NODE, "left").fillna(False, ["parent"])
    ids = numbered(spark, table, ["key"], work).withColumnRenamed("place", "id")
    columns = ["id", "key", "url", "state", "status", "depth", "parent"]
    source = ids.select(*NODE, f.col("id").alias("source"))
    target = ids.select(
        f.col("high").alias("to_high"), f.col("low").alias("to_low"), f.col("id").alias("target")
    )
    found = arcs(sequences).join(source, NODE).join(target, ["to_high", "to_low"]).select("source", "target")
    return (
        ids.select(*columns).repartitionByRange("id").sortWithinPartitions("id"),
        found.repartitionByRange("source").sortWithinPartitions("source", "target"),
    )
