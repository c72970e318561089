"""The frontier's verbs. The package's docstring states what they guarantee. This is how the parts fit together.

    Intake, Seen, Traps     what is queued            (add, add_seeds)
    Revisits                what is visited again     (plan_visits, visit)
    Roster, Turns           whose turn it is          (next, wake_at)
    Politeness              when the host is next     (answered, done)
    Layers, Store           what is durable           (freeze)

A leased URL stays in its queue until `done`: a crash loses the lease, not the URL.

Longer than 400 lines because it is the one list of the frontier's verbs; the work is done in the parts above.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf

from webgraph_it.items import Link, State
from webgraph_it.robots.expiry import of_known_age
from webgraph_it.robots.record import RobotsRecord
from webgraph_it.urls.rules import Rules

from .hosts import Host
from .intake import Intake
from .layers import Frozen, Layers
from .layout import (
    HOST,
    LAYOUT_VERSION,
    MAX_8_BITS,
    META,
    PLACE,
    ROBOTS,
    SEEN,
    STATE,
    lease_of,
    packed_entry,
    packed_seen,
    queue_of,
    revisits_of,
    seen_of,
    url_of,
)
from .order import priority_of
from .politeness import Politeness
from .records import (
    Added,
    Counts,
    Failure,
    FrontierError,
    HostReport,
    Kind,
    Lease,
    Limits,
    Order,
    Ordering,
    Outcome,
    PlannedVisit,
    Stranger,
    Wait,
)
from .reorder import move_untried
from .revisits import Revisits, has_new, lowest_place
from .roster import Roster
from .state import Totals, packed_state, state_of
from .store import Row, Store, after
from .turns import Leases
from .visits import Visit
from .window import Window


class Frontier:
    """Opened with Frontier.open. One thread calls everything except Frozen.write."""

    def __init__(self, store: Store, policy: Politeness, order: Ordering, limits: Limits, now: float) -> None:
        totals, clean = state_of(store.get(STATE))
        now = totals.open_at(now)
        self.opened_at = now
        """`now` at the opening, or the latest time that the crawl has seen if that is later."""
        if not clean:
            totals.unknown_until = now
        self._store = store
        self._policy = policy
        self._totals: Totals = totals
        self._layers = Layers(store)
        self._roster = Roster(self._layers, totals, policy, now)
        self._intake = Intake(
            self._layers,
            self._roster,
            totals,
            limits,
            priority_of(order),
            reads_texts=not isinstance(order, Order),
        )
        self.revisits = Revisits(self._layers, self._roster, totals)
        self._leased: dict[str, tuple[Host, Row]] = {}
        self._reading: dict[bytes, Host] = {}
        """Leases that were answered and are not done, by queue entry."""

    @classmethod
    def open(
        cls, store: Store, policy: Politeness, order: Ordering, limits: Limits, now: float
    ) -> "Frontier":
        """Resume where the last commit left off, or start a new crawl.

        After a crash it is unknown which hosts were asked since that commit: no host is offered before now + its delay.
        """
        frontier = cls(store, policy, order, limits, now)
        store.commit({STATE: packed_state(frontier._totals, clean=False)})
        return frontier

    def __repr__(self) -> str:
        c = self.counts()
        hosts = f"hosts: {c.hosts_ready} ready, {c.hosts_waiting} waiting, {c.hosts_parked} parked"
        return f"<Frontier {c.queued} queued, {c.leased} leased, {c.done} done | {hosts}>"

    # -- in -------------------------------------------------------------------------------------------------

    def add(
        self,
        links: Sequence[Link],
        depth: int,
        via: str,
        now: float,
        *,
        host_depth: int = 0,
        content_digest: str = "",
        traps: Mapping[bytes, str] | None = None,
        page_trap: str = "",
        texts: Sequence[tuple[bytes, str]] = (),
    ) -> Added:
        """Queue the links that were never seen before and that no limit cuts.

        `depth` is that of the links. `via`, `host_depth` and `content_digest` (hex, or empty) are those of the page
        with the links. `traps` has the reason, by digest, for links that the caller considers traps. To add the links
        of a page in several calls, call `content_trap` once and pass its answer to each call as `page_trap`.
        `texts` are those of links, by digest. Only Order.KEYWORDS looks at them.
        """
        return self._intake.add(
            links,
            depth,
            via,
            now,
            host_depth=host_depth,
            content_digest=content_digest,
            traps=traps,
            page_trap=page_trap,
            texts=texts,
        )

    def content_trap(self, page_key: str, content_digest: str) -> str:
        """Count one more page with this content. Returns why its links are not queued, or an empty string."""
        return self._intake.content_trap(page_key, content_digest)

    def add_seeds(self, links: Sequence[Link], now: float) -> Added:
        """Queue some seeds. Known seeds change nothing, unless they were cut.

        A seed that a page linked to earlier, and that a limit cut then, is queued after all. The answer has only its
        former state (`uncut`), because it is already in the URL list and in the page log.
        """
        return self._intake.add_seeds(links, now)

    def own_only(self, owns: Callable[[str], bool]) -> None:
        """From now on, `reconsider` and `unblock` leave alone what other crawls own, by its key."""
        self._intake.owns = owns

    def mark_seen(self, links: Sequence[Link]) -> list[Link]:
        """The links that were never seen before. From now on they count as seen. Another crawl queues them."""
        return self._intake.seen.new(links)

    def perhaps_new(self, links: Sequence[Link]) -> list[Link]:
        """All that were never seen before, and few others: for `add`, the rest makes no difference."""
        return self._intake.seen.perhaps_new(links)

    def was_seen(self, digest: bytes) -> bool:
        return digest in self._intake.seen

    def reconsider(self, link: Link, depth: int, host_depth: int, via: str, reason: str, now: float) -> bool:
        """Queue a node that a quota (`reason`) cut, if the current limits allow it. True if this call queued it.

        A node that was queued meanwhile, or that no quota cut, is left unchanged.
        """
        return self._intake.reconsider(link, depth, host_depth, via, reason, now)

    # -- visits ---------------------------------------------------------------------------------------------

    def visit(self, digest: bytes) -> Visit | None:
        """What is known for the next visit of a page; None if it was never fetched."""
        return self.revisits.visit(digest)

    def keep_visit(self, digest: bytes, visit: Visit) -> None:
        """For a migration: `done` keeps visits itself."""
        self.revisits.keep(digest, visit)

    def plan_visits(self, pages: Sequence[PlannedVisit], made_at: float, now: float) -> int:
        """Queue pages to be visited again. Returns how many.

        Skipped are pages that were never fetched, that are planned already, or that were visited since `made_at`.
        """
        return self.revisits.plan(pages, made_at, now)

    def move_untried(self, after_key: bytes, most: int, priority: Callable[[bytes], int | None]) -> bytes:
        """Give untried URLs new places by their digest; None keeps the place. Takes up to `most` committed entries from
        `after_key` on. Returns where to continue; empty at the end."""
        return move_untried(self._layers, self._store, self._intake, self._is_out, after_key, most, priority)

    def _is_out(self, host: str, entry: bytes) -> bool:
        """Whether it is being fetched or read."""
        leased = self._leased.get(host)
        return entry in self._reading or (leased is not None and leased[1][0] == entry)

    @property
    def lacks_visits(self) -> bool:
        """Whether the store is from before there were visits. `has_visits` ends that."""
        return self._totals.layout < LAYOUT_VERSION

    def has_visits(self) -> None:
        self._totals.layout = LAYOUT_VERSION

    # -- rules ----------------------------------------------------------------------------------------------

    def set_rules(self, rules: Rules) -> None:
        """From now on these delays, quotas, depths and priorities hold. What is queued keeps its place."""
        self._roster.rules = self._intake.rules = rules

    def unblock(
        self, link: Link, depth: int, host_depth: int, via: str, now: float, *, mime: str = ""
    ) -> bool:
        """Queue a node again that a block had cut; False if it is not cut, was never accepted, or is blocked still.

        `mime`: the media type of the reply that was blocked; empty if it was never fetched.
        """
        return self._intake.unblock(link, depth, host_depth, via, now, mime=mime)

    def wake(self, name: str, now: float) -> bool:
        """End the pause of a host, so that it waits no longer than between any two fetches, however often it is woken.

        False if it does not pause, has no URLs, or is being asked now.
        """
        host = self._roster.host(name)
        soon = now + self.host_delay(name)
        if not host.entries or name in self._leased or not (host.clock.parked or host.clock.ready_at > soon):
            return False
        self._totals.hosts_parked -= host.clock.parked
        soon = min(soon, host.clock.ready_at)
        host.clock = host.clock._replace(ready_at=soon, parked=False, failures=0, parkings=0)
        self._roster.hasten(host, soon)
        self._roster.save(host)
        return True

    # -- out ------------------------------------------------------------------------------------------------

    def next(self, now: float) -> Lease | None:
        """A URL whose host and address may be asked now, or None."""
        self._totals.latest = max(self._totals.latest, now)
        host = self._roster.take(now)
        return None if host is None else self._lease(host)

    def wake_at(self) -> float | None:
        """When `next` may have something. A past time means now. None means not before the next `done` or `add`."""
        return self._roster.wake_at()

    def locate_first(self) -> None:
        """From now on, `next_stranger` hands out hosts whose address is unknown, before `next` leases their URLs."""
        self._roster.turns.keeps_strangers = True

    def next_stranger(self) -> Stranger | None:
        """A host that may be asked but whose address is unknown. The caller must call `located` for it."""
        host = self._roster.turns.next_stranger()
        if host is None:
            return None
        window = host.window if not host.planned or has_new(host) else host.revisits
        return Stranger(host.name, url_of(self._head(host, window)[1]))

    def located(self, name: str, address: str) -> None:
        """A stranger's address. Empty if its name does not resolve: then `next` leases its URLs without one."""
        self._roster.turns.located(name, address)

    def may_retry(self, lease: Lease) -> bool:
        """Whether a URL whose fetch failed may be retried (Kind.RETRY)."""
        return self._policy.may_retry(lease.attempts, lease.given_up)

    def answered(self, lease: Lease, outcome: Outcome, now: float) -> None:
        """The fetch ended and its page is still being read. This ends the host's turn, but not the lease."""
        host, _ = self._take_back(lease)
        self._reading[lease.entry] = host
        host.reading.append(lease.entry)
        self._learn(host, outcome, now)
        self._end_turn(host, now)
        self._roster.save(host)

    def done(self, lease: Lease, outcome: Outcome, now: float) -> None:
        """End a lease with its outcome. `now` is when its fetch ended, unless `answered` came before."""
        again = self._again(lease, outcome)
        host = self._reading.pop(lease.entry, None)
        its_turn = host is None
        if host is None:
            host, _ = self._take_back(lease)
            self._learn(host, outcome, now)
        else:
            host.reading.remove(lease.entry)
        self._layers.remove(lease.entry)
        if again is not None:
            (self.revisits if lease.is_revisit else self._intake).append(host, *again)
        elif lease.is_revisit:
            self.revisits.finish(host, lease.digest, outcome.visit)
        else:
            self._finish(host)
            if outcome.visit is not None:
                self.revisits.keep(lease.digest, outcome.visit)
        if again is None and outcome.state is not None:
            self._intake.seen.keep(lease.digest, packed_seen(outcome.state, outcome.status))
        if its_turn or host in self._roster.resting:
            self._end_turn(host, now)
        self._roster.save(host)

    def _end_turn(self, host: Host, now: float) -> None:
        """No URL of the host is being fetched any more, so only now is the head of its queue known."""
        if host.window is not None:
            host.lowest = lowest_place(host.window, host.prefix, host.reading)
        if host.revisits is not None:
            host.lowest_planned = lowest_place(host.revisits, revisits_of(host.name), host.reading)
        self._roster.put(host, now)

    def _learn(self, host: Host, outcome: Outcome, now: float) -> None:
        """Update the host after a fetch that ended at `now`."""
        host.clock = self._roster.policy_of(host.name).after(host.clock, outcome, now)
        self._totals.hosts_parked += host.clock.parked  # no leased host is
        host.failed += outcome.failure is not Failure.NONE
        host.address = outcome.address or host.address

    def release(
        self,
        lease: Lease,
        now: float,
        ready_at: float,
        *,
        crawl_delay_seconds: float | None = None,
        busy_address: str | None = None,
    ) -> None:
        """Give a lease back unchanged. Its host rests until `ready_at`. A Crawl-delay is remembered.

        `busy_address`: nothing was sent, because this address of the host is busy, and the host waits for its turn
        there. Empty: the busy address is another host's.
        """
        host, row = self._take_back(lease, turned_away=busy_address is not None)
        host.address = busy_address or host.address
        window = host.revisits if lease.is_revisit else host.window
        if window is not None:
            window.offer(row)
        crawl_delay = host.clock.crawl_delay_seconds if crawl_delay_seconds is None else crawl_delay_seconds
        ready_at = max(host.clock.ready_at, ready_at)
        host.clock = host.clock._replace(ready_at=ready_at, crawl_delay_seconds=crawl_delay)
        self._roster.put(host, now)
        self._roster.save(host)

    def host_ready(self, name: str) -> float:
        """When the host's own clock allows the next request; infinity while the host is being asked."""
        return inf if name in self._leased else self._roster.earliest(self._roster.host(name))

    def host_delay(self, name: str, duration_seconds: float | None = None) -> float:
        """Seconds that the host rests after a fetch of this duration; None: of its last one."""
        clock = self._roster.host(name).clock
        seconds = clock.duration_seconds if duration_seconds is None else duration_seconds
        return self._roster.policy_of(name).delay(seconds, clock.crawl_delay_seconds)

    def address_ready(self, address: str, now: float) -> float:
        """The earliest time ≥ now at which the address may be asked; `address_used` reserves it."""
        return self._roster.turns.address_ready(address, now)

    def address_used(self, address: str, when: float) -> None:
        """A request to the address starts at `when`."""
        self._roster.turns.address_used(address, when)

    def address_is_ours(self, address: str, now: float) -> bool:
        """Whether the address is leased, in a fleet. It may have been when its turn came, and not be any more."""
        return self._roster.turns.is_ours(address, now)

    def use_leases(self, leases: Leases) -> None:
        """From now on an address must be leased before it is asked. The caller reports each lease to `leased`."""
        self._roster.turns.leases = leases

    def address_needed(self, address: str) -> bool:
        """Whether a host waits for the address (or IPv6 network), or is on the way to it."""
        return self._roster.turns.is_needed(address)

    def leased(self, address: str, ready_at: float, now: float) -> None:
        """The address (or IPv6 network) is leased and may be asked from `ready_at` on."""
        self._roster.turns.leased(address, ready_at, now)

    def book_address(self, address: str, now: float) -> float:
        """When to try a busy address again. Each caller gets a different time."""
        return self._roster.turns.book(address, now)

    def _head(self, host: Host, window: Window | None) -> Row:
        """What is next in a queue of an active host."""
        row = window.head(self._layers, host.reading) if window is not None else None
        if row is None:
            raise FrontierError(
                f"the frontier is damaged: {host.name} should have {host.entries} URLs and has none; "
                "restore the crawl directory from a copy or start a new one"
            )
        return row

    def _lease(self, host: Host) -> Lease:
        is_revisit = bool(host.planned) and self.revisits.is_next(host)
        window = host.revisits if is_revisit else host.window
        row = self._head(host, window)
        assert window is not None
        window.pop()
        host.served += 1
        if host.clock.parked:
            self._totals.hosts_parked -= 1
            host.clock = host.clock._replace(parked=False)
            self._roster.save(host)
        self._leased[host.name] = (host, row)
        return lease_of(*row, host.name, host.address, host.clock.given_up, is_revisit)

    def _take_back(self, lease: Lease, *, turned_away: bool = False) -> tuple[Host, Row]:
        leased = self._leased.get(lease.host)
        if leased is None or leased[1][0] != lease.entry:
            raise ValueError(f"{lease.url} is not leased")
        del self._leased[lease.host]
        self._roster.turns.ended(leased[0], turned_away=turned_away)
        return leased

    def _finish(self, host: Host) -> None:
        host.queued -= 1
        host.finished += 1
        self._totals.entries -= 1
        self._totals.done += 1

    def _again(self, lease: Lease, outcome: Outcome) -> tuple[bytes, bytes] | None:
        """The place and entry of a URL that will be fetched again; None if it is finished."""
        url, attempts, spellings = lease.url, lease.attempts, lease.spellings
        if outcome.kind is Kind.FINISHED:
            return None
        if outcome.kind is Kind.RETRY:
            if not self.may_retry(lease):
                raise ValueError(f"{url} was tried {attempts + 1} times: it cannot be tried again")
            attempts += 1
            if lease.is_revisit:
                place = self.revisits.place_after(lease.entry)
            else:
                place = self._intake.new_place(lease.key, lease.depth, lease.via)
        else:
            if not outcome.url or spellings == MAX_8_BITS:
                raise ValueError(f"{url}: no other spelling was given, or there were too many")
            url, spellings = outcome.url, spellings + 1
            place = lease.entry[-PLACE.size : -1] + bytes((lease.entry[-1] + 1,))
        names = (url, lease.key, lease.via, lease.digest)
        return place, packed_entry(names, lease.depth, lease.host_depth, attempts, spellings)

    # -- records --------------------------------------------------------------------------------------------

    def put_meta(self, name: str, value: bytes) -> None:
        """Remember something small with the next commit."""
        self._layers.put(META + name.encode(), value)

    def get_meta(self, name: str) -> bytes | None:
        return self._layers.get(META + name.encode())

    def robots(self, origin: str) -> RobotsRecord | None:
        """The record, perhaps expired (`expiry.need`). None if there is none, or if it cannot be read."""
        packed = self._layers.get(ROBOTS + origin.encode())
        if packed is None:
            return None
        try:
            record = RobotsRecord.from_bytes(packed)
        except ValueError:
            return None
        return of_known_age(record, self._totals.latest, self._totals.corrected_at)

    def set_robots(self, origin: str, record: RobotsRecord) -> None:
        self._layers.put(ROBOTS + origin.encode(), record.to_bytes())

    def counts(self) -> Counts:
        t, ready = self._totals, self._roster.turns.ready
        leased = len(self._leased) + len(self._reading)
        waiting = t.hosts_with_urls - len(self._leased) - ready - t.hosts_parked
        hosts = (t.hosts, ready, waiting, t.hosts_parked)
        urls = (t.seen, t.entries - leased, leased, t.done, t.cut)
        return Counts(*urls, *hosts, len(self._layers), t.planned, t.revisits)

    @property
    def reading(self) -> int:
        """Leases that were answered and are not done."""
        return len(self._reading)

    def waits(self, most_in_line: int = 1_000) -> Iterator[Wait]:
        """Hosts that have URLs and may not be asked now: the active ones, and the first of those in the line."""
        for host, until, for_address in self._roster.waits(most_in_line):
            clock = host.clock
            delay = self._policy.delay(clock.duration_seconds, 0.0)
            by_robots = self._policy.delay(clock.duration_seconds, clock.crawl_delay_seconds) > delay
            yield Wait(host.name, until, for_address, by_robots, clock.failure)

    def hosts(self) -> Iterator[HostReport]:
        """Every host that ever had a URL, in order of its name."""
        for key, packed in self._layers.items(HOST):
            yield Host.unpacked(key[1:].decode(), packed).report()

    def committed_hosts(self) -> Iterator[HostReport]:
        """`hosts` as of the last commit. Any thread may ask."""
        for key, packed in self._store.items(HOST, after(HOST)):
            yield Host.unpacked(key[1:].decode(), packed).report()

    def host_rows(self) -> Iterator[Row]:
        """Every host's record as it is now: its name as bytes, HOST_HEAD and its address (layout.py)."""
        return ((key[1:], packed) for key, packed in self._layers.items(HOST))

    def committed_host_rows(self, first: bytes = b"") -> Iterator[Row]:
        """The same as of the last commit, from the name `first` on. Any thread may ask."""
        return ((key[1:], packed) for key, packed in self._store.items(HOST + first, after(HOST)))

    def queue_head(self, name: str, most: int) -> list[str]:
        """URLs of a host's queue as of the last commit, the next one first. Any thread may ask."""
        prefix = queue_of(name)
        return [url_of(packed) for _, packed in self._store.scan(prefix, after(prefix), most)]

    def host_record(self, name: str) -> Row | None:
        """`host_rows` of one host; None if it never had a URL."""
        host = self._roster.host(name)
        return (name.encode(), host.packed()) if host.accepted else None

    def only_waits(self, name: str) -> bool:
        """Whether the host has URLs, is not being asked, and is not parked for its failures."""
        host = self._roster.host(name)
        return bool(host.entries) and name not in self._leased and not host.clock.parked

    def committed_states(self, digests: Sequence[bytes]) -> list[tuple[State, int]]:
        """State and status of each URL as of the last commit. Any thread may ask."""
        ordered = sorted(set(digests))
        found = self._store.get_many([SEEN + digest for digest in ordered])
        states = {digest: seen_of(packed or b"") for digest, packed in zip(ordered, found, strict=True)}
        return [states[digest] for digest in digests]

    # -- commit ---------------------------------------------------------------------------------------------

    def freeze(self) -> Frozen:
        """Take everything that changed since the last freeze, to be written by another thread."""
        self._layers.put(STATE, packed_state(self._totals, clean=False))
        return self._layers.freeze()

    def forget(self, frozen: Frozen) -> None:
        """Free the memory of what was written. The next `freeze` does it, too."""
        self._layers.forget(frozen)

    def abandon(self) -> None:
        """Close the store as a crash would leave it: uncommitted changes are discarded."""
        with suppress(FrontierError):
            self._store.close()

    def close(self, meta: Mapping[str, bytes] | None = None) -> None:
        """Commit everything and close the store. If leases are out, the next opening treats it as a crash."""
        self._layers.put(STATE, packed_state(self._totals, clean=not (self._leased or self._reading)))
        self._layers.freeze().write(meta)
        self._store.close()
