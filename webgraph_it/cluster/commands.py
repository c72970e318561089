"""What can be computed on Spark: each command writes Parquet below its output folder."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from webgraph_it.cluster import compact, groups, priorities, tables
from webgraph_it.cluster.blocks import Folder
from webgraph_it.cluster.output import claimed
from webgraph_it.cluster.pagerank import pagerank
from webgraph_it.cluster.priorities import Choice
from webgraph_it.cluster.session import session
from webgraph_it.cluster.sources import SPLIT_BYTES, Sources, sources
from webgraph_it.convert.sources import IDS_FILE
from webgraph_it.recrawl.lists import LISTS_FILE
from webgraph_it.urls import RECIPE_VERSION

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WORK = ".work"


class Command(NamedTuple):
    run: "Callable[[SparkSession, Sources, str, Choice], None]"
    summary: str


def degrees(spark: "SparkSession", found: Sources, out: str, choice: Choice) -> None:
    """degrees/: digest, url, in_degree, out_degree of every node."""
    joined = tables.degrees(tables.arcs(tables.sequences(spark, found)), tables.nodes(spark, found))
    _write(joined.select(_digest(), "url", "in_degree", "out_degree"), f"{out}/degrees")


def ranks(spark: "SparkSession", found: Sources, out: str, choice: Choice) -> None:
    """pagerank/: digest, url and rank of every node."""
    work = f"{out}/{WORK}"
    ranked = pagerank(spark, found, work, _tell).join(tables.nodes(spark, found), tables.NODE)
    _write(ranked.select(_digest(), "url", "pagerank"), f"{out}/pagerank")
    Folder(work).remove()


def hosts(spark: "SparkSession", found: Sources, out: str, choice: Choice) -> None:
    """hosts/: nodes and weighted arcs of the graph of hosts."""
    table, links = groups.hosts(tables.nodes(spark, found), tables.sequences(spark, found))
    _write(table.orderBy("host"), f"{out}/hosts/nodes")
    _write(links.orderBy("source", "target"), f"{out}/hosts/arcs")


def domains(spark: "SparkSession", found: Sources, out: str, choice: Choice) -> None:
    """hosts/ and domains/."""
    hosts(spark, found, out, choice)
    table, links = (spark.read.parquet(f"{out}/hosts/{name}") for name in ("nodes", "arcs"))
    each, total = groups.domains(table, links)
    _write(each.orderBy("domain"), f"{out}/domains/nodes")
    _write(total.orderBy("source", "target"), f"{out}/domains/arcs")


def ids(spark: "SparkSession", found: Sources, out: str, choice: Choice) -> None:
    """nodes/ and arcs/ with ids, for `webgraph-it convert --ids`."""
    folder = Folder(out)
    folder.discard(IDS_FILE)
    compact.compact(spark, tables.nodes(spark, found), tables.sequences(spark, found), out)
    Folder(f"{out}/{compact.SORTED}").remove()
    folder.write(IDS_FILE, json.dumps({"recipe_version": RECIPE_VERSION, "name": found.name}).encode())


def plan(spark: "SparkSession", found: Sources, out: str, choice: Choice) -> None:
    """revisits/ and untried/, for `webgraph-it recrawl plan JOBDIR --from DIR`."""
    folder = Folder(out)
    folder.discard(LISTS_FILE)
    revisits, untried = priorities.priorities(spark, found, choice, f"{out}/{WORK}")
    _write(revisits, f"{out}/revisits")
    _write(untried, f"{out}/untried")
    Folder(f"{out}/{WORK}").remove()
    folder.write(LISTS_FILE, json.dumps({"policy": choice.policy, "made": choice.now}).encode())


COMMANDS = {
    "degrees": Command(degrees, "in- and out-degree of every page"),
    "pagerank": Command(ranks, "PageRank of every page, as analyse defines it"),
    "hosts": Command(hosts, "the graph of hosts"),
    "domains": Command(domains, "the graphs of hosts and of registrable domains"),
    "priorities": Command(
        plan, "pages to visit again and untried URLs by in-degree, which `recrawl plan --from` takes over"
    ),
    "compact": Command(ids, "ids instead of digests, which `convert --ids` finishes into CSR and BV"),
}


def run(
    name: str,
    directories: Sequence[str],
    out: str,
    master: str,
    settings: Mapping[str, str],
    split_bytes: int = SPLIT_BYTES,
    choice: Choice | None = None,
) -> None:
    """Carry out a command. The input and the folder of the result are checked before Spark is started."""
    found = sources(directories, split_bytes)
    with claimed(out), session(master, settings, _tell) as spark:
        COMMANDS[name].run(spark, found, out, choice or Choice())


def _digest() -> "object":
    from pyspark.sql import functions as f

    return f.expr(tables.DIGEST).alias("digest")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _write(table: "DataFrame", path: str) -> None:
    table.write.mode("overwrite").parquet(path)
