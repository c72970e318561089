"""NationalSpider: makes Pages of responses. A web is a subclass with its facts and nothing else (italy.py).

It makes one Page per response, with its links, never a Request per link. crawl/visit.py decides what a response or a
failure means. The spider carries out the decision: it has links extracted, and tells the scheduler how a lease ends.
"""

import asyncio
import logging
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, IgnoreRequest, UsageError
from scrapy.http import Response
from scrapy.settings import BaseSettings

from webgraph_it.crawl.facts import put_facts
from webgraph_it.crawl.local_failures import LocalFailures
from webgraph_it.crawl.preflight import PROBLEMS
from webgraph_it.crawl.reasons import COMPONENT
from webgraph_it.crawl.reconsider import reconsidered
from webgraph_it.crawl.sitemaps import judge_sitemap, named, sitemap_document, sitemap_page
from webgraph_it.crawl.steering import OPERATOR_BLOCK
from webgraph_it.crawl.values import check
from webgraph_it.crawl.visit import (
    READ,
    Cookies,
    Decision,
    Follow,
    GiveBack,
    Learn,
    Respell,
    Retry,
    WithCookie,
    document_of,
    error_page,
    is_local,
    judge,
    judge_failure,
    judge_robots,
    judge_robots_failure,
    page_of,
    refused,
)
from webgraph_it.engine.again import COOKIE_SENT
from webgraph_it.engine.by_hand import BY_HAND
from webgraph_it.engine.extension import CrawlExtension
from webgraph_it.engine.parts import parts_of, scheduler_of
from webgraph_it.engine.pipeline import GraphPipeline, pipeline_of
from webgraph_it.engine.replies import reason_of, refusal_of, reply_of
from webgraph_it.engine.required import put_guard
from webgraph_it.engine.revisiting import CONDITIONAL
from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.engine.scope_middlewares import ScopeSpiderMiddleware
from webgraph_it.engine.start import examine
from webgraph_it.extract import Document, Extraction, link_policy
from webgraph_it.extract.workers import WorkerPool, WorkersBroken
from webgraph_it.fetch.reply import Reply
from webgraph_it.frontier.records import FrontierError, Lease
from webgraph_it.items import Exchange, Page, State
from webgraph_it.robots.policy import RobotsPolicy, origin
from webgraph_it.robots.record import RobotsRecord
from webgraph_it.settings_table import CrawlSettings
from webgraph_it.urls import Name, Scope, name
from webgraph_it.urls.sitemaps import is_sitemap

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure as TwistedFailure

logger = logging.getLogger(__name__)


