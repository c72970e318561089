"""Webs served in the test's own process, which is quicker than SimWeb: from a thread, or without a network."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvloop

from webgraph_it.simweb.answers import Answer
from webgraph_it.simweb.crawl_settings import settings
from webgraph_it.simweb.hits import NoHitLog
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.server import Doors, Ports, Servers
from webgraph_it.simweb.site import Request, Site
from webgraph_it.simweb.world import World


def asked(
    world: World, scheme: str, host: str, target: str, *, method: str = "GET", coding: str = ""
) -> Answer:
    """What a fresh server would answer, without a network."""
    return Site(world, NoHitLog()).answer(Request(method, scheme, host, target, coding, "test", keep=True))


@contextmanager
def serving(plan: Plan) -> Iterator[tuple[World, dict[str, Any]]]:
    """The world and the crawl's settings, while it is served."""
    world = World(plan)
    doors = Doors(world, Ports(0, 0, 0))
    ready = threading.Event()
    loop = uvloop.new_event_loop()
    task = loop.create_task(Servers(world, doors, NoHitLog()).serve(on_ready=ready.set))
    thread = threading.Thread(target=_run, args=(loop, task))
    thread.start()
    ready.wait(10)
    try:
        yield world, settings(Path("seeds.txt"), doors.ports, world.plan)
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()


def _run(loop: asyncio.AbstractEventLoop, task: "asyncio.Task[None]") -> None:
    try:
        loop.run_until_complete(task)
    except asyncio.CancelledError:
        pass
    finally:
        loop.run_until_complete(asyncio.sleep(0.01))  # the closed sockets are let go
        loop.close()
