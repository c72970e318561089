"""The spider `italy`: responses become Pages.

One Page per response, its links in it, never a Request per link. A redirect is a page with one link, except to
another spelling of the same node, which is fetched again there. What failed for the moment goes back to the
frontier; what failed for good is a Page too, so that every node has its line in the page log.
"""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from hashlib import md5
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, Spider, signals
from scrapy.exceptions import (
    CannotResolveHostError,
    CloseSpider,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
    UsageError,
)
from scrapy.http import Response
from scrapy.settings import BaseSettings

from webgraph_it.crawl.preflight import PROBLEMS
from webgraph_it.crawl.reconsider import reconsidered
from webgraph_it.crawl.values import check
from webgraph_it.engine.by_hand import BY_HAND
from webgraph_it.engine.downloader import FetchCalledOff
from webgraph_it.engine.extension import CrawlExtension
from webgraph_it.engine.parts import scheduler_of
from webgraph_it.engine.pipeline import GraphPipeline, pipeline_of
from webgraph_it.engine.replies import address, document, failure_of, header, media_type, seconds, times
from webgraph_it.engine.required import put_guard
from webgraph_it.engine.robots_middleware import RobotsDenied, policy_of
from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.engine.start import examine
from webgraph_it.extract import LinkPolicy, link_policy
from webgraph_it.extract.workers import WorkerPool, WorkersBroken
from webgraph_it.fetch.retry_after import retry_after_seconds
from webgraph_it.frontier.records import Failure, FrontierError, Lease
from webgraph_it.items import Link, Page, State
from webgraph_it.robots.policy import RobotsPolicy, origin, redirect_target
from webgraph_it.settings_table import CrawlSettings
from webgraph_it.spiders.spellings import next_spelling
from webgraph_it.urls import Name, Refusal, name

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure as TwistedFailure

logger = logging.getLogger(__name__)

REDIRECTS = (301, 302, 303, 307, 308)
BUSY = (429, 503)
DOWNLOAD_FAILURES = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
"""What a server, or the way to it, may be to blame for. Anything else that is raised is a component's own mistake."""
NOBODY_THERE = (CannotResolveHostError, DownloadConnectionRefusedError)
MAX_SPELLINGS = 5
"""Redirects to another spelling of the same node, before it is given up."""


