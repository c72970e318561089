"""REST, in Heritrix's vocabulary: one small function a path. server.py has asked before who is there.

Reads that touch files or the store run in a thread, and each has a bound. A change is one call of `Crawl.do`.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

from webgraph_it.console import history, page_log, reports
from webgraph_it.console.hosts import SORTS, Hosts, host_row
from webgraph_it.console.members import MEMBER, Members
from webgraph_it.console.metrics import CONTENT_TYPE, metrics_of
from webgraph_it.console.source import Crawl
from webgraph_it.console.tokens import Role
from webgraph_it.crawl.actions import ActionError, read_action
from webgraph_it.crawl.members import totals_of
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.formats import PAGES_FOLDER

ROLE: web.RequestKey[Role] = web.RequestKey("role", Role)
MAX_HOSTS = 200
RECENT_OF_HOST = 100
QUEUE_SHOWN = 20
ROBOTS_SHOWN = 100_000
HEALTHY_SECONDS = 300.0
"""A crawl that has not committed for so long is not healthy, unless it is paused."""
STATUS_SECONDS = 1.0
"""A status is used again for so long, whoever asks."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def answer(value: object, status: int = 200) -> web.Response:
    return web.json_response(value, status=status)


def refuse(sentence: str, status: int) -> web.Response:
    return answer({"error": sentence}, status)