class NationalSpider(Spider):
    """Crawls what SCOPE_SURTS covers, from SEEDS. The attributes up to `defaults` are facts: defaults of settings."""

    scope: ClassVar[Sequence[str]] = ()
    """SCOPE_SURTS."""
    seeds: ClassVar[str] = ""
    """SEEDS: a file in the working directory or, if it is not there, beside the module of the spider."""
    languages: ClassVar[str] = ""
    """ACCEPT_LANGUAGE."""
    time_zone: ClassVar[str] = ""
    """SCHEDULE_TIMEZONE."""
    defaults: ClassVar[Mapping[str, Any]] = {}
    """Any other setting."""

    _extractors: WorkerPool
    _followed_only: frozenset[str]
    """Kinds of links that are followed but are not arcs."""
    _max_links: int
    _cookies: Cookies
    _sitemaps: bool
    _by_hand: bool
    """Whether there is no crawl, and a person looks at one page."""
    _local_failures: LocalFailures

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Whatever is wrong before a crawl begins is reported in one sentence, with exit code 2."""
        super().update_settings(settings)
        by_hand = settings.getbool(BY_HAND)
        facts = cls.facts()
        put_facts(settings, cls.name, {name: facts[name] for name in facts if facts[name] or not by_hand})
        try:
            (check if by_hand else examine)(settings)
        except PROBLEMS as error:
            raise UsageError(str(error), print_help=False) from None

    @classmethod
    def facts(cls) -> dict[str, Any]:
        """Name → value of the settings that this web implies."""
        habits = {"ACCEPT_LANGUAGE": cls.languages, "SCHEDULE_TIMEZONE": cls.time_zone}
        return {
            "CRAWL_NAME": cls.name,
            "SCOPE_SURTS": list(cls.scope),
            "SEEDS": _seed_list(cls),
            **{name: value for name, value in habits.items() if value},
            **cls.defaults,
        }

    @classmethod
    def from_crawler(cls, crawler: "Crawler", *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider._by_hand = crawler.settings.getbool(BY_HAND)
        if not spider._by_hand:
            put_guard(crawler.settings)
        values = CrawlSettings.read(crawler.settings)
        policy = link_policy(
            values.LINK_KINDS_ARCS,
            values.LINK_KINDS_FOLLOWED,
            values.EXTRACT_EMBEDDED,
            values.EXTRACT_PLAIN_TEXT,
            texts=values.ANCHOR_TEXT or values.FRONTIER_ORDER == "keywords",
            rels=values.ANCHOR_TEXT or values.NOFOLLOW_LABELS,
        )
        spider._followed_only = policy.followed - policy.arcs
        spider._max_links = values.MAX_LINKS_PER_PAGE
        spider._sitemaps = values.SITEMAPS
        spider._cookies = Cookies.USED if values.VISIT_COOKIES else Cookies.IGNORED
        spider._local_failures = LocalFailures()
        workers = values.EXTRACT_WORKERS
        spider._extractors = WorkerPool(
            policy,
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
        """Load the seeds into the frontier while pages are already fetched. The crawl does not end before that."""
        if self._scheduler.ended:  # the crawl failed to open
            return
        crawl = self.crawler.get_extension(CrawlExtension)
        assert crawl is not None, "EXTENSIONS must hold CrawlExtension"
        with suppress(FrontierError):  # the scheduler has reported it, and the crawl is stopping
            await crawl.be_let_in()
            await crawl.migrate()
            await self._reconsider_cuts()
            await crawl.import_plans()
            await crawl.load_seeds()
        no_requests: list[Request] = []
        for request in no_requests:
            yield request

    async def _reconsider_cuts(self) -> None:
        """Queue nodes that were cut by a limit which has been raised since."""
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
            logger.info("%d nodes that a lower limit had cut are queued now.", queued)

    def _fail(self, why: str) -> None:
        """Stop the crawl for a failure that is not a page's."""
        extension = self.crawler.get_extension(CrawlExtension)
        if extension is not None:
            extension.fail(why)

    @cached_property
    def _scheduler(self) -> FrontierScheduler:
        return scheduler_of(self.crawler)

    @cached_property
    def _robots(self) -> RobotsPolicy:
        return parts_of(self.crawler).robots

    @cached_property
    def _scope(self) -> Scope:
        middleware = self.crawler.get_spider_middleware(ScopeSpiderMiddleware)
        assert middleware is not None, "SPIDER_MIDDLEWARES must hold ScopeSpiderMiddleware"
        return middleware.scope

    @property
    def _pipeline(self) -> GraphPipeline:
        return pipeline_of(self.crawler)

    # -- pages ---------------------------------------------------------------------------------------------

    async def parse(self, response: Response) -> list[Page]:
        """A reply: a page, a redirect, a temporary failure, or a final one."""
        reply = reply_of(response)
        if self._by_hand:
            return [await self._looked_at(reply)]
        lease: Lease = response.meta["lease"]
        if is_sitemap(lease.key):
            return await self._listed(reply, lease)
        cookies = Cookies.SENT if COOKIE_SENT in response.meta else self._cookies
        is_conditional = bool(response.meta.get(CONDITIONAL))
        decision = judge(
            reply, lease, may_retry=self._may_retry(lease), is_conditional=is_conditional, cookies=cookies
        )
        if isinstance(decision, WithCookie):
            assert response.request is not None
            self._scheduler.visit_with_cookie(
                response.request, decision.url, decision.cookie, seconds=decision.seconds
            )
            self._keep(reply.exchange)
            return []
        if decision is READ and self._scheduler.is_blocked(lease, reply.media_type()[0]):
            page = refused(State.QUOTA_CUT, OPERATOR_BLOCK, lease, reply.times.end)
            return [replace(page, media_type=reply.media_type()[0])]
        if decision is READ:
            self._scheduler.answered(lease, seconds=reply.seconds, address=reply.address_text)
            return [await self._read(reply, lease)]
        return self._carry_out(decision, lease, reply.exchange)

    async def _looked_at(self, reply: Reply) -> Page:
        """For `scrapy parse`: what a crawl would find there, regardless of the scope."""
        named = name(reply.url)
        assert isinstance(named, Name), "it was fetched"
        lease = Lease(*named, 0, 0, "", "", 0, 0, "", False, b"")
        if 200 <= reply.status < 300:
            return await self._read(reply, lease)
        return error_page(reply, lease, f"status-{reply.status}")

    async def _read(self, reply: Reply, lease: Lease) -> Page:
        extraction = await self._extracted(document_of(reply))
        return page_of(reply, lease, extraction, self._followed_only, self._max_links)

    async def _extracted(self, document: Document) -> Extraction:
        try:
            extraction = await self._extractors.extract(document)
        except WorkersBroken as error:
            self._fail(f"pages can no longer be read ({error})")
            raise
        for reason, count in extraction.refused.items():
            self.crawler.stats.inc_value(f"links/refused/{reason}", count)
        return extraction

    async def _listed(self, reply: Reply, lease: Lease) -> list[Page]:
        """A sitemap."""
        decision = judge_sitemap(reply, lease, may_retry=self._may_retry(lease))
        if decision is not READ:
            return self._carry_out(decision, lease, reply.exchange)
        self._scheduler.answered(lease, seconds=reply.seconds, address=reply.address_text)
        return [sitemap_page(reply, lease, await self._extracted(sitemap_document(reply)))]

    def failed(self, failure: "TwistedFailure") -> list[Page]:
        """There was no reply, or a middleware refused the request."""
        request, error = _request_of(failure), failure.value
        lease: Lease = request.meta["lease"]
        if isinstance(error, IgnoreRequest):
            return [refused(*refusal_of(error), lease, time.time())]
        reason = reason_of(error)
        if reason == COMPONENT:
            logger.error("A downloader middleware failed at %s.", request.url, exc_info=error)
        self._say_if_local(reason)
        return self._carry_out(
            judge_failure(reason, lease, time.time(), may_retry=self._may_retry(lease)), lease
        )

    # -- robots.txt ------------------------------------------------------------------------------------------

    def parse_robots(self, response: Response) -> list[Page]:
        """robots.txt of the lease's origin, or a redirect on the way to it."""
        lease: Lease = response.meta["lease"]
        hops: int = response.meta.get("robots_hops", 0)
        reply = reply_of(response)
        decision = judge_robots(reply, hops, self._known_robots(lease), self._robots, self._scheduler.now())
        return self._carry_out(decision, lease, reply.exchange)

    def robots_failed(self, failure: "TwistedFailure") -> list[Page]:
        """There was no reply. Perhaps the host has another spelling; otherwise robots.txt is unreachable."""
        request = _request_of(failure)
        lease: Lease = request.meta["lease"]
        reason = reason_of(failure.value)
        self._say_if_local(reason)
        decision = judge_robots_failure(
            reason,
            lease,
            request.meta.get("robots_hops", 0),
            self._known_robots(lease),
            self._robots,
            self._scheduler.now(),
            may_retry=self._may_retry(lease),
        )
        return self._carry_out(decision, lease)

    def _known_robots(self, lease: Lease) -> RobotsRecord | None:
        return self._scheduler.frontier.robots(origin(lease.url))

    # -- carrying out decisions ----------------------------------------------------------------------------------

    def _carry_out(self, decision: Decision, lease: Lease, exchange: Exchange | None = None) -> list[Page]:
        """A Page is returned, to be recorded. Everything else ends the lease here, and its exchange is archived."""
        scheduler = self._scheduler
        match decision:
            case Page():
                return [decision]
            case Retry():
                scheduler.try_again(
                    lease,
                    decision.failure,
                    seconds=decision.seconds,
                    retry_after=decision.retry_after_seconds,
                )
            case Respell():
                scheduler.respell(lease, decision.url, fetched=decision.fetched, seconds=decision.seconds)
            case GiveBack():
                scheduler.give_back(lease, pause_seconds=decision.pause_seconds)
            case Follow():
                scheduler.follow_robots(lease, decision.url, decision.hops, seconds=decision.seconds)
            case Learn():
                self._learn(decision, lease)
        self._keep(exchange)
        return []

    def _keep(self, exchange: Exchange | None) -> None:
        """Archive an exchange that is no page, if there is an archive."""
        if exchange is not None:
            self._pipeline.recorder.keep(exchange)

    def _learn(self, learnt: Learn, lease: Lease) -> None:
        self.crawler.stats.inc_value(f"robots/{learnt.record.reason}")
        self._scheduler.learn_robots(
            lease,
            learnt.record,
            seconds=learnt.seconds,
            crawl_delay=learnt.crawl_delay_seconds,
        )
        if self._sitemaps and learnt.sitemaps:
            found = named(learnt.sitemaps, lease.url)
            in_scope = [link for link in found if self._scope.verdict(link.key, link.url).fetchable]
            self._pipeline.recorder.record_sitemaps(in_scope, lease.depth + 1)

    def _may_retry(self, lease: Lease) -> bool:
        return self._scheduler.frontier.may_retry(lease)

    def _say_if_local(self, reason: str) -> None:
        if is_local(reason) and (words := self._local_failures.note(reason, time.monotonic())):
            logger.warning(words)


def _seed_list(spider: type[NationalSpider]) -> str:
    """A list in the working directory comes before the one that is shipped beside the class that names it."""
    owner = next(each for each in spider.__mro__ if "seeds" in vars(each))
    module = getattr(sys.modules.get(owner.__module__), "__file__", None)
    shipped = Path(module or "").parent / spider.seeds
    return str(shipped) if shipped.is_file() and not Path(spider.seeds).exists() else spider.seeds


def _request_of(failure: "TwistedFailure") -> Request:
    request: Request = failure.request  # type: ignore[attr-defined]
    return request
