"""The frontier as Scrapy's SCHEDULER: leases become requests, finished pages come back as outcomes.

The only module that touches private parts of Scrapy's engine (`_wake`): pinned by scrapy>=2.19,<2.20.

A page request is handed out only when the robots.txt of its origin is known; until then the same lease goes
out as a request for that robots.txt. Whatever happens to a request, its lease ends: its Page was recorded
(crawl/record.py; `answered` may come before it), `try_again`, `respell`, `learn_robots`, `follow_robots`, `give_back`
(the crawl stops before it could be fetched), `put_off` (its address is busy), or, if a callback or somebody's
pipeline failed, `abandon`.

An exception in the middle of one of these verbs leaves the frontier half changed: `Leases.fail` is told.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.http import Response

from webgraph_it.frontier.clock import CrawlClock
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.leases import Leases
from webgraph_it.frontier.politeness import Politeness
from webgraph_it.frontier.records import (
    Failure,
    Kind,
    Lease,
    Limits,
    Order,
    Outcome,
    RobotsRecord,
    Stranger,
)
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.items import Page
from webgraph_it.urls import Refusal, key

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

WAIT = "wait"
"""RobotsRecord.status of a robots.txt that could not be reached: pages wait until it expires, then it is asked
for again. Any other status: the pages may be asked about."""


POSTPONED_SECONDS = 0.2
"""How soon to look again whether a host that is needed for another one's robots.txt is free."""


AGAIN = "again"
"""In the meta of requests that a middleware wants to be sent for a lease that is out."""


MAX_ROBOTS_WAITS = 10_000
"""Hosts that are remembered as waiting for their robots.txt: only for the words of the log."""

P = ParamSpec("P")
R = TypeVar("R")