class Api:
    """The paths, and what each answers."""

    def __init__(self, crawl: Crawl, directory: CrawlDirectory, others: list[str]) -> None:
        self._crawl = crawl
        self._directory = directory
        self._pages: Path = directory.path / PAGES_FOLDER
        self._hosts = Hosts(crawl)
        self._metrics = metrics_of(crawl.counters)
        self._status: dict[str, Any] = {}
        self._status_at = float("-inf")
        self._members = Members(directory.path, others, self.current, crawl.do)

    async def close(self) -> None:
        await self._hosts.close()

    def routes(self) -> list[web.RouteDef]:
        """HEAD comes with GET."""
        return [
            web.get("/healthz", self.health),
            web.get("/metrics", self.metrics),
            web.get("/api/status", self.status),
            web.get("/api/members", self.members),
            web.get("/api/progress", self.progress),
            web.get("/api/hosts", self.hosts),
            web.get("/api/hosts/{surt}", self.host),
            web.get("/api/pages", self.pages),
            web.get("/api/reports", self.report_names),
            web.get("/api/reports/{name}", self.report),
            web.get("/api/actions", self.actions),
            web.post("/api/action", self.action),
            web.put("/api/rules/{surt}", self.put_rule),
            web.delete("/api/rules/{surt}", self.delete_rule),
        ]

    # -- looking -------------------------------------------------------------------------------------------

    async def health(self, request: web.Request) -> web.Response:
        counters = self._crawl.counters()
        age = time.time() - counters.committed_at
        well = age < HEALTHY_SECONDS or bool(counters.pauses)
        return answer({"healthy": well, "last_commit_seconds_ago": round(age, 1)}, 200 if well else 503)

    async def metrics(self, request: web.Request) -> web.Response:
        return web.Response(body=self._metrics(), headers={"Content-Type": CONTENT_TYPE})

    def current(self) -> dict[str, Any]:
        """The status, at most a second old."""
        if time.monotonic() - self._status_at >= STATUS_SECONDS:
            self._status, self._status_at = self._crawl.status(), time.monotonic()
        return self._status

    async def everything(self) -> dict[str, Any]:
        """The status, with `members` and `totals` if several crawls are shown."""
        return {**self.current(), **await self._members.summary()}

    async def status(self, request: web.Request) -> web.Response:
        return answer({**await self.everything(), "role": request[ROLE].name.lower()})

    async def members(self, request: web.Request) -> web.Response:
        """One crawl is a list of one."""
        own = {**self.current(), "member": next(iter(self._members.crawls)), "own": True}
        return answer(await self._members.summary() or {"members": [own], "totals": totals_of([own])})

    async def progress(self, request: web.Request) -> web.Response:
        since, points = _number(request, "since", 0.0), int(_number(request, "points", 600))
        return answer(await asyncio.to_thread(history.progress, self._directory.progress_file, since, points))

    async def hosts(self, request: web.Request) -> web.Response:
        sort, most = request.query.get("sort", "queue"), int(_number(request, "most", 50))
        most = max(1, min(most, MAX_HOSTS))
        if found := request.query.get("find", "").strip():
            return answer(await self._hosts.find(host_name(found), most))
        if sort not in SORTS:
            return refuse(f"sort is {sort[:40]!r}; expected: one of {', '.join(SORTS)}", 400)
        return answer(await self._hosts.top(sort, most))

    async def host(self, request: web.Request) -> web.Response:
        name = host_name(request.match_info["surt"])
        row = self._crawl.host_record(name)
        if row is None:
            return refuse(f"{name[:100]} is not a host of this crawl", 404)
        robots = [self._robots(f"{scheme}://{prefix}{_dns(name)}") for scheme, prefix in _ORIGINS]
        recent, queue = await asyncio.to_thread(self._of_host, name, list(self._crawl.recent))
        return answer(
            {
                **host_row(row, self._crawl.busy, self._crawl.parked)._asdict(),
                "name": _dns(name),
                "delay": self._crawl.host_delay(name),
                "robots": [record for record in robots if record is not None],
                "recent": recent,
                "statuses": dict(Counter(str(page["status"]) for page in recent)),
                "queue": queue,
            }
        )

    def _of_host(self, name: str, recent: list[str]) -> tuple[list[dict[str, Any]], list[str]]:
        """In a thread."""
        pages = page_log.pages_of_host(recent, self._pages, name, RECENT_OF_HOST)
        return pages, self._crawl.queue_head(name, QUEUE_SHOWN)

    def _robots(self, origin: str) -> dict[str, Any] | None:
        record = self._crawl.robots(origin)
        if record is None:
            return None
        return {
            "origin": origin,
            "verdict": record.verdict.name.lower(),
            "reason": record.reason,
            "fetched_at": record.fetched_at,
            "expires_at": record.expires_at,
            "text": record.raw[:ROBOTS_SHOWN].decode("utf-8", "replace"),
        }

    async def pages(self, request: web.Request) -> web.Response:
        text, most = request.query.get("filter", "")[:500], int(_number(request, "most", 100))
        recent = list(self._crawl.recent)
        return answer(await asyncio.to_thread(page_log.pages, recent, self._pages, text, most))

    async def report_names(self, request: web.Request) -> web.Response:
        return answer(await asyncio.to_thread(reports.written, self._directory.reports))

    async def report(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        text = await asyncio.to_thread(reports.report, self._directory.reports, name)
        if text is None:
            names = ", ".join(reports.REPORTS)
            return refuse(
                f"there is no such report yet; expected: one of {names}, after the action `reports`", 404
            )
        return web.Response(text=text, content_type="text/plain")

    async def actions(self, request: web.Request) -> web.Response:
        most = max(1, int(_number(request, "most", 100)))
        return answer(await asyncio.to_thread(reports.actions, self._directory.reports, most))

    # -- changing ------------------------------------------------------------------------------------------

    async def action(self, request: web.Request) -> web.Response:
        return await self._do(request, await _body(request))

    async def put_rule(self, request: web.Request) -> web.Response:
        """{"block": true, "delay": 5, "max_pages": 100, "priority": -10}: each is the verb of that name.

        All of it is checked before anything is done. Only an unblock can be refused later, and it comes first.
        """
        said, surt = await _body(request), request.match_info["surt"]
        if not isinstance(said, dict) or not said or not set(said) <= set(_VERBS_OF_RULE):
            return refuse(f"expected: an object with some of {', '.join(_VERBS_OF_RULE)}", 400)
        if not isinstance(said.get("block"), bool | None):
            return refuse(f"block is {said['block']!r}; expected: true, false or null", 400)
        asked = [make(said[name]) | {"surt": surt} for name, make in _VERBS_OF_RULE.items() if name in said]
        try:
            for each in asked:
                read_action(each)
        except ActionError as error:
            return refuse(str(error), 400)
        done = web.Response()
        for each in asked:
            done = await self._do(request, each | _for_whom(request))
            if done.status != 200:
                break
        return done

    async def delete_rule(self, request: web.Request) -> web.Response:
        """All that is set for a prefix; with `?part=delay`, only that."""
        surt, part = request.match_info["surt"], request.query.get("part")
        if part is None:
            return await self._do(request, {"action": "clear", "surt": surt} | _for_whom(request))
        if part not in _VERBS_OF_RULE:
            return refuse(f"part is {part[:40]!r}; expected: one of {', '.join(_VERBS_OF_RULE)}", 400)
        return await self._do(request, _VERBS_OF_RULE[part](None) | {"surt": surt} | _for_whom(request))

    async def _do(self, request: web.Request, said: object) -> web.Response:
        try:
            done = await self._members.do(said, f"console {request[ROLE].name.lower()} at {request.remote}")
        except ActionError as error:
            return refuse(str(error), 400)
        self._status_at = float("-inf")
        self._members.changed()
        return answer(done)


_ORIGINS = [(scheme, prefix) for scheme in ("https", "http") for prefix in ("", "www.")]
_VERBS_OF_RULE: Mapping[str, Callable[[object], dict[str, Any]]] = {
    "block": lambda value: {"action": "block" if value is True else "unblock"},
    "delay": lambda value: {"action": "delay", "seconds": value},
    "max_pages": lambda value: {"action": "max-pages", "pages": value},
    "priority": lambda value: {"action": "priority", "priority": value},
}


def host_name(text: str) -> str:
    """As keys have it: `it,unipd` of `www.unipd.it`, `it,unipd,` or `it,unipd)/path`."""
    text = text.strip().lower()
    if "," in text or ")" in text:
        return text.partition(")")[0].rstrip(",")
    text = text.partition("://")[2] or text
    labels = text.partition("/")[0].split(".")
    if len(labels) > 1 and labels[0].startswith("www") and labels[0][3:].isdigit() | (labels[0] == "www"):
        del labels[0]
    return ",".join(reversed(labels)).strip(",")


def _dns(name: str) -> str:
    return ".".join(reversed(name.split(",")))


def _for_whom(request: web.Request) -> dict[str, str]:
    """`?member=…`, as in the body of an action."""
    return {MEMBER: request.query[MEMBER]} if MEMBER in request.query else {}


def _number(request: web.Request, name: str, default: float) -> float:
    try:
        value = float(request.query.get(name, default))
    except ValueError:
        return default
    return value if -1e12 < value < 1e12 else default


async def _body(request: web.Request) -> object:
    try:
        return json.loads(await request.read())
    except (ValueError, RecursionError):
        raise web.HTTPBadRequest(
            text=json.dumps({"error": 'the body is not JSON; expected: {"action": "pause"}'}),
            content_type="application/json",
        ) from None
