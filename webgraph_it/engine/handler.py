"""Scrapy's download handler over our fetcher: the one module of the engine that speaks Scrapy.

Guarantees: http and https of one crawl share one `Fetcher`, hence one cap, one pool and one bandwidth limit;
every failure is one of Scrapy's download exceptions with the reason in its message, and counted as
`fetch/error/<reason>`; AddressBusy is no failure, and counted as `fetch/address_busy`.
The response is a plain `scrapy.http.Response` with the decoded body; `flags` say
what was cut, `ip_address` who answered, and `request.meta["fetch_times"]` holds the moments (seconds since
1970 UTC) of sending, first byte and last byte.

A body that ended early raises ResponseDataLossError, as in Scrapy's own handlers, unless the setting
DOWNLOAD_FAIL_ON_DATALOSS or the request's meta `download_fail_on_dataloss` is false: then it is only flagged.
"""

from collections.abc import Mapping
from typing import Any, Self
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.http import Headers, Response

from webgraph_it.fetch.address_gate import AddressBusy
from webgraph_it.fetch.client import Fetcher, FetchSettings, Reply
from webgraph_it.fetch.connection import FetchError
from webgraph_it.fetch.dns import DnsSettings, Resolver
from webgraph_it.fetch.guard import Guard, networks
from webgraph_it.fetch.identity import user_agent
from webgraph_it.fetch.request_message import RequestWriter
from webgraph_it.fetch.response_parser import DATA_LOSS, Limits
from webgraph_it.fetch.target import target_of


class ForbiddenAddressError(CannotResolveHostError):
    """The host leads only to addresses that are not connected to."""


_EXCEPTIONS: dict[str, type[Exception]] = {
    "timeout": DownloadTimeoutError,
    "silence": DownloadTimeoutError,
    "connect-timeout": DownloadTimeoutError,
    "refused": DownloadConnectionRefusedError,
    "unreachable": DownloadConnectionRefusedError,
    "incomplete-head": ResponseDataLossError,
}


def scrapy_error(error: FetchError, url: str) -> Exception:
    """A FetchError as the exception that Scrapy's users expect."""
    message = f"{url}: {error} [{error.reason}]"
    if error.reason.startswith("forbidden/"):
        return ForbiddenAddressError(message)
    if error.reason.startswith("dns-"):
        return CannotResolveHostError(message)
    return _EXCEPTIONS.get(error.reason, DownloadFailedError)(message)


_fetchers: "WeakKeyDictionary[Crawler, Fetcher]" = WeakKeyDictionary()


def fetcher_of(crawler: Crawler) -> Fetcher:
    """The one fetcher of a crawl."""
    fetcher = _fetchers.get(crawler)
    if fetcher is None:
        fetcher = _fetchers[crawler] = make_fetcher(crawler)
    return fetcher


def make_fetcher(crawler: Crawler) -> Fetcher:
    """Build the fetcher from the crawl's settings."""
    settings = crawler.settings
    assert crawler.stats is not None
    guard = Guard(networks(settings["ALLOWED_PRIVATE_NETWORKS"]), public=bool(settings["CONTACT_URL"]))
    resolver = Resolver(dns_settings(settings), guard, crawler.stats.inc_value)
    return Fetcher(fetch_settings(settings), resolver, crawler.stats.inc_value)


def fetch_settings(settings: Mapping[str, Any]) -> FetchSettings:
    """From values that have been checked."""
    cap = settings["MAX_TCP_CONNECTIONS"]
    return FetchSettings(
        connection_cap=cap,
        idle_cap=min(settings["MAX_IDLE_CONNECTIONS"], cap),
        idle_seconds=settings["KEEP_ALIVE_SECONDS"],
        connect_seconds=settings["CONNECT_TIMEOUT"],
        total_seconds=settings["DOWNLOAD_TIMEOUT"],
        silence_seconds=settings["DOWNLOAD_SILENCE_TIMEOUT"],
        limits=Limits(
            head_bytes=settings["MAX_HEADER_BYTES"],
            header_count=settings["MAX_HEADER_COUNT"],
            body_bytes=settings["MAX_BODY_BYTES"],
        ),
        allowed_ports=frozenset(settings["ALLOWED_PORTS"]),
        port_map={int(port): to for port, to in settings["PORT_MAP"].items()},
    )


def dns_settings(settings: Mapping[str, Any]) -> DnsSettings:
    """From values that have been checked."""
    return DnsSettings(
        servers=tuple(settings["DNS_SERVERS"]),
        timeout=settings["DNS_TRY_TIMEOUT"],
        minimum_ttl=settings["DNS_MIN_TTL"],
        maximum_ttl=settings["DNS_MAX_TTL"],
        negative_ttl=settings["DNS_NEGATIVE_TTL"],
        cache_size=settings["DNS_CACHE_SIZE"],
        ipv6=settings["DNS_IPV6"],
    )


class WebgraphDownloadHandler:
    """DOWNLOAD_HANDLERS entry for http and https."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        assert crawler.stats is not None
        self._fetcher = fetcher_of(crawler)
        self._stats = crawler.stats
        self._fail_on_data_loss = settings.getbool("DOWNLOAD_FAIL_ON_DATALOSS")
        self._writer = RequestWriter(user_agent(settings["CONTACT_URL"]), settings["FROM_EMAIL"])

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        """Fetch; Scrapy calls this."""
        meta = request.meta
        try:
            target = target_of(request.url)
        except ValueError as error:
            raise UnsupportedURLSchemeError(str(error)) from None
        method = request.method
        message = self._writer.write(target, method, request.headers, request.body)
        try:
            lease = meta.get("lease")
            reply = await self._fetcher.fetch(
                target,
                message,
                method == "HEAD",
                meta.get("download_timeout"),
                at=lease.address if lease is not None else "",
            )
        except AddressBusy:
            self._stats.inc_value("fetch/address_busy")
            raise
        except FetchError as error:
            self._stats.inc_value(f"fetch/error/{error.reason}")
            raise scrapy_error(error, request.url) from None
        meta["fetch_times"] = reply.times
        meta["download_latency"] = reply.times.first_byte - reply.times.start
        if reply.flags and DATA_LOSS in reply.flags:
            self._check_data_loss(request)
        return _response(request, reply)

    def _check_data_loss(self, request: Request) -> None:
        if request.meta.get("download_fail_on_dataloss", self._fail_on_data_loss):
            raise ResponseDataLossError(f"{request.url}: the connection ended before the body did [dataloss]")

    async def close(self) -> None:
        await self._fetcher.close()


def _response(request: Request, reply: Reply) -> Response:
    response = object.__new__(Response)  # not in Scrapy's list of living objects: see PageRequest
    response.__init__(  # type: ignore[misc]
        request.url,
        reply.status,
        body=reply.body,
        flags=reply.flags,
        request=request,
        ip_address=reply.address,
        protocol=f"HTTP/{reply.version.decode()}",
    )
    headers = Headers()
    dict.update(headers, reply.headers)  # already in Scrapy's spelling: nothing to normalise
    response.headers = headers
    return response
