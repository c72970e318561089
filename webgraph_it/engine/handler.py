"""Scrapy's download handler on top of our fetcher.

Guarantees: http and https of one crawl share one `Fetcher` (parts.py), hence one cap, one pool and one bandwidth limit;
every failure is one of Scrapy's download exceptions, keeps its name from the socket as `reason`, and is counted as
`fetch/error/<reason>`; AddressBusy is not a failure, and is counted as `fetch/address_busy`.
The response is a plain `scrapy.http.Response` with the decoded body; `flags` say
what was truncated, `ip_address` who answered, and `request.meta["fetch_times"]` holds the times (seconds since
1970 UTC) of sending, first byte and last byte.

A body that ended early raises ResponseDataLossError, as in Scrapy's own handlers, unless the setting
DOWNLOAD_FAIL_ON_DATALOSS or the request's meta `download_fail_on_dataloss` is false. Then the response is only flagged.
"""

from typing import Self

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

from webgraph_it.engine.parts import parts_of
from webgraph_it.fetch.address_gate import AddressBusy
from webgraph_it.fetch.connection import FetchError
from webgraph_it.fetch.identity import user_agent
from webgraph_it.fetch.reply import Reply
from webgraph_it.fetch.request_message import RequestWriter
from webgraph_it.fetch.response_parser import DATA_LOSS
from webgraph_it.fetch.target import target_of

EXCHANGE = "exchange"
"""Key of a request's meta: what was on the wire, if the crawl writes an archive."""


class ForbiddenAddressError(CannotResolveHostError):
    """The host has only addresses that we do not connect to."""


_EXCEPTIONS: dict[str, type[Exception]] = {
    "timeout": DownloadTimeoutError,
    "silence": DownloadTimeoutError,
    "connect-timeout": DownloadTimeoutError,
    "refused": DownloadConnectionRefusedError,
    "unreachable": DownloadConnectionRefusedError,
    "incomplete-head": ResponseDataLossError,
}


def scrapy_error(error: FetchError, url: str) -> Exception:
    """The exception that Scrapy's users expect for a FetchError; it keeps the `reason`."""
    return _named(_exception_class(error.reason), error.reason, f"{url}: {error}")


def _exception_class(reason: str) -> type[Exception]:
    if reason.startswith("forbidden/"):
        return ForbiddenAddressError
    if reason.startswith("dns-"):
        return CannotResolveHostError
    return _EXCEPTIONS.get(reason, DownloadFailedError)


def _named(kind: type[Exception], reason: str, message: str) -> Exception:
    error = kind(f"{message} [{reason}]")
    error.reason = reason  # type: ignore[attr-defined]
    return error


class WebgraphDownloadHandler:
    """DOWNLOAD_HANDLERS entry for http and https."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        assert crawler.stats is not None
        self._fetcher = parts_of(crawler).fetcher
        self._stats = crawler.stats
        self._fail_on_data_loss = settings.getbool("DOWNLOAD_FAIL_ON_DATALOSS")
        self._writer = RequestWriter(
            user_agent(settings["CONTACT_URL"]), settings["FROM_EMAIL"], settings["ACCEPT_LANGUAGE"]
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        """Fetch one request. Scrapy calls this."""
        meta = request.meta
        try:
            target = target_of(request.url)
        except ValueError as error:
            raise _named(UnsupportedURLSchemeError, "url", str(error)) from None
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
        if reply.exchange is not None:
            meta[EXCHANGE] = reply.exchange
        meta["download_latency"] = reply.times.first_byte - reply.times.start
        if reply.flags and DATA_LOSS in reply.flags:
            self._check_data_loss(request)
        return _response(request, reply)

    def _check_data_loss(self, request: Request) -> None:
        if request.meta.get("download_fail_on_dataloss", self._fail_on_data_loss):
            message = f"{request.url}: the connection ended before the body did"
            raise _named(ResponseDataLossError, DATA_LOSS, message)

    async def close(self) -> None:
        await self._fetcher.close()


def _response(request: Request, reply: Reply) -> Response:
    response = object.__new__(Response)  # not tracked in Scrapy's live references: see PageRequest
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