class ItalySpider(Spider):
    """Crawls what SCOPE_SURTS covers, from SEEDS."""

    name = "italy"
    _policy: LinkPolicy
    _robots: RobotsPolicy
    _extractors: WorkerPool

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Everything that can be wrong before a crawl begins is one sentence, and exit code 2."""
        super().update_settings(settings)
        try:
            (check if settings.getbool(BY_HAND) else examine)(settings)
        except PROBLEMS as error:
            raise UsageError(str(error), print_help=False) from None

    @classmethod
    def from_crawler(cls, crawler: "Crawler", *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        if not crawler.settings.getbool(BY_HAND):
            put_guard(crawler.settings)
        values = CrawlSettings.read(crawler.settings)
        spider._policy = link_policy(
            values.LINK_KINDS_ARCS,
            values.LINK_KINDS_FOLLOWED,
            values.EXTRACT_EMBEDDED,
            values.EXTRACT_PLAIN_TEXT,
        )
        spider._robots = policy_of(crawler)
        workers = values.EXTRACT_WORKERS
        spider._extractors = WorkerPool(
            spider._policy,
            max(1, (os.cpu_count() or 1) - 1) if workers < 0 else workers,
            values.EXTRACT_TIMEOUT,
            values.EXTRACT_MEMORY,
        )
        crawler.signals.connect(spider.spider_opened, signals.spider_opened)
        crawler.signals.connect(spider.spider_closed, signals.spider_closed)
        return spider

    async def spider_opened(self) -> None:
        try:
            await self._extractors.open()
        except OSError as error:
            logger.critical("The crawl stops: no extraction worker can be started (%s).", error)
            raise CloseSpider("failed") from error

    async def spider_closed(self) -> None:
        await self._extractors.close()
        self.crawler.stats.set_value("extract/workers_replaced", self._extractors.replaced)

    # -- seeds ---------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Any]:
        """Seeds go straight to the frontier, while pages are already fetched; the crawl does not end before."""
        if self._scheduler.ended:  # it failed at its opening
            return
        crawl = self.crawler.get_extension(CrawlExtension)
        assert crawl is not None, "EXTENSIONS must hold CrawlExtension"
        with suppress(FrontierError):  # the scheduler knows, and the crawl stops
            await self._reconsider_cuts()
            await crawl.load_seeds()
        no_requests: list[Request] = []
        for request in no_requests:
            yield request

    async def _reconsider_cuts(self) -> None:
        """What a limit cut that has been raised since is queued."""
        scheduler, pipeline = self._scheduler, self._pipeline
        queued = 0
        for so_far in reconsidered(
            scheduler.frontier,
            pipeline.recorder.tally,
            Path(self.settings["JOBDIR"]),
            pipeline.committed,
            scheduler.limits,
            scheduler.now(),
        ):
            queued = so_far
            await asyncio.sleep(0)
        if queued:
            logger.info("%d nodes that were cut by a lower limit before are queued now.", queued)

    def _fail(self, why: str) -> None:
        """The crawl cannot go on, and not because of a page."""
        extension = self.crawler.get_extension(CrawlExtension)
        if extension is not None:
            extension.fail(why)

    @property
    def _scheduler(self) -> FrontierScheduler:
        return scheduler_of(self.crawler)

    @property
    def _pipeline(self) -> GraphPipeline:
        return pipeline_of(self.crawler)

    # -- pages ---------------------------------------------------------------------------------------------

    async def parse(self, response: Response) -> list[Page]:
        """An answer: a page, a redirect, a failure for the moment, or one for good."""
        if self.settings.getbool(BY_HAND):
            return [await self._looked_at(response)]
        lease: Lease = response.meta["lease"]
        if 200 <= response.status < 300:
            return [await self._fetched(response, lease)]
        if response.status in REDIRECTS:
            return self._redirected(response, lease)
        if response.status >= 500 or response.status == 429:
            failure = Failure.BUSY if response.status in BUSY else Failure.SERVER
            wait = retry_after_seconds(header(response, b"Retry-After"), time.time())
            if self._scheduler.try_again(lease, failure, seconds=seconds(response), retry_after=wait):
                return []
        return [self._page(response, lease, State.ERROR, reason=f"status-{response.status}")]

    async def _looked_at(self, response: Response) -> Page:
        """For `scrapy parse`: what a crawl would find there, whatever the scope says of it."""
        named = name(response.url)
        assert isinstance(named, Name), "it was fetched"
        lease = Lease(*named, 0, 0, "", "", 0, 0, "", False, b"")
        if 200 <= response.status < 300:
            return await self._extracted(response, lease)
        return self._page(response, lease, State.ERROR, reason=f"status-{response.status}")

    async def _fetched(self, response: Response, lease: Lease) -> Page:
        self._scheduler.answered(lease, seconds=seconds(response), address=address(response))
        return await self._extracted(response, lease)

    async def _extracted(self, response: Response, lease: Lease) -> Page:
        try:
            extraction = await self._extractors.extract(document(response))
        except WorkersBroken as error:
            self._fail(f"pages can no longer be read ({error})")
            raise
        self._count("links/refused", extraction.refused)
        return self._page(
            response,
            lease,
            State.FETCHED,
            links=extraction.links,
            media_type=extraction.media_type,
            reason=extraction.reason,
            content_digest=extraction.content_digest,
            followed=frozenset(link.digest for link in extraction.links if link.kind not in self._policy.arcs)
            if self._policy.followed
            else frozenset(),
        )

    def _redirected(self, response: Response, lease: Lease) -> list[Page]:
        target = name(header(response, b"Location"), response.url)
        if isinstance(target, Refusal) or not header(response, b"Location"):
            return [self._page(response, lease, State.ERROR, reason="redirect-nowhere")]
        if target.key != lease.key:
            return [self._page(response, lease, State.REDIRECT, links=(Link(*target, "redirect"),))]
        if lease.spellings >= MAX_SPELLINGS:
            return [self._page(response, lease, State.ERROR, reason="redirect-loop")]
        self._scheduler.respell(lease, target.url, fetched=True, seconds=seconds(response))
        return []

    def failed(self, failure: "TwistedFailure") -> list[Page]:
        """No answer came, or the request was refused on the way."""
        request: Any = failure.request  # type: ignore[attr-defined]
        lease: Lease = request.meta["lease"]
        if isinstance(failure.value, FetchCalledOff):
            self._scheduler.give_back(lease)
            return []
        if isinstance(failure.value, IgnoreRequest):
            return [self._refused(lease, failure.value)]
        if isinstance(failure.value, NOBODY_THERE) and self._respelled(lease):
            return []
        if not isinstance(failure.value, DOWNLOAD_FAILURES):
            logger.error(
                "A downloader middleware failed at %s.",
                request.url,
                exc_info=failure.value,
            )
        reason, kind = failure_of(failure.value)
        if self._scheduler.try_again(lease, kind):
            return []
        return [self._unanswered(lease, State.ERROR, reason)]

    def _respelled(self, lease: Lease) -> bool:
        """The host may be there under another spelling."""
        other = next_spelling(lease.url, lease.spellings)
        if other is None:
            return False
        self._scheduler.respell(lease, other, fetched=False)
        return True

    def _refused(self, lease: Lease, refusal: BaseException) -> Page:
        """By a middleware of ours, which says what the node is, or by somebody else's."""
        state = State.ROBOTS_DENIED if isinstance(refusal, RobotsDenied) else State.ERROR
        return self._unanswered(
            lease, getattr(refusal, "state", state), getattr(refusal, "reason", "ignored")
        )

    # -- robots.txt ------------------------------------------------------------------------------------------

    def parse_robots(self, response: Response) -> list[Page]:
        """robots.txt of the lease's origin, or a redirect on the way to it."""
        lease: Lease = response.meta["lease"]
        hops: int = response.meta.get("robots_hops", 0)
        onward = redirect_target(response.status, response.url, header(response, b"Location"), hops)
        if onward is not None:
            self._scheduler.follow_robots(lease, onward, hops + 1, seconds=seconds(response))
            return []
        wait = retry_after_seconds(header(response, b"Retry-After"), time.time())
        error = "dataloss" if "dataloss" in response.flags else None
        self._judge_robots(lease, response.status, response.body, error, hops, seconds(response), wait)
        return []

    def robots_failed(self, failure: "TwistedFailure") -> list[Page]:
        """No answer: perhaps the host has another spelling; else robots.txt is unreachable."""
        request: Any = failure.request  # type: ignore[attr-defined]
        lease: Lease = request.meta["lease"]
        hops: int = request.meta.get("robots_hops", 0)
        if isinstance(failure.value, FetchCalledOff):
            self._scheduler.give_back(lease)
            return []
        if isinstance(failure.value, NOBODY_THERE) and not hops:
            if self._respelled(lease):
                return []
            reason, kind = failure_of(failure.value)
            if self._scheduler.try_again(lease, kind):
                return []
            return [self._unanswered(lease, State.ERROR, reason)]
        reason, _ = failure_of(failure.value)
        self._judge_robots(lease, 0, b"", reason, hops, 0.0, None)
        return []

    def _judge_robots(
        self,
        lease: Lease,
        status: int,
        body: bytes,
        error: str | None,
        hops: int,
        seconds: float,
        retry_after: float | None,
    ) -> None:
        now = self._scheduler.now()
        previous = self._scheduler.frontier.robots(origin(lease.url))
        record = self._robots.judge(
            status, body, error, hops, now, previous=previous, retry_after_seconds=retry_after
        )
        self.crawler.stats.inc_value(f"robots/{record.reason}")
        self._scheduler.learn_robots(
            lease, record, seconds=seconds, crawl_delay=self._robots.crawl_delay(record)
        )

    # -- making pages ------------------------------------------------------------------------------------------

    def _page(self, response: Response, lease: Lease, state: State, **details: Any) -> Page:
        details.setdefault("media_type", media_type(response)[0])
        if response.body and not details.get("content_digest"):
            details["content_digest"] = md5(response.body, usedforsecurity=False).hexdigest()
        return Page(
            url=response.url,
            key=lease.key,
            digest=lease.digest,
            time=times(response)[0],
            state=state,
            status=response.status,
            depth=lease.depth,
            via=lease.via,
            host_depth=lease.host_depth,
            size_bytes=len(response.body),
            address=address(response),
            seconds=seconds(response),
            **details,
        )

    def _unanswered(self, lease: Lease, state: State, reason: str) -> Page:
        return Page(
            url=lease.url,
            key=lease.key,
            digest=lease.digest,
            time=time.time(),
            state=state,
            status=0,
            depth=lease.depth,
            via=lease.via,
            host_depth=lease.host_depth,
            reason=reason,
        )

    def _count(self, prefix: str, counts: Mapping[str, int]) -> None:
        for reason, count in counts.items():
            self.crawler.stats.inc_value(f"{prefix}/{reason}", count)
