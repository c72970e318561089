"""The console as one aiohttp application: who is there, what is refused, what is sent with every answer.

It runs in the crawl's own event loop. Nothing here is expensive, and nothing can stop the crawl: an exception of a
handler is a 500 for whoever asked, and one line in the log.
"""

import asyncio
import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

from aiohttp import web

from webgraph_it.console.address import Address, ConsoleError
from webgraph_it.console.api import ROLE, Api, answer, refuse
from webgraph_it.console.door import Door
from webgraph_it.console.guard import HEADERS, READING, Asked, refusal
from webgraph_it.console.source import Crawl
from webgraph_it.console.tokens import Gate, Role, read_tokens
from webgraph_it.shards.directory import CrawlDirectory

logger = logging.getLogger(__name__)
aiohttp_logger = logging.getLogger(f"{__name__}.http")
# A traceback for every request that is no HTTP: whoever asks could fill the log. A filter, because Scrapy enables all
# loggers when it configures the log.
aiohttp_logger.addFilter(lambda record: False)

STATIC = Path(__file__).parent / "static"
FILES = {
    "/": ("index.html", "text/html"),
    "/console.css": ("console.css", "text/css"),
    "/console.js": ("console.js", "text/javascript"),
    "/charts.js": ("charts.js", "text/javascript"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
"""The page: every file there is, by its path."""
FOR_ALL = frozenset((*FILES, "/healthz", "/api/login", "/api/logout"))
"""Paths that need no token."""
COOKIE = "webgraph_it_console"
MAX_BODY_BYTES = 1_000_000
MAX_LISTENERS = 20
EVENT_SECONDS = 2.0
CLOSE_SECONDS = 1.0


class Console:
    """Serves one crawl until closed."""

    def __init__(
        self,
        crawl: Crawl,
        directory: CrawlDirectory,
        address: Address,
        gate: Gate,
        hosts: list[str],
        others: list[str],
    ) -> None:
        self._address = address
        self._names = address.names(hosts)
        self._gate = gate
        self._api = Api(crawl, directory, others)
        self._listeners: set[asyncio.Task[Any]] = set()
        self._door: Door | None = None
        self._runner: web.AppRunner | None = None

    def __repr__(self) -> str:
        return f"<Console at http://{self._address}/>"

    async def open(self) -> None:
        """ConsoleError if the address is not free."""
        listening = self._address.listening()
        app = web.Application(middlewares=[self._guarded], client_max_size=MAX_BODY_BYTES)
        app.add_routes(self._api.routes())
        app.router.add_get("/api/events", self._events)
        app.router.add_post("/api/login", self._log_in)
        app.router.add_post("/api/logout", self._log_out)
        for path in FILES:
            app.router.add_get(path, _file)
        self._runner = web.AppRunner(
            app,
            access_log=None,
            logger=aiohttp_logger,
            handle_signals=False,
            shutdown_timeout=CLOSE_SECONDS,
            keepalive_timeout=30.0,
        )
        await self._runner.setup()
        assert self._runner.server is not None
        self._door = Door(self._runner.server)
        await self._door.open(listening)
        logger.info("Console: http://%s/", self._address)

    async def close(self) -> None:
        """Nobody waits for it longer than CLOSE_SECONDS."""
        if self._door is None or self._runner is None:
            return
        self._door.close()
        for listener in list(self._listeners):
            listener.cancel()
        await self._runner.cleanup()
        await self._api.close()

    # -- every request -------------------------------------------------------------------------------------

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if self._door is not None:
            self._door.spoke(request.protocol)
        response = await self._answered(request, handler)
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    async def _answered(self, request: web.Request, handler: Any) -> web.StreamResponse:
        try:
            return await self._refused(request) or await handler(request)
        except web.HTTPException as error:
            if error.content_type == "application/json":
                return web.Response(text=error.text, status=error.status, content_type="application/json")
            return refuse(f"{error.reason}.", error.status)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as error:
            logger.error("The console could not answer %s.", request.method, exc_info=error)
            return refuse("The console made a mistake; the crawl's log has it.", 500)

    async def _refused(self, request: web.Request) -> web.Response | None:
        if found := refusal(asked_of(request), self._names):
            return refuse(found.sentence, found.status)
        if request.path in FOR_ALL:
            return None
        role = await self._gate.role(_bearer(request), request.cookies.get(COOKIE))
        if role is Role.NOBODY:
            response = refuse("Give a token: Authorization: Bearer …, or log in on the page.", 401)
            response.headers["WWW-Authenticate"] = "Bearer"
            return response
        if request.method not in READING and role is not Role.OPERATOR:
            return refuse("This token may look, and change nothing.", 403)
        request[ROLE] = role
        return None

    async def _log_in(self, request: web.Request) -> web.Response:
        """A token against a cookie, which scripts cannot read and other sites cannot make a browser send."""
        try:
            said = json.loads(await request.read())
        except (ValueError, RecursionError):
            said = None
        token = said.get("token") if isinstance(said, dict) else None
        role = await self._gate.role(token if isinstance(token, str) else "", None)
        if role is Role.NOBODY:
            return refuse("That is not a token of this console.", 401)
        response = answer({"role": role.name.lower()})
        session = self._gate.new_session(role)
        response.set_cookie(COOKIE, session, httponly=True, samesite="Strict", path="/")
        return response

    async def _log_out(self, request: web.Request) -> web.Response:
        self._gate.end_session(request.cookies.get(COOKIE))
        response = answer({})
        response.del_cookie(COOKIE, path="/")
        return response

    # -- events --------------------------------------------------------------------------------------------

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """The status every other second, as server-sent events."""
        if len(self._listeners) >= MAX_LISTENERS:
            return refuse(f"{MAX_LISTENERS} pages are open already.", 503)
        task = asyncio.current_task()
        assert task is not None
        self._listeners.add(task)
        response = web.StreamResponse(headers={**HEADERS, "Content-Type": "text/event-stream"})
        role = request[ROLE].name.lower()
        try:
            await response.prepare(request)
            with suppress(ConnectionError, asyncio.CancelledError):
                while True:
                    status = json.dumps({**await self._api.everything(), "role": role})
                    await response.write(f"event: status\ndata: {status}\n\n".encode())
                    await asyncio.sleep(EVENT_SECONDS)
        finally:
            self._listeners.discard(task)
        return response


def console_of(
    crawl: Crawl,
    directory: CrawlDirectory,
    listen: str,
    tokens_file: str,
    hosts: list[str],
    others: list[str],
) -> Console | None:
    """From the settings; None if CONSOLE is empty. ConsoleError for what `check` would have found."""
    if not listen:
        return None
    tokens = read_tokens(Path(tokens_file)) if tokens_file else None
    return Console(crawl, directory, Address.of(listen), Gate(tokens), hosts, others)


def check(listen: str, tokens_file: str) -> None:
    """Whether the console can be served, before a crawl begins; ConsoleError."""
    if not listen:
        return
    address = Address.of(listen)
    if tokens_file:
        read_tokens(Path(tokens_file))
    elif not address.is_loopback:
        raise ConsoleError(
            f"CONSOLE is {address}, which others can reach, and there are no tokens; expected: a loopback address "
            "such as 127.0.0.1:6060, or CONSOLE_TOKENS (docs/console.md says how to make them)"
        )
    address.listening().close()


def asked_of(request: web.Request) -> Asked:
    headers = request.headers
    return Asked(
        request.method,
        request.path,
        tuple(headers.getall("Host", [])),
        headers.get("Origin"),
        headers.get("Sec-Fetch-Site"),
        headers.get("Content-Type", ""),
    )


def _bearer(request: web.Request) -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


async def _file(request: web.Request) -> web.Response:
    name, content_type = FILES[request.path]
    body = await asyncio.to_thread((STATIC / name).read_bytes)
    return web.Response(body=body, content_type=content_type, charset="utf-8")
