"""The frontier as Scrapy's SCHEDULER: leases become requests, finished pages come back as outcomes.

A page request is handed out only when the robots.txt of its origin is known; until then the same lease goes
out as a request for that robots.txt (robots/errands.py). Whatever happens to a request, its lease ends. Its Page was
recorded (crawl/record.py; `answered` may come before it), or one of these was called: `try_again`, `respell`,
`learn_robots`, `follow_robots`, `give_back` (the crawl is stopping, or this machine could not send the request),
`put_off` (its address is busy), or `abandon` (a callback or a user's pipeline failed).

An exception in the middle of one of these methods leaves the frontier half changed, so `Leases.fail` is called.

Longer than 400 lines because it is the one list of how leases begin and end.
"""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.http import Response

from webgraph_it.engine import private
from webgraph_it.engine.again import AGAIN, Again, host_asked, with_cookie
from webgraph_it.engine.frontier_settings import limits_of, order_of, politeness_of
from webgraph_it.engine.loop import Alarm, in_this_loop
from webgraph_it.engine.one_step import one_step
from webgraph_it.engine.revisiting import NO_REVISITS, Revisiting, revisiting_of
from webgraph_it.frontier.clock import CrawlClock
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.leases import Leases
from webgraph_it.frontier.politeness import Politeness
from webgraph_it.frontier.records import Failure, Kind, Lease, Limits, Ordering, Outcome, Stranger
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.items import Page
from webgraph_it.robots.errands import Errand, Errands
from webgraph_it.robots.expiry import Need, need
from webgraph_it.robots.policy import origin
from webgraph_it.robots.record import RobotsRecord
from webgraph_it.urls import Refusal, key
from webgraph_it.urls.rules import Rules
from webgraph_it.urls.sitemaps import page_key

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

DROPPED_AT_ONCE = 100
"""Blocked URLs that are recorded in one turn of the event loop: a few milliseconds."""
BLOCKED_SECONDS = 0.05
"""How soon a blocked URL is looked at again that could not be recorded at once."""


class Borrowed(Protocol):
    """Hosts of other members of a fleet (engine/fleet.py)."""

    def is_foreign(self, host: str) -> bool: ...
    def ready_at(self, host: str, now: float) -> float: ...
    def returned(self, host: str) -> None: ...


