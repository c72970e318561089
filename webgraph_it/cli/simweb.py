"""`webgraph-it simweb`: builds a web from the options, serves it, and stops on Ctrl-C. See docs/simweb.md."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from webgraph_it.cli.shell.mistakes import mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import count, number, port, words
from webgraph_it.cli.shell.verb import Verb

if TYPE_CHECKING:
    from webgraph_it.simweb import Plan

PAGES = 5000


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--hosts", type=count, default=300, metavar="N", help="number of ordinary hosts (300)")
    add(
        "--pages",
        type=count,
        metavar="N",
        help=f"number of ordinary pages ({PAGES}; with --topology: all its nodes)",
    )
    add("--seed", type=count, default=7, metavar="N", help="the same seed gives the same web (7)")
    add("--tld", default="it", metavar="NAME", help="top-level domain of the hosts (it)")
    add("--degree", type=number, default=30, metavar="N", help="mean number of links on a page (30)")
    add("--page-bytes", type=count, default=15_000, metavar="N", help="mean bytes of a page (15000)")
    add(
        "--size-exponent",
        type=number,
        default=0.8,
        metavar="X",
        help="how uneven the hosts are; 0: equally large (0.8)",
    )
    add(
        "--addresses",
        type=count,
        default=0,
        metavar="N",
        help="IP addresses that the hosts share (one for four hosts, at most 250)",
    )
    add("--topology", type=Path, metavar="FILE", help="a graph in text form to dress as hosts and pages")
    add("--only", action="append", metavar="NAMES", help="these habits only, comma-separated; plain: none")
    add("--habit", action="append", default=[], metavar="NAME=SHARE", help="set the share of a habit, 0 to 1")
    add(
        "--latency",
        type=number,
        default=0.02,
        metavar="SECONDS",
        help="median latency of hosts with that habit (0.02)",
    )
    add(
        "--latency-spread",
        type=number,
        default=1.0,
        metavar="SIGMA",
        help="sigma of the log-normal law of latencies (1)",
    )
    add("--day", type=count, default=0, metavar="N", help="serve day N of a changing web (0)")
    add("--day-seconds", type=number, default=0, metavar="S", help="a new day every S seconds (0: never)")
    add("--births", type=number, default=0, metavar="SHARE", help="pages born on a day, as a share (0)")
    add("--deaths", type=number, default=0, metavar="SHARE", help="pages that die on a day (0)")
    add("--changes", type=number, default=0, metavar="SHARE", help="pages whose links change on a day (0)")
    add(
        "--validators",
        type=words,
        default=["honest"],
        metavar="KINDS",
        help="ETags of the hosts in turn: honest, fickle, stale, absent (honest)",
    )
    add("--hostile", action="store_true", help="add the hostile corner")
    add("--http-port", type=port, default=8080, metavar="PORT", help="(8080; 0: any free port)")
    add("--https-port", type=port, default=8443, metavar="PORT", help="(8443; 0: any free port)")
    add("--dns-port", type=port, default=5353, metavar="PORT", help="UDP and TCP (5353; 0: any free port)")
    add("--truth", type=Path, metavar="DIR", help="write nodes.tsv, arcs.tsv and bounds.tsv there")
    add("--hits", type=Path, metavar="FILE", help="log every connection and request there, as JSON lines")
    add("--keep", action="store_true", help="keep pages in memory, so that only the first visit takes time")
    add("--wire", action="store_true", help="also log what clients have acknowledged, 50 times a second")
    add("--settings", type=Path, metavar="FILE", help="write the crawl's settings there, one -s per line")
    add("--seeds", type=Path, metavar="FILE", help="write the seeds there (default: a temporary file)")
    add("--while-stdin-open", action="store_true", help="stop when standard input ends")


def run(options: Namespace) -> int:
    """0 when stopped."""
    from webgraph_it.simweb import PlanError
    from webgraph_it.simweb.server import Ports
    from webgraph_it.simweb.serving import Service, serve

    service = Service(
        ports=Ports(options.http_port, options.https_port, options.dns_port),
        truth=options.truth,
        hits=options.hits,
        settings=options.settings,
        seeds=options.seeds,
        keep=options.keep,
        wire=options.wire,
        while_stdin_open=options.while_stdin_open,
        day_seconds=options.day_seconds,
    )
    with mistakes(PlanError):
        serve(plan_of(options), service)
    return 0


def plan_of(options: Namespace) -> "Plan":
    """The web that these options describe."""
    from webgraph_it.simweb import Plan
    from webgraph_it.simweb.habits import chosen_shares, parse_share

    only = None if options.only is None else [name for part in options.only for name in words(part)]
    return Plan(
        hosts=options.hosts,
        pages=_pages(options),
        seed=options.seed,
        degree=options.degree,
        page_bytes=options.page_bytes,
        addresses=options.addresses,
        shares=chosen_shares(only, dict(parse_share(text) for text in options.habit)),
        size_exponent=options.size_exponent,
        latency_seconds=options.latency,
        latency_spread=options.latency_spread,
        topology=options.topology,
        hostile=options.hostile,
        tld=options.tld,
        day=options.day,
        births=options.births,
        deaths=options.deaths,
        changes=options.changes,
        validators=tuple(options.validators),
    )


def _pages(options: Namespace) -> int:
    from webgraph_it.simweb.topology import node_count

    if options.pages is not None:
        return int(options.pages)
    return node_count(options.topology) if options.topology else PAGES


VERB = Verb(
    name="simweb",
    summary="Serve a small national web on loopback, which knows its own graph, until Ctrl-C.",
    examples=("webgraph-it simweb --hosts 20 --pages 300 --truth truth --settings settings",),
    add_options=add_options,
    run=run,
)
