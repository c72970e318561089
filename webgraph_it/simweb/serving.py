"""Serves a web until it is stopped, and writes the files that were asked for: truth, hits, settings, seeds."""

import asyncio
import contextlib
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import uvloop

from webgraph_it.simweb import crawl_settings
from webgraph_it.simweb.hits import HitLog, NoHitLog
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.server import Doors, Ports, Servers
from webgraph_it.simweb.simweb import READY, TODAY
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.wire import Wire
from webgraph_it.simweb.world import World


@dataclass(frozen=True, slots=True)
class Service:
    """How a web is served. None means that the file is not written."""

    ports: Ports
    truth: Path | None
    hits: Path | None
    settings: Path | None
    seeds: Path | None
    """None means a temporary file."""
    keep: bool
    """Whether pages stay in memory."""
    wire: bool
    """Whether the hit log records what clients have acknowledged."""
    while_stdin_open: bool
    """Stop when standard input ends. A line with a number there turns a changing web to that day."""
    day_seconds: float = 0.0
    """A new day begins every so many seconds. 0 means that days do not pass by themselves."""


def serve(plan: Plan, service: Service) -> None:
    """Build the web and serve it until SIGINT, SIGTERM or, if asked for, the end of standard input."""
    _allow_many_sockets()
    with tempfile.TemporaryDirectory(prefix="simweb-") as folder:
        world = World(plan)
        if service.truth:
            walk(world).write(service.truth)
        seeds = service.seeds or Path(folder) / "seeds.txt"
        seeds.write_text("".join(f"{url}\n" for url in world.seeds), encoding="utf-8")
        with contextlib.closing(HitLog(service.hits) if service.hits else NoHitLog()) as log:
            _open_and_serve(world, service, log, seeds)


def _allow_many_sockets() -> None:
    """Raise the limit of open files as far as the system allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _open_and_serve(world: World, service: Service, log: HitLog, seeds: Path) -> None:
    doors = Doors(world, service.ports)
    lines = crawl_settings.lines(crawl_settings.settings(seeds.absolute(), doors.ports, world.plan))
    if service.settings:
        service.settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    announcement = _announcement(world, doors.ports, lines)
    servers = Servers(world, doors, log, Wire() if service.wire else None, service.keep)
    uvloop.run(_serve(servers, announcement, service, world.plan.day))


async def _serve(servers: Servers, announcement: str, service: Service, day: int) -> None:
    loop = asyncio.get_running_loop()
    serving = asyncio.create_task(servers.serve(on_ready=lambda: print(announcement, flush=True)))
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, serving.cancel)
    if service.while_stdin_open:
        loop.add_reader(sys.stdin.fileno(), lambda: _read_day(servers) or serving.cancel())
    passing = asyncio.create_task(_pass_days(servers, service.day_seconds, day))
    with contextlib.suppress(asyncio.CancelledError):
        await serving
    passing.cancel()


def _read_day(servers: Servers) -> bool:
    """Turn to the day that standard input names, and say so. False at its end."""
    said = os.read(sys.stdin.fileno(), 4096)
    days = [int(line) for line in said.split() if line.isdigit()]
    if days:
        servers.turn_to(days[-1])
        print(f"{TODAY} {days[-1]}", flush=True)
    return bool(said)


async def _pass_days(servers: Servers, day_seconds: float, day: int) -> None:
    while day_seconds:
        await asyncio.sleep(day_seconds)
        day += 1
        servers.turn_to(day)


def _announcement(world: World, ports: Ports, lines: Sequence[str]) -> str:
    return "\n".join(
        [
            "Crawl it with these settings (scrapy crawl …):",
            *(f"    {line}" for line in lines),
            f"{READY}: {len(world.hosts)} hosts, {world.plan.pages} pages; "
            f"HTTP {ports.http}, HTTPS {ports.https}, DNS {ports.dns}. Ctrl-C stops it.",
        ]
    )