class FrontierScheduler(BaseScheduler):
    """Opens the frontier of JOBDIR and is its only door for Scrapy."""

    frontier: Frontier
    now: CrawlClock

    def __init__(
        self,
        crawler: "Crawler",
        path: Path,
        politeness: Politeness,
        order: Ordering,
        limits: Limits,
        revisiting: Revisiting = NO_REVISITS,
    ) -> None:
        self._crawler = crawler
        self._path = path
        self._politeness = politeness
        self._order = order
        self.limits = limits
        self._revisiting = revisiting
        self.leases = Leases()
        self._leases = self.leases.out
        self._again = Again()
        self.errands = Errands()
        self._alarm = Alarm(self.wake)
        self.paused = False
        self.held = False
        """If true, nothing is handed out until the seeds are loaded, or the directory is migrated."""
        self._pump: Callable[[], None] | None = None
        self.look_again: Callable[[], None] = self.wake
        """Called when there may be something to fetch. A lane takes it in the same turn of the event loop."""
        self.rules = Rules()
        self.parked: dict[str, float] = {}
        """Hosts that an operator wants to be left alone, and until when."""
        self.drop: Callable[[Lease], bool] | None = None
        """Records a blocked URL without fetching it. False if that must wait a moment."""
        self.borrowed: Borrowed | None = None
        """In a fleet: the way to hosts of other members."""
        self.awaits_others: Callable[[], bool] = lambda: False
        """Whether other members of a fleet may still send links."""
        self.count_busy: Callable[[str], None] = lambda host: None
        """Called with the host of every 429 or 503 that is retried."""
        self.locate: Callable[[], None] | None = None
        """Starts lookups of strangers, if there is a Locator (engine/locator.py)."""

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        settings = crawler.settings
        scheduler = cls(
            crawler,
            Path(settings["JOBDIR"]) / "frontier",
            politeness_of(settings),
            order_of(settings),
            limits_of(settings),
            revisiting_of(settings),
        )
        crawler.signals.connect(scheduler._spider_error, signals.spider_error)
        crawler.signals.connect(scheduler._item_lost, signals.item_dropped)
        crawler.signals.connect(scheduler._item_lost, signals.item_error)
        return scheduler

    # -- Scrapy's side -------------------------------------------------------------------------------------

    def open(self, spider: "Spider") -> "Deferred[None] | None":
        store = RocksStore(self._path)
        self.frontier = Frontier.open(store, self._politeness, self._order, self.limits, time.time())
        self.frontier.revisits.share = self._revisiting.share
        self.held = self.frontier.lacks_visits
        store.on_damage = in_this_loop(self.fail)
        self.now = CrawlClock(self.frontier.opened_at)
        return None

    def close(self, reason: str) -> "Deferred[None] | None":
        """Does not close the frontier: the crawl's last commit does."""
        self._alarm.set(None)
        return None

    def has_pending_requests(self) -> bool:
        """The engine asks when it is idle. A lease that is still out then was lost by a user's component."""
        if self._leases and private.is_idle(self._crawler):
            for lease in list(self._leases.values()):
                self.abandon(lease)
            self.wake()
        return self._is_busy or self._revisiting.is_continuous or self.awaits_others()

    @property
    def _is_busy(self) -> bool:
        counts = self.frontier.counts()
        return bool(counts.queued or counts.leased or self._again)

    @property
    def awaits_plan(self) -> bool:
        """Whether a continuous crawl has nothing to fetch before its next plan."""
        return self._revisiting.is_continuous and not self._is_busy

    def enqueue_request(self, request: Request) -> bool:
        """Accepts a middleware's request for a page that is already leased. Links never come this way.

        It waits for its host like any other. A request for another host is refused, because that host may be busy.
        """
        lease: Lease | None = request.meta.get("lease")
        if lease is None:
            return False
        host = host_asked(request.url, lease)
        if host != lease.host and not self.errands.has_borrowed(lease.digest, host):
            logger.warning("%s is not fetched instead of %s: it is on another host.", request.url, lease.url)
            return False
        request.meta[AGAIN] = True
        self._again.put(request, self.now() + self.frontier.host_delay(host))
        return True

    def next_request(self) -> Request | None:
        """The next request, for the engine. None if a lane takes the requests."""
        if self._pump is None:
            return self.take()
        self._pump()
        return None

    def hand_over(self, pump: Callable[[], None], start_more: Callable[[], None]) -> None:
        """From now on a lane takes the requests: `pump` is called when the engine asks, `start_more` in between."""
        self._pump, self.look_again = pump, start_more

    def take(self) -> Request | None:
        """The next request that may be sent now."""
        if self.ended:
            return None
        try:
            request = self._take(self.now())
            if self.locate is not None:
                self.locate()
            return request
        except Exception as error:
            self.fail(error)
            return None

    def _take(self, now: float) -> Request | None:
        if self._again and (again := self._again.take(now)) is not None:
            return again
        dropped = 0
        while not (self.paused or self.held) and (lease := self.frontier.next(now)) is not None:
            is_suspect = lease.is_revisit or self.rules or self.parked
            if is_suspect and (steered := self._steered(lease, now)) is not None:
                if steered > now:
                    self.frontier.release(lease, now, steered)
                dropped += 1
                if dropped < DROPPED_AT_ONCE:
                    continue
                break
            free_at = self.errands.free_at(lease.host, now)
            request = self._request(lease, now) if free_at <= now else free_at
            if isinstance(request, Request):
                self._leases[lease.digest] = lease
                return request
            self.frontier.release(lease, now, request)
        self._set_alarm(now)
        return None

    def _steered(self, lease: Lease, now: float) -> float | None:
        """None: it may be fetched. Else when to look again, which is `now` if it was dropped."""
        if lease.is_revisit and key(lease.url) != page_key(lease.key):  # plans were not checked once
            logger.warning("%r is not a URL of %s: its re-visit is dropped.", lease.url, lease.key)
            self._end(lease, Outcome(fetched=False))
            return now
        if (until := self.parked.get(lease.host, 0.0)) > now:
            return until
        if not self.is_blocked(lease):
            return None
        self._leases[lease.digest] = lease
        if self.drop is not None and self.drop(lease):
            return now
        del self._leases[lease.digest]
        return now + BLOCKED_SECONDS

    def blocks(self, url: str) -> bool:
        """Whether a rule forbids this URL."""
        if not self.rules:
            return False
        surt = key(url)
        rule = None if isinstance(surt, Refusal) else self.rules.first(surt, url)
        return rule is not None and rule.block

    def is_blocked(self, lease: Lease, mime: str = "") -> bool:
        """Whether a rule forbids it; with `mime`, a reply of that media type."""
        rule = self.rules.first(lease.key, lease.url, mime) if self.rules else None
        return rule is not None and rule.block

    def _request(self, lease: Lease, now: float) -> Request | float:
        """A request for the page or, first, for the robots.txt of its origin; or the time when to look again."""
        spider: Any = self._crawler.spider
        site = origin(lease.url)
        robots = self.frontier.robots(site)
        needed = need(robots, now)
        if needed is Need.KNOWN or lease.given_up:
            if lease.given_up:
                self.errands.dropped(site)
            meta = {"lease": lease, "robots": robots if needed is Need.KNOWN else None}
            headers = self._revisiting.conditions(lease, self.frontier, meta) if lease.is_revisit else None
            asked = {"callback": spider.parse, "errback": spider.failed, "headers": headers}
            return private.PageRequest(lease.url, meta=meta, **asked)
        if robots is not None and needed is Need.WAIT:
            return robots.expires_at
        errand = self.errands.start(site, lease.host, lease.digest, now, self._host_ready)
        if not isinstance(errand, Errand):
            return errand
        return private.PageRequest(
            errand.url,
            callback=spider.parse_robots,
            errback=spider.robots_failed,
            meta={"lease": lease, "robots_txt": True, "robots_hops": errand.redirects},
        )

    # -- how leases end ------------------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether nothing more is handed out or taken back."""
        return self.leases.ended

    def fail(self, error: BaseException) -> None:
        """A change of the frontier was not finished."""
        self.leases.fail(error)

    @one_step
    def answered(self, lease: Lease, *, seconds: float, address: str) -> None:
        """The page has arrived. Its host's turn ends now, before the links are extracted."""
        self.frontier.answered(lease, Outcome(duration_seconds=seconds, address=address), self.now())
        self.look_again()

    @one_step
    def try_again(
        self, lease: Lease, failure: Failure, *, seconds: float = 0.0, retry_after: float | None = None
    ) -> bool:
        """Put the URL back for a retry. False if there are no retries left and the failure is final."""
        if not self.frontier.may_retry(lease):
            return False
        if failure is Failure.BUSY:
            self.count_busy(lease.host)
        self._end(lease, Outcome(Kind.RETRY, failure, True, seconds, lease.address, retry_after))
        return True

    @one_step
    def respell(self, lease: Lease, url: str, *, fetched: bool, seconds: float = 0.0) -> None:
        """Ask for the same node at another spelling of its URL."""
        self._end(lease, Outcome(Kind.SPELLING, fetched=fetched, duration_seconds=seconds, url=url))

    @one_step
    def visit_with_cookie(self, request: Request, url: str, cookie: bytes, *, seconds: float) -> None:
        """Ask for the leased page once more, after the delay of its host. The lease lasts."""
        delay = self.frontier.host_delay(request.meta["lease"].host, seconds)
        self._again.put(with_cookie(request, url, cookie), self.now() + delay)

    @one_step
    def learn_robots(
        self, lease: Lease, record: RobotsRecord, *, seconds: float, crawl_delay: float | None
    ) -> None:
        """The robots.txt of the lease's origin is known now. The page itself follows after the host's delay."""
        self.frontier.set_robots(origin(lease.url), record)
        self.errands.learned(lease.host, record, self.now())
        self._release(lease, seconds, crawl_delay, not_before=record.expires_at if record.waits else 0.0)

    @one_step
    def follow_robots(self, lease: Lease, url: str, hops: int, *, seconds: float) -> None:
        """robots.txt redirects. It is fetched from there after the host's delay."""
        self.errands.redirected(origin(lease.url), Errand(url, host_asked(url, lease), hops))
        self._release(lease, seconds, None)

    @one_step
    def give_back(self, lease: Lease, *, pause_seconds: float = 0.0) -> None:
        """The fetch was called off, or this machine could not ask. The URL stays as it was. Its host may have been
        asked, so it rests as after any fetch, or for `pause_seconds` if that is longer."""
        if self._leases.get(lease.digest) is lease and not self._again.holds(lease):
            now = self.now()
            self._forget(lease)
            delay = max(self.frontier.host_delay(lease.host), pause_seconds)
            self.frontier.release(lease, now, now + delay)

    @one_step
    def put_off(self, request: Request, address: str) -> None:
        """The address is busy and nothing was sent. The URL waits for its turn there, and no attempt is counted."""
        lease: Lease = request.meta["lease"]
        hops, now = request.meta.get("robots_hops", 0), self.now()
        if self._leases.get(lease.digest) is not lease:
            return
        if request.meta.get(AGAIN):
            self._again.put(request, self.frontier.book_address(address, now))
            return
        asked = host_asked(request.url, lease)
        is_its_own = asked == lease.host
        if hops:
            self.errands.redirected(origin(lease.url), Errand(request.url, asked, hops))
        ready_at = now if is_its_own else self.frontier.book_address(address, now)
        self._forget(lease)
        self.frontier.release(lease, now, ready_at, busy_address=address if is_its_own else "")

    def next_stranger(self) -> Stranger | None:
        """A host to locate before any of its URLs is handed out. The caller must call `located` for it."""
        try:
            return self.frontier.next_stranger()
        except Exception as error:
            self.fail(error)
            return None

    @one_step
    def located(self, host: str, address: str) -> None:
        """A stranger's address; empty if its name does not resolve."""
        if not self.ended:
            self.frontier.located(host, address)

    def _release(
        self, lease: Lease, seconds: float, crawl_delay: float | None, not_before: float = 0.0
    ) -> None:
        """Give the URL back unchanged after a fetch of robots.txt on its host."""
        now = self.now()
        self._forget(lease)
        delay = self._politeness.delay(seconds, crawl_delay or 0.0)
        self.frontier.release(lease, now, max(not_before, now + delay), crawl_delay_seconds=crawl_delay)

    def _forget(self, lease: Lease) -> None:
        """The request has ended. A host that was borrowed for it rests."""
        self._leases.pop(lease.digest, None)
        self.errands.ended(lease.digest, self.now(), self._host_delay)

    def _host_ready(self, host: str) -> float:
        """When a host may be asked for the robots.txt of another. One of another member must be borrowed first."""
        if self.borrowed is not None and self.borrowed.is_foreign(host):
            return self.borrowed.ready_at(host, self.now())
        return self.frontier.host_ready(host)

    def _host_delay(self, host: str) -> float:
        """How long a host rests that was asked for the robots.txt of another. Its own member lets it rest, too."""
        if self.borrowed is not None and self.borrowed.is_foreign(host):
            self.borrowed.returned(host)
        return self.frontier.host_delay(host)

    def _end(self, lease: Lease, outcome: Outcome) -> None:
        self._forget(lease)
        self.frontier.done(lease, outcome, self.now())

    # -- a callback or a pipeline failed ----------------------------------------------------------------------

    def _spider_error(self, response: Response | None) -> None:
        if response is not None and response.request is not None:
            self.abandon(response.request.meta.get("lease"))

    def _item_lost(self, item: Any) -> None:
        if isinstance(item, Page):
            self.abandon(self._leases.get(item.digest))

    @one_step
    def abandon(self, lease: Lease | None) -> None:
        """A bug of ours, or of a user's component: the URL goes back as if the fetch had failed."""
        if self.ended or lease is None or self._leases.get(lease.digest) is not lease:
            return
        if self._again.holds(lease):  # a middleware wants another request for it
            return
        if not self.try_again(lease, Failure.SERVER):
            logger.error("Gave up %s: its page could not be recorded.", lease.url)
            self._end(lease, Outcome())

    def pause(self, paused: bool) -> None:
        """While paused, nothing new is handed out. Requests in flight continue."""
        if self.paused and not paused:
            self.wake()
        self.paused = paused

    @property
    def is_closing(self) -> bool:
        """Whether the engine takes no more requests because the crawl is ending, for whatever reason."""
        return private.is_closing(self._crawler)

    def _set_alarm(self, now: float) -> None:
        wake_at = self._again.wake_at(None if self.paused or self.held else self.frontier.wake_at())
        self._alarm.set(None if wake_at is None else wake_at - now)

    def wake(self) -> None:
        """Make the engine look for requests: there may be something to fetch."""
        private.look_for_requests(self._crawler)