def one_step(
    verb: "Callable[Concatenate[FrontierScheduler, P], R]",
) -> "Callable[Concatenate[FrontierScheduler, P], R]":
    """A verb that changes the frontier: all of it, or the crawl has failed."""

    @wraps(verb)
    def step(scheduler: "FrontierScheduler", /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(scheduler, *args, **kwargs)
        except Exception as error:
            scheduler.fail(error)
            raise

    return step


class PageRequest(Request):
    """A request for a URL in normal form: it is sent as it is, and never compared with others.

    It is not in Scrapy's list of living objects, which is for its telnet console and doubles the time to make one.
    """

    def __new__(cls, *_: Any, **__: Any) -> Self:
        return object.__new__(cls)

    def _url_is_verbatim(self) -> bool:
        return True


class Lane(Protocol):
    """What carries requests past Scrapy's engine (engine/lane.py)."""

    def pump(self) -> None:
        """Take and start what may start now; the engine asks for it."""

    def start_more(self) -> None:
        """The same, between the engine's visits."""


class FrontierScheduler(BaseScheduler):
    """Opens the frontier of JOBDIR and speaks for it."""

    frontier: Frontier
    now: CrawlClock

    def __init__(
        self, crawler: "Crawler", path: Path, politeness: Politeness, order: Order, limits: Limits
    ) -> None:
        self._crawler = crawler
        self._path = path
        self._politeness = politeness
        self._order = order
        self.limits = limits
        self.leases = Leases()
        self._leases = self.leases.out
        self._again: deque[tuple[float, Request]] = deque()
        """What middlewares want to be sent for a lease that is out, and when its host may be asked again."""
        self._robots_hops: dict[str, tuple[str, int]] = {}
        """Origins whose robots.txt redirected: where to, and after how many redirects."""
        self._borrowed: dict[str, bytes] = {}
        """Hosts that are being asked for the robots.txt of another: whose lease it is."""
        self._resting: dict[str, float] = {}
        """Hosts that were: until when they are left alone."""
        self._alarm: asyncio.TimerHandle | None = None
        self.paused = False
        self.robots_waits: dict[str, float] = {}
        """Hosts whose robots.txt could not be reached, and when it is asked for again; not all of very many."""
        self.held = False
        """True: nothing is handed out until the seeds are loaded."""
        self.lane: Lane | None = None
        """Who takes requests instead of Scrapy's engine, if anybody."""
        self.locate: Callable[[], None] | None = None
        """Finds the addresses of strangers, if anybody does (engine/locator.py)."""

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        settings = crawler.settings
        scheduler = cls(
            crawler,
            Path(settings["JOBDIR"]) / "frontier",
            Politeness(
                host_delay_seconds=settings.getfloat("HOST_DELAY"),
                delay_factor=settings.getfloat("DELAY_FACTOR"),
                address_delay_seconds=settings.getfloat("ADDRESS_DELAY"),
                crawl_delay_max_seconds=settings.getfloat("CRAWL_DELAY_MAX"),
                retry_times=settings.getint("RETRY_TIMES"),
                back_off_seconds=settings.getfloat("BACK_OFF"),
                park_seconds=settings.getfloat("PARK_SECONDS"),
            ),
            Order(settings["FRONTIER_ORDER"]),
            Limits(
                max_pages_per_host=settings.getint("MAX_PAGES_PER_HOST"),
                max_depth=settings.getint("MAX_DEPTH"),
                max_host_depth=settings.getint("MAX_HOST_DEPTH"),
                max_queries_per_path=settings.getint("MAX_QUERIES_PER_PATH"),
                max_same_content=settings.getint("MAX_SAME_CONTENT"),
                max_hosts_per_domain=settings.getint("MAX_HOSTS_PER_DOMAIN"),
            ),
        )
        crawler.signals.connect(scheduler._spider_error, signals.spider_error)
        crawler.signals.connect(scheduler._item_lost, signals.item_dropped)
        crawler.signals.connect(scheduler._item_lost, signals.item_error)
        return scheduler

    # -- Scrapy's side -------------------------------------------------------------------------------------

    def open(self, spider: "Spider") -> "Deferred[None] | None":
        store = RocksStore(self._path)
        self.frontier = Frontier.open(store, self._politeness, self._order, self.limits, time.time())
        store.on_damage = _in_this_loop(self.fail)
        self.now = CrawlClock(self.frontier.opened_at)
        return None

    def close(self, reason: str) -> "Deferred[None] | None":
        """The frontier itself is closed by the crawl's last commit."""
        if self._alarm:
            self._alarm.cancel()
        return None

    def has_pending_requests(self) -> bool:
        """The engine asks when it is idle: a lease that is still out then was lost by somebody's component."""
        slot = self._crawler.engine._slot
        if self._leases and slot is not None and not slot.inprogress:
            for lease in list(self._leases.values()):
                self.abandon(lease)
            self._wake()
        counts = self.frontier.counts()
        return bool(counts.queued or counts.leased or self._again)

    def enqueue_request(self, request: Request) -> bool:
        """Links never come this way; a middleware's request for a page that is already leased may.

        It waits for its host like any other. One for another host is refused: that host may be busy.
        """
        lease: Lease | None = request.meta.get("lease")
        if lease is None:
            return False
        host = _host(request.url, lease)
        if host != lease.host and self._borrowed.get(host) != lease.digest:
            logger.warning("%s is not fetched instead of %s: it is on another host.", request.url, lease.url)
            return False
        request.meta[AGAIN] = True
        self._again.append((self.now() + self.frontier.host_delay(host), request))
        return True

    def next_request(self) -> Request | None:
        """For the engine: the next request, or None if a lane of the crawl's own takes them."""
        if self.lane is None:
            return self.take()
        self.lane.pump()
        return None

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
        if self._again and (again := self._next_again(now)) is not None:
            return again
        while not (self.paused or self.held) and (lease := self.frontier.next(now)) is not None:
            request = self._request(lease, now) if self._is_free(lease.host, now) else now + POSTPONED_SECONDS
            if isinstance(request, Request):
                self._leases[lease.digest] = lease
                return request
            self.frontier.release(lease, now, request)
        self._set_alarm(now)
        return None

    def _next_again(self, now: float) -> Request | None:
        for entry in self._again:
            if entry[0] <= now:
                self._again.remove(entry)
                return entry[1]
        return None

    def _request(self, lease: Lease, now: float) -> Request | float:
        """The page, or first the robots.txt of its origin, or when to look again."""
        spider: Any = self._crawler.spider
        origin = origin_of(lease)
        robots = self.frontier.robots(origin)
        if robots is not None and robots.expires_at <= now:
            robots = None
        if lease.given_up or (robots is not None and robots.status != WAIT):
            meta = {"lease": lease, "robots": robots}
            return PageRequest(lease.url, callback=spider.parse, errback=spider.failed, meta=meta)
        if robots is not None:
            return robots.expires_at
        url, hops = self._robots_hops.get(origin, (origin + "/robots.txt", 0))
        if hops and not self._borrow(url, lease, now):
            return now + POSTPONED_SECONDS
        self._robots_hops.pop(origin, None)
        return PageRequest(
            url,
            callback=spider.parse_robots,
            errback=spider.robots_failed,
            meta={"lease": lease, "robots_txt": True, "robots_hops": hops},
        )

    # -- robots.txt on somebody else's host ------------------------------------------------------------------

    def _borrow(self, url: str, lease: Lease, now: float) -> bool:
        """A robots.txt that redirected may be on another host, which must be ready and free for it."""
        host = _host(url, lease)
        if host == lease.host:
            return True
        leased = any(other.host == host for other in self._leases.values())
        if leased or not self._is_free(host, now) or self.frontier.host_ready(host) > now:
            return False
        self._borrowed[host] = lease.digest
        return True

    def _is_free(self, host: str, now: float) -> bool:
        """Not borrowed, and not resting after it was."""
        if not self._borrowed and not self._resting:
            return True
        if self._resting.get(host, now) <= now:
            self._resting.pop(host, None)
        return host not in self._borrowed and host not in self._resting

    # -- how leases end ------------------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Nothing more is handed out or taken back."""
        return self.leases.ended

    def fail(self, error: BaseException) -> None:
        """A change of the frontier was not finished."""
        self.leases.fail(error)

    @one_step
    def answered(self, lease: Lease, *, seconds: float, address: str) -> None:
        """The page is here and will be read: its host need not wait for that."""
        self.frontier.answered(lease, Outcome(duration_seconds=seconds, address=address), self.now())
        self.look_again()

    @one_step
    def try_again(
        self, lease: Lease, failure: Failure, *, seconds: float = 0.0, retry_after: float | None = None
    ) -> bool:
        """Put it back for later; False if it was tried often enough and the failure is final."""
        if not self.frontier.may_retry(lease):
            return False
        outcome = Outcome(
            Kind.RETRY,
            failure,
            duration_seconds=seconds,
            address=lease.address,
            retry_after_seconds=retry_after,
        )
        self._end(lease, outcome)
        return True

    @one_step
    def respell(self, lease: Lease, url: str, *, fetched: bool, seconds: float = 0.0) -> None:
        """The same node is asked for at another spelling of its key."""
        self._end(lease, Outcome(Kind.SPELLING, fetched=fetched, duration_seconds=seconds, url=url))

    @one_step
    def learn_robots(
        self, lease: Lease, record: RobotsRecord, *, seconds: float, crawl_delay: float | None
    ) -> None:
        """robots.txt of the lease's origin is known now; the page itself comes after the host's delay."""
        self.frontier.set_robots(origin_of(lease), record)
        if record.status == WAIT and len(self.robots_waits) < MAX_ROBOTS_WAITS:
            self.robots_waits[lease.host] = record.expires_at
        else:
            self.robots_waits.pop(lease.host, None)
        self._release(
            lease, seconds, crawl_delay, not_before=record.expires_at if record.status == WAIT else 0
        )

    @one_step
    def follow_robots(self, lease: Lease, url: str, hops: int, *, seconds: float) -> None:
        """robots.txt is elsewhere; it is asked for there after the host's delay."""
        self._robots_hops[origin_of(lease)] = (url, hops)
        self._release(lease, seconds, None)

    @one_step
    def give_back(self, lease: Lease) -> None:
        """The crawl stops: the fetch was called off. The URL stays as it was; its host may have been asked, and
        rests as after any fetch."""
        if self._leases.get(lease.digest) is lease and not self._goes_on(lease):
            now = self.now()
            self._forget(lease)
            self.frontier.release(lease, now, now + self.frontier.host_delay(lease.host))

    @one_step
    def put_off(self, request: Request, address: str) -> None:
        """The address is busy, nothing was sent: the URL takes its turn there, and no attempt is counted."""
        lease: Lease = request.meta["lease"]
        hops, now = request.meta.get("robots_hops", 0), self.now()
        if self._leases.get(lease.digest) is not lease:
            return
        if request.meta.get(AGAIN):
            self._again.append((self.frontier.book_address(address, now), request))
            return
        if hops:
            self._robots_hops[origin_of(lease)] = (request.url, hops)
        is_its_own = _host(request.url, lease) == lease.host
        ready_at = now if is_its_own else self.frontier.book_address(address, now)
        self._forget(lease)
        self.frontier.release(lease, now, ready_at, busy_address=address if is_its_own else "")

    def next_stranger(self) -> Stranger | None:
        """A host to locate before any of its URLs is handed out; `located` follows."""
        try:
            return self.frontier.next_stranger()
        except Exception as error:
            self.fail(error)
            return None

    @one_step
    def located(self, host: str, address: str) -> None:
        """A stranger's address, empty if its name leads nowhere."""
        if not self.ended:
            self.frontier.located(host, address)

    def _release(
        self, lease: Lease, seconds: float, crawl_delay: float | None, not_before: float = 0.0
    ) -> None:
        """Give the URL back untouched after a fetch of robots.txt on its host."""
        now = self.now()
        self._forget(lease)
        delay = self._politeness.delay(seconds, crawl_delay or 0.0)
        self.frontier.release(lease, now, max(not_before, now + delay), crawl_delay_seconds=crawl_delay)

    def _forget(self, lease: Lease) -> None:
        """The request is over; a host that was borrowed for it rests."""
        self._leases.pop(lease.digest, None)
        for host in [host for host, borrower in self._borrowed.items() if borrower == lease.digest]:
            del self._borrowed[host]
            self._resting[host] = self.now() + self.frontier.host_delay(host)

    def _end(self, lease: Lease, outcome: Outcome) -> None:
        self._forget(lease)
        self.frontier.done(lease, outcome, self.now())

    # -- what should not happen: a callback or a pipeline failed ----------------------------------------------

    def _spider_error(self, response: Response | None) -> None:
        if response is not None and response.request is not None:
            self.abandon(response.request.meta.get("lease"))

    def _item_lost(self, item: Any) -> None:
        if isinstance(item, Page):
            self.abandon(self._leases.get(item.digest))

    @one_step
    def abandon(self, lease: Lease | None) -> None:
        """Our mistake, or a stranger's component's: the URL goes back as if the fetch had failed."""
        if self.ended or lease is None or self._leases.get(lease.digest) is not lease or self._goes_on(lease):
            return
        if not self.try_again(lease, Failure.SERVER):
            logger.error("Gave up %s: its page could not be recorded.", lease.url)
            self._end(lease, Outcome())

    def _goes_on(self, lease: Lease) -> bool:
        """A middleware wants another request for the same lease."""
        return any(request.meta["lease"] is lease for _, request in self._again)

    def pause(self, paused: bool) -> None:
        """While paused nothing new is handed out; what is in flight goes on."""
        if self.paused and not paused:
            self._wake()
        self.paused = paused

    @property
    def is_closing(self) -> bool:
        """The engine takes no more requests: the crawl ends, for whatever reason."""
        slot = self._crawler.engine._slot
        return slot is None or slot.closing is not None

    # -- the clock ---------------------------------------------------------------------------------------------

    def _set_alarm(self, now: float) -> None:
        wake_at = None if self.paused or self.held else self.frontier.wake_at()
        if self._again:
            again_at = min(ready_at for ready_at, _ in self._again)
            wake_at = again_at if wake_at is None else min(wake_at, again_at)
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None
        if wake_at is not None:
            self._alarm = asyncio.get_running_loop().call_later(max(0.001, wake_at - now), self._wake)

    def look_again(self) -> None:
        """There may be something to fetch: take it, in this turn of the event loop if there is a lane."""
        if self.lane is None:
            self._wake()
        else:
            self.lane.start_more()

    def wake(self) -> None:
        """There may be something to fetch: let the engine look."""
        slot = self._crawler.engine._slot
        if slot is not None and slot.closing is None:
            slot.nextcall.schedule()

    def _wake(self) -> None:
        self._alarm = None
        slot = self._crawler.engine._slot
        if slot is not None:
            slot.nextcall.schedule()


def _in_this_loop(tell: Callable[[BaseException], None]) -> Callable[[BaseException], None]:
    """For a thread to call, too: it is told in the event loop that runs now, if one does."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return tell
    thread = threading.get_ident()

    def told(error: BaseException) -> None:
        if threading.get_ident() == thread:
            tell(error)
        else:
            loop.call_soon_threadsafe(tell, error)

    return told


def _host(url: str, lease: Lease) -> str:
    """The host of a URL; the lease's own if the URL has no key."""
    surt = key(url)
    return lease.host if isinstance(surt, Refusal) else surt.partition(")")[0]


def origin_of(lease: Lease) -> str:
    """Scheme and authority of the URL: what one robots.txt speaks for."""
    return lease.url[: lease.url.index("/", len("https://"))]
