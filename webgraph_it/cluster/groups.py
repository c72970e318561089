"""The graphs of hosts and of domains: an arc's weight is the number of links between pages of the two.

Links are first added up by source host and target page, and only then joined with the target's host. So a page with
a hundred million in-links is joined once per linking host, not once per link.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from webgraph_it.cluster.tables import NODE, arcs
from webgraph_it.urls.domains import registrable_domain

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST = (1 << 32) - 1
HOST = "split_part(key, ')', 1)"


def hosts(nodes: "DataFrame", sequences: "DataFrame") -> tuple["DataFrame", "DataFrame"]:
    """(hosts with their pages, links between them)."""
    from pyspark.sql import functions as f

    known = nodes.select(*NODE, f.expr(HOST).alias("host"), "state")
    table = known.groupBy("host").agg(
        f.count("*").alias("pages"), f.count_if(f.expr("state IN ('fetched', 'redirect')")).alias("fetched")
    )
    named = known.select(*NODE, "host")
    by_page = (
        arcs(sequences)
        .join(named.withColumnRenamed("host", "source"), NODE)
        .groupBy("source", "to_high", "to_low")
        .agg(f.count("*").alias("links"))
    )
    targets = named.select(
        f.col("high").alias("to_high"), f.col("low").alias("to_low"), f.col("host").alias("target")
    )
    links = (
        by_page.join(targets, ["to_high", "to_low"])
        .groupBy("source", "target")
        .agg(f.sum("links").alias("links"))
    )
    return table, links.withColumn("links", f.least(f.col("links"), f.lit(MOST)))


def domains(table: "DataFrame", links: "DataFrame") -> tuple["DataFrame", "DataFrame"]:
    """The same for registrable domains, from the graph of hosts."""
    from pyspark.sql import functions as f

    named = table.select("host").mapInArrow(_named, "host string, domain string")
    each = (
        table.join(named, "host")
        .groupBy("domain")
        .agg(f.count("*").alias("hosts"), f.sum("pages").alias("pages"), f.sum("fetched").alias("fetched"))
    )
    ends = [
        named.withColumnsRenamed({"host": end, "domain": f"{end}_domain"}) for end in ("source", "target")
    ]
    total = (
        links.join(ends[0], "source")
        .join(ends[1], "target")
        .groupBy(f.col("source_domain").alias("source"), f.col("target_domain").alias("target"))
        .agg(f.sum("links").alias("links"))
    )
    return each, total.withColumn("links", f.least(f.col("links"), f.lit(MOST)))


def _named(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        found = pa.array([registrable_domain(host) for host in batch["host"].to_pylist()], pa.string())
        yield pa.RecordBatch.from_arrays([batch["host"], found], ["host", "domain"])
