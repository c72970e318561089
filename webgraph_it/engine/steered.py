"""A running crawl as operators reach it (crawl/operations.py): what is in force, and verbs that are done at once."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from webgraph_it.crawl.actions import Action, ActionError, check_for
from webgraph_it.crawl.reconsider import taken_back
from webgraph_it.crawl.status import status_of
from webgraph_it.crawl.steering import OPERATOR_BLOCK, Steering
from webgraph_it.crawl.visit import refused
from webgraph_it.engine.bandwidth_middleware import BandwidthMiddleware
from webgraph_it.engine.downloader import LeanDownloader
from webgraph_it.engine.parts import parts_of
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.layout import HOST_HEAD
from webgraph_it.frontier.records import Lease
from webgraph_it.items import Link, State
from webgraph_it.urls import Name, name
from webgraph_it.urls.rules import Rule, Rules
from webgraph_it.urls.scope import Scope, Verdict
from webgraph_it.urls.surt import starts

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from webgraph_it.engine.running import Running

logger = logging.getLogger(__name__)

MAX_SEEDS_AT_ONCE = 256
MAX_COUNTED_HOSTS = 100_000


class Steered:
    """crawl/operations.py `Crawl`, over the parts of a crawl that runs."""

    def __init__(self, crawler: "Crawler", running: "Running", scope: Scope) -> None:
        self._crawler = crawler
        self._running = running
        self._scope = scope
        self._scheduler = running.scheduler
        self._settings = crawler.settings
        self.file_rules: tuple[Rule, ...] = ()
        self._steering = Steering()
        self._scheduler.drop = self._drop

    # -- what is in force --------------------------------------------------------------------------------------

    def set_file_rules(self, rules: tuple[Rule, ...]) -> None:
        """Those of RULES_FILE, which come after the operators'."""
        self.file_rules = rules
        self._apply_rules(self._steering.rules)

    def check(self, action: Action) -> None:
        check_for(action, self._settings.getint("MAX_TCP_CONNECTIONS"), self._settings["SCHEDULE_TIMEZONE"])

    async def reach(self, action: Action) -> dict[str, Any]:
        match action.name:
            case "block":
                await self.commit()
                return await asyncio.to_thread(below, self._scheduler.frontier, action.arguments["surt"])
            case "park" if self._scheduler.frontier.host_record(action.arguments["host"]) is None:
                return {"note": "no URL of this host is known; it is left alone if one is found"}
            case "wake":
                until = self._scheduler.parked.get(action.arguments["host"], 0.0)
                return {"woken": until > self._scheduler.now()}
        return {}

    def apply(self, steering: Steering) -> None:
        before, self._steering = self._steering, steering
        control = self._running.control
        for reason in steering.pauses:
            control.pause(reason)
        for reason in before.pauses:
            if reason not in steering.pauses:
                control.unpause(reason)
        self._scheduler.parked = dict(steering.parked)
        if steering.rules != before.rules:
            self._apply_rules(steering.rules)
        if steering.schedule is not None and steering.schedule != before.schedule:
            bandwidth = self._crawler.get_downloader_middleware(BandwidthMiddleware)
            if bandwidth is not None:
                bandwidth.override([list(entry) for entry in steering.schedule])
        if steering.connections is not None and steering.connections != before.connections:
            parts_of(self._crawler).fetcher.set_connection_cap(steering.connections)

    def _apply_rules(self, rules: tuple[Rule, ...]) -> None:
        scheduler = self._scheduler
        scheduler.rules = Rules((*rules, *self.file_rules))
        scheduler.frontier.set_rules(scheduler.rules)
        downloader: object = self._crawler.engine.downloader
        if isinstance(downloader, LeanDownloader):
            downloader.call_off_if(self._is_blocked)
        scheduler.wake()

    def _is_blocked(self, request: "Request") -> bool:
        lease = request.meta.get("lease")
        return lease is not None and self._scheduler.is_blocked(lease)

    def _drop(self, lease: Lease) -> bool:
        """A blocked URL becomes a node that was not fetched."""
        recorder = self._running.recorder
        if recorder.step.locked() or recorder.shards.full:
            return False
        in_graph = self._scope.verdict(lease.key).in_graph
        page = refused(State.QUOTA_CUT, OPERATOR_BLOCK, lease, time.time())
        recorder.record(page if in_graph else replace(page, in_graph=False))
        return True

    # -- verbs -------------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        running, gauges = self._running, self._running.gauges
        moment = gauges.moment(running.progress.last)
        own = {
            "name": running.directory.path.resolve().name,
            "console": self._settings["CONSOLE"],
            "file_rules": len(self.file_rules),
            "links": running.recorder.tally.links,
            "commits": running.committer.commits,
            "last_commit_seconds_ago": time.time() - running.committer.committed_at,
        }
        return own | status_of(moment.snapshot, gauges.facts(0.0, hosts=False), self._steering)

    async def commit(self) -> None:
        await self._running.commits.commit()

    async def do(self, action: Action) -> dict[str, Any]:
        verb = self._VERBS.get(action.name)
        return {} if verb is None else await verb(self, action)

    async def _checkpoint(self, action: Action) -> dict[str, Any]:
        await self._running.checkpoint()
        return {}

    async def _reports(self, action: Action) -> dict[str, Any]:
        await self.commit()
        await self._running.reporter.write("Running")
        return {"reports": str(self._running.directory.reports)}

    async def _terminate(self, action: Action) -> dict[str, Any]:
        self._running.ask_to_stop()
        return {}

    async def _wake(self, action: Action) -> dict[str, Any]:
        host = action.arguments["host"]
        woken = self._scheduler.frontier.wake(host, self._scheduler.now())
        self._scheduler.wake()
        return {"woken": True} if woken else {}

    async def _add_seeds(self, action: Action) -> dict[str, Any]:
        """In slices, between which pages are recorded and commits made."""
        lines = [line.strip() for line in action.arguments["seeds"]]
        links, refused_lines = self._links_of([line for line in lines if line and not line.startswith("#")])
        added = 0
        for first in range(0, len(links), MAX_SEEDS_AT_ONCE):
            async with self._running.recorder.step:
                part = links[first : first + MAX_SEEDS_AT_ONCE]
                added += len(self._running.recorder.record_seeds(part, frozenset()).new)
        self._scheduler.wake()
        return {"seeds": len(links), "new": added, "refused": refused_lines}

    def _links_of(self, lines: list[str]) -> tuple[list[Link], list[str]]:
        """Seeds outside the scope are refused: a directory needs a line in the seed file."""
        links, refusals = [], []
        for line in lines:
            named = name(line if "://" in line else f"http://{line}/")
            if isinstance(named, Name) and self._scope.verdict(named.key, named.url) is Verdict.IN:
                links.append(Link(*named, "seed"))
            else:
                refusals.append(line)
        if not links:
            raise ActionError("no line is a URL in the scope of this crawl")
        return links, refusals

    async def _take_back(self, action: Action) -> dict[str, Any]:
        """What the rule had cut, and nothing cuts now, is queued again."""
        return {"queued": await self.take_back(starts(action.arguments["surt"]))}

    async def take_back(self, covered: tuple[str, ...]) -> int:
        """Queue again what rules had cut among keys that begin so. How many nodes they are."""
        await self.commit()
        running, scheduler, queued = self._running, self._scheduler, 0
        for so_far in taken_back(
            running.directory, scheduler.frontier, running.recorder.tally, covered, scheduler.now()
        ):
            queued = so_far
            await asyncio.sleep(0)
        scheduler.wake()
        return queued

    _VERBS: ClassVar[Mapping[str, Callable[["Steered", Action], Coroutine[Any, Any, dict[str, Any]]]]] = {
        "checkpoint": _checkpoint,
        "reports": _reports,
        "terminate": _terminate,
        "wake": _wake,
        "add-seeds": _add_seeds,
        "unblock": _take_back,
        "max-pages": _take_back,
        "clear": _take_back,
    }


def below(frontier: Frontier, surt: str) -> dict[str, Any]:
    """Of a prefix: the hosts that are known, and how many URLs of theirs wait (of a path nobody has counted them)."""
    host, _, path = surt.partition(")")
    name = host.rstrip(",")
    hosts = waiting = 0
    for row, packed in islice(frontier.committed_host_rows(name.encode()), MAX_COUNTED_HOSTS):
        found = row.decode()
        if found != name and not (surt.endswith(",") and found.startswith(f"{name},")):
            break
        hosts += 1
        waiting += HOST_HEAD.unpack_from(packed)[0]
    if hosts == MAX_COUNTED_HOSTS:
        return {"hosts": hosts, "note": "there may be more hosts; only so many are counted"}
    return {"hosts": hosts} if path else {"hosts": hosts, "urls_not_fetched": waiting}
