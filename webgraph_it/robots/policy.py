"""What robots.txt lets us fetch: RFC 9309 in full.

    answer to GET /robots.txt ──judge──► RobotsRecord ──allowed, crawl_delay──► may we, and how fast

A record belongs to one scheme and authority (`origin`). Guarantees: pure (time is an argument), total (any
status, any bytes), and bounded: records hold at most 500 KiB, parsed rules live in a cache of bounded size,
and matching a URL takes a few milliseconds at worst, whatever the file says. Parsing a file takes one to
five microseconds a line, once: 20 ms for 20,000 plain rules. It does not fetch: the caller follows
`redirect_target`.

record.py is the record and its bytes, and expiry.py says how long it is valid. group.py finds the lines that apply to
us, protego reads the delays, and rules.py decides.

Where the RFC leaves a choice: 4xx allows, but 429 means an unreachable robots.txt. An unreachable origin stays
disallowed for ever, not for 30 days.
"""

from collections import OrderedDict
from hashlib import blake2b
from typing import NamedTuple

from protego import Protego

from webgraph_it.robots.errands import MAX_REDIRECTS
from webgraph_it.robots.expiry import MAX_AGE_SECONDS, Expiry
from webgraph_it.robots.group import Group, first_part, group_for
from webgraph_it.robots.record import RobotsRecord, Verdict
from webgraph_it.robots.rules import Rules
from webgraph_it.urls.names import Refusal, normal

PRODUCT_TOKEN = "webgraph_it"
MAX_RULES = 20_000
MAX_WILDCARDS = 4_000
"""A file with more rules or asterisks for us is an attack or a mistake: we fetch nothing there, and record why."""
MAX_CACHED_RULES = 200_000
"""Parsed rules kept in memory, over all hosts: about 100 MB at worst."""


class _Rules(NamedTuple):
    rules: Rules
    delay_seconds: float | None
    sitemaps: tuple[str, ...]
    size: int


class RobotsPolicy:
    """Judges replies and says what is allowed. One per crawl, because it holds the cache of parsed rules."""

    def __init__(
        self,
        product_token: str = PRODUCT_TOKEN,
        *,
        max_age_seconds: float = MAX_AGE_SECONDS,
        retry_seconds: float,
        attempts: int = 4,
        max_cached_rules: int = MAX_CACHED_RULES,
    ) -> None:
        self._product_token = product_token
        self._expiry = Expiry(retry_seconds, max_age_seconds, attempts)
        self._max_cached_rules = max_cached_rules
        self._cache: OrderedDict[bytes, _Rules] = OrderedDict()
        self._cached_rules = 0

    def __repr__(self) -> str:
        return f"<RobotsPolicy {self._product_token} [{len(self._cache)} files, {self._cached_rules} rules]>"

    def judge(
        self,
        status: int,
        body: bytes,
        error: str | None,
        redirects: int,
        now: float,
        *,
        previous: RobotsRecord | None = None,
        retry_after_seconds: float | None = None,
    ) -> RobotsRecord:
        """What a reply means. `error` names the failure if there was no complete reply (status 0 then).
        `redirects` is how many were followed; `previous` is this origin's last record, if any."""
        if error is not None:
            return self._unreachable(f"error-{error}", now, previous, retry_after_seconds)
        if redirects > MAX_REDIRECTS or 300 <= status < 400:
            return self._lasting(Verdict.ALLOW_ALL, "redirects", now)
        if 200 <= status < 300:
            return self._read(body, now)
        if 400 <= status < 500 and status != 429:
            return self._lasting(Verdict.ALLOW_ALL, f"status-{status}", now)
        return self._unreachable(f"status-{status}", now, previous, retry_after_seconds)

    def allowed(self, record: RobotsRecord, url: str) -> bool:
        """Whether this URL, in normal form, may be fetched. `/robots.txt` itself always may."""
        path = "/" + url.partition("://")[2].partition("/")[2]
        if path == "/robots.txt":
            return True
        if record.verdict is not Verdict.RULES:
            return record.verdict is Verdict.ALLOW_ALL
        return self._rules(record.raw).rules.allowed(path)

    def crawl_delay(self, record: RobotsRecord) -> float | None:
        """Seconds between two fetches that the host asks for (Crawl-delay or Request-rate); uncapped."""
        return self._rules(record.raw).delay_seconds if record.verdict is Verdict.RULES else None

    def sitemaps(self, record: RobotsRecord) -> tuple[str, ...]:
        """Sitemap URLs, as written there."""
        return self._rules(record.raw).sitemaps if record.raw else ()

    def _read(self, body: bytes, now: float) -> RobotsRecord:
        raw = first_part(body)
        group = group_for(self._product_token, raw)
        if group.rules() > MAX_RULES or group.wildcards() > MAX_WILDCARDS:
            return self._lasting(Verdict.DISALLOW_ALL, "too-many-rules", now)
        if group:
            self._remember(raw, _rules_of(group))
            return self._lasting(Verdict.RULES, "rules", now, raw)
        return self._lasting(Verdict.ALLOW_ALL, "no-rules", now, raw if group.sitemaps else b"")

    def _lasting(self, verdict: Verdict, reason: str, now: float, raw: bytes = b"") -> RobotsRecord:
        return RobotsRecord(verdict, reason, now, self._expiry.of_answer(now), raw)

    def _unreachable(
        self, reason: str, now: float, previous: RobotsRecord | None, retry_after_seconds: float | None
    ) -> RobotsRecord:
        failures = 1 + (previous.failures if previous else 0)
        expires_at, waits = self._expiry.of_failure(failures, now, retry_after_seconds)
        return RobotsRecord(Verdict.DISALLOW_ALL, reason, now, expires_at, failures=failures, waits=waits)

    def _rules(self, raw: bytes) -> _Rules:
        name = _cache_name(raw)
        rules = self._cache.get(name)
        if rules is None:
            return self._remember(raw, _rules_of(group_for(self._product_token, raw)))
        self._cache.move_to_end(name)
        return rules

    def _remember(self, raw: bytes, rules: _Rules) -> _Rules:
        name = _cache_name(raw)
        if name not in self._cache:
            self._cached_rules += rules.size
        self._cache[name] = rules
        self._cache.move_to_end(name)
        while self._cached_rules > self._max_cached_rules and len(self._cache) > 1:
            self._cached_rules -= self._cache.popitem(last=False)[1].size
        return rules


def _cache_name(raw: bytes) -> bytes:
    return blake2b(raw, digest_size=16).digest()


def _rules_of(group: Group) -> _Rules:
    delay_seconds = _delay_seconds(Protego.parse(group.delays_text())) if group.delays else None
    return _Rules(
        Rules(group.allows, group.disallows), delay_seconds, tuple(group.sitemaps), 10 + group.rules()
    )


def _delay_seconds(protego: Protego) -> float | None:
    delay = protego.crawl_delay("*")
    rate = protego.request_rate("*")
    if rate is None:
        return delay
    return max(delay or 0.0, rate.seconds / rate.requests)


def origin(url: str) -> str:
    """Scheme and authority of a normal URL, to which one robots.txt applies: `https://www.sito.it:8443`."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0].partition('?')[0]}"


def redirect_target(status: int, url: str, location: str | None, redirects: int) -> str | None:
    """Where a reply for robots.txt redirects. None if the caller must judge this reply.

    Five redirects are followed, also to other hosts. A Location that is not an http(s) URL is not followed.
    """
    if status not in (301, 302, 303, 307, 308) or not location or redirects >= MAX_REDIRECTS:
        return None
    target = normal(location, url)
    return None if isinstance(target, Refusal) else target
