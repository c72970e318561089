"""`python -m webgraph_it.simweb`: build a web from the arguments, serve it, and stop on Ctrl-C.

`python -m webgraph_it.simweb compare TRUTH_DIR JOBDIR` compares a crawl of it with its truth (compare.py).
"""

import argparse
import asyncio
import contextlib
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import uvloop

from webgraph_it import __version__
from webgraph_it.simweb import compare, crawl_settings
from webgraph_it.simweb.habits import chosen_shares, parse_share
from webgraph_it.simweb.hits import HitLog, NoHitLog
from webgraph_it.simweb.plan import Plan, PlanError
from webgraph_it.simweb.server import Doors, Ports, Servers
from webgraph_it.simweb.simweb import READY
from webgraph_it.simweb.topology import node_count
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.wire import Wire
from webgraph_it.simweb.world import World


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when stopped, 2 when the arguments cannot be followed (one sentence says why)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["compare"]:
        return compare.main(given[1:])
    options = _parser().parse_args(given)
    _allow_many_sockets()
    try:
        with tempfile.TemporaryDirectory(prefix="simweb-") as folder:
            _run(options, Path(folder))
    except PlanError as error:
        print(f"simweb: {error}.", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"simweb: {error.filename or 'a file'} cannot be used: {error.strerror}.", file=sys.stderr)
        return 2
    return 0


def _allow_many_sockets() -> None:
    """As many as the system lets us have without asking."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _run(options: argparse.Namespace, folder: Path) -> None:
    plan = _plan(options)
    world = World(plan)
    if options.truth:
        walk(world).write(options.truth)
    seeds: Path = options.seeds or folder / "seeds.txt"
    seeds.write_text("".join(f"{url}\n" for url in world.seeds), encoding="utf-8")
    log = HitLog(options.hits) if options.hits else NoHitLog()
    with contextlib.closing(log):
        _open_and_serve(options, world, log, seeds)


def _open_and_serve(options: argparse.Namespace, world: World, log: HitLog, seeds: Path) -> None:
    doors = Doors(world, Ports(options.http_port, options.https_port, options.dns_port))
    lines = crawl_settings.lines(crawl_settings.settings(seeds.absolute(), doors.ports))
    if options.settings:
        options.settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    announcement = _announcement(world, doors.ports, lines)
    servers = Servers(world, doors, log, Wire() if options.wire else None, options.keep)
    uvloop.run(_serve(servers, announcement, options.while_stdin_open))


async def _serve(servers: Servers, announcement: str, while_stdin_open: bool) -> None:
    loop = asyncio.get_running_loop()
    serving = asyncio.create_task(servers.serve(on_ready=lambda: print(announcement, flush=True)))
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, serving.cancel)
    if while_stdin_open:
        loop.add_reader(sys.stdin.fileno(), lambda: os.read(sys.stdin.fileno(), 4096) or serving.cancel())
    with contextlib.suppress(asyncio.CancelledError):
        await serving


def _announcement(world: World, ports: Ports, lines: Sequence[str]) -> str:
    return "\n".join(
        [
            "Crawl it with these settings (scrapy crawl italy …):",
            *(f"    {line}" for line in lines),
            f"{READY}: {len(world.hosts)} hosts, {world.plan.pages} pages; "
            f"HTTP {ports.http}, HTTPS {ports.https}, DNS {ports.dns}. Ctrl-C stops it.",
        ]
    )


def _plan(options: argparse.Namespace) -> Plan:
    only = None if options.only is None else [name for part in options.only for name in part.split(",")]
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
    )


def _pages(options: argparse.Namespace) -> int:
    if options.pages is not None:
        return int(options.pages)
    return node_count(options.topology) if options.topology else 5000


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without repeating its usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"simweb: {message}.\n")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (0 to 65535; 0 is any free one)")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m webgraph_it.simweb",
        description="A small Italian internet on loopback, which knows its own graph.",
        epilog="Also: python -m webgraph_it.simweb compare TRUTH_DIR JOBDIR",
    )
    add = parser.add_argument
    add("--version", action="version", version=f"webgraph_it {__version__}")
    add("--hosts", type=int, default=300, help="number of ordinary hosts (300)")
    add("--pages", type=int, help="number of ordinary pages (5000; with --topology: all its nodes)")
    add("--seed", type=int, default=7, help="the same seed gives the same web (7)")
    add("--degree", type=float, default=30, help="mean number of links on a page (30)")
    add("--page-bytes", type=int, default=15_000, help="mean size of a page in bytes (15000)")
    add("--size-exponent", type=float, default=0.8, help="how uneven the hosts are; 0: equally large (0.8)")
    add(
        "--addresses",
        type=int,
        default=0,
        help="IP addresses that the hosts share (one for four hosts, at most 250)",
    )
    add("--topology", type=Path, metavar="FILE", help="a graph in text form to dress as hosts and pages")
    add("--only", action="append", metavar="NAMES", help="these habits only, comma-separated; plain: none")
    add("--habit", action="append", default=[], metavar="NAME=SHARE", help="set the share of a habit, 0 to 1")
    add("--latency", type=float, default=0.02, help="median latency of hosts with that habit, seconds (0.02)")
    add("--latency-spread", type=float, default=1.0, help="sigma of the log-normal law of latencies (1)")
    add("--hostile", action="store_true", help="add the hostile corner")
    add("--http-port", type=_port, default=8080, help="(8080; 0: any free port)")
    add("--https-port", type=_port, default=8443, help="(8443; 0: any free port)")
    add("--dns-port", type=_port, default=5353, help="UDP and TCP (5353; 0: any free port)")
    add("--truth", type=Path, metavar="DIR", help="write nodes.tsv, arcs.tsv and bounds.tsv there")
    add("--hits", type=Path, metavar="FILE", help="log every connection and request there, as JSON lines")
    add("--keep", action="store_true", help="keep pages in memory, so that only the first visit takes time")
    add("--wire", action="store_true", help="log there, 50 times a second, what clients have acknowledged")
    add(
        "--settings",
        type=Path,
        metavar="FILE",
        help="write the crawl's settings there, one -s argument a line",
    )
    add("--seeds", type=Path, metavar="FILE", help="write the seeds there (else to a temporary file)")
    add("--while-stdin-open", action="store_true", help="stop when standard input ends")
    return parser


if __name__ == "__main__":
    sys.exit(main())
