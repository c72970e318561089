"""What can be computed on Spark: each command writes Parquet below its output folder."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from webgraph_it.cluster import compact, groups, priorities, tables
from webgraph_it.cluster.blocks import Folder
from webgraph_it.cluster.output import Result, claimed
from webgraph_it.cluster.pagerank import pagerank
from webgraph_it.cluster.priorities import Choice
from webgraph_it.cluster.session import session
from webgraph_it.cluster.sources import SPLIT_BYTES, Sources, sources
from webgraph_it.convert.sources import IDS_FILE
from webgraph_it.progress import Progress
from webgraph_it.recrawl.lists import LISTS_FILE
from webgraph_it.urls import RECIPE_VERSION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Marker(NamedTuple):
    """A file that is written last: where it is, all folders of a command are of one run."""

    name: str
    facts: Callable[[Sources, Choice], dict[str, object]]


class Command(NamedTuple):
    run: "Callable[[SparkSession, Sources, Result, Choice], None]"
    summary: str
    folders: tuple[str, ...]
    """Below --out. They replace those of an earlier run."""
    marker: Marker | None = None


def degrees(spark: "SparkSession", found: Sources, result: Result, choice: Choice) -> None:
    """degrees/: digest, url, in_degree, out_degree of every node."""
    joined = tables.degrees(tables.arcs(tables.sequences(spark, found)), tables.nodes(spark, found))
    result.write(joined.select(_digest(), "url", "in_degree", "out_degree"), "degrees")


def ranks(spark: "SparkSession", found: Sources, result: Result, choice: Choice) -> None:
    """pagerank/: digest, url and rank of every node."""
    ranked = pagerank(spark, found, result.checkpoints, result.progress.note).join(
        tables.nodes(spark, found), tables.NODE
    )
    result.write(ranked.select(_digest(), "url", "pagerank"), "pagerank")
    Folder(result.checkpoints).remove()


def hosts(spark: "SparkSession", found: Sources, result: Result, choice: Choice) -> None:
    """hosts/: nodes and weighted arcs of the graph of hosts."""
    table, links = groups.hosts(tables.nodes(spark, found), tables.sequences(spark, found))
    result.write(table.orderBy("host"), "hosts/nodes")
    result.write(links.orderBy("source", "target"), "hosts/arcs")


def domains(spark: "SparkSession", found: Sources, result: Result, choice: Choice) -> None:
    """hosts/ and domains/."""
    hosts(spark, found, result, choice)
    table, links = (spark.read.parquet(result.staged(f"hosts/{name}")) for name in ("nodes", "arcs"))
    each, total = groups.domains(table, links)
    result.write(each.orderBy("domain"), "domains/nodes")
    result.write(total.orderBy("source", "target"), "domains/arcs")


def ids(spark: "SparkSession", found: Sources, result: Result, choice: Choice) -> None:
    """nodes/ and arcs/ with ids, for `webgraph-it convert --ids`."""
    nodes, arcs = compact.compact(
        spark, tables.nodes(spark, found), tables.sequences(spark, found), f"{result.scratch}/sorted"
    )
    result.write(nodes, "nodes")
    result.write(arcs, "arcs")


def plan(spark: "SparkSession", found: Sources, result: Result, choice: Choice) -> None:
    """revisits/ and untried/, for `webgraph-it recrawl plan JOBDIR --from DIR`."""
    revisits, untried = priorities.priorities(spark, found, choice, result.scratch)
    result.write(revisits, "revisits")
    result.write(untried, "untried")


def _ids(found: Sources, choice: Choice) -> dict[str, object]:
    of = {"sources": list(found.given), "archives": list(found.archives)}
    return {"recipe_version": RECIPE_VERSION, "name": found.name, **of}


def _lists(found: Sources, choice: Choice) -> dict[str, object]:
    return {"policy": choice.policy, "made": choice.now, "crawls": priorities.crawls(found)}


COMMANDS = {
    "degrees": Command(degrees, "in- and out-degree of every page", ("degrees",)),
    "pagerank": Command(ranks, "PageRank of every page, as analyse defines it", ("pagerank",)),
    "hosts": Command(hosts, "the graph of hosts", ("hosts",)),
    "domains": Command(domains, "the graphs of hosts and of registrable domains", ("hosts", "domains")),
    "priorities": Command(
        plan,
        "pages to visit again and untried URLs by in-degree, which `recrawl plan --from` takes over",
        ("revisits", "untried"),
        Marker(LISTS_FILE, _lists),
    ),
    "compact": Command(
        ids,
        "ids instead of digests, which `convert --ids` finishes into CSR and BV",
        ("nodes", "arcs"),
        Marker(IDS_FILE, _ids),
    ),
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
    command, found, choice = COMMANDS[name], sources(directories, split_bytes), choice or Choice()
    progress = Progress()
    with claimed(out, command.folders, progress) as result:
        with session(master, settings, progress.note) as spark:
            progress.note(f"reading {found}")
            command.run(spark, found, result, choice)
        marker = command.marker
        result.publish(
            command.folders, marker.name if marker else "", marker.facts(found, choice) if marker else {}
        )


def _digest() -> "object":
    from pyspark.sql import functions as f

    return f.expr(tables.DIGEST).alias("digest")
