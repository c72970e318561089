"""The frontier's verbs. The package's docstring states what they guarantee; here is how the parts meet.

    Seen, Traps, Limits     what is queued            (add)
    Roster, Turns           whose turn it is          (next, wake_at)
    Politeness              when the host is next     (answered, done)
    Layers, Store           what is durable           (freeze)

A leased URL stays in its queue until `done`: a crash forgets the lease, not the URL.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count

from webgraph_it.items import Link, State

from .hosts import Host
from .layers import Frozen, Layers
from .layout import (
    HOST,
    MAX_8_BITS,
    META,
    PLACE,
    QUEUE,
    ROBOTS,
    SEEN,
    STATE,
    host_of,
    lease_of,
    packed_entry,
    packed_robots,
    packed_seed,
    packed_seen,
    robots_of,
    seen_of,
)
from .order import PRIORITIES
from .politeness import Politeness
from .records import (
    Added,
    Counts,
    Cut,
    Failure,
    FrontierError,
    HostReport,
    Kind,
    Lease,
    Limits,
    Order,
    Outcome,
    RobotsRecord,
    Wait,
)
from .roster import Roster
from .seen import Seen
from .state import Totals, packed_state, state_of
from .store import Row, Store, after
from .traps import Traps

ROBOTS_LIFETIME_SECONDS = 86_400.0
DEPTH, PAGES_PER_HOST = "depth", "pages-per-host"
"""Reasons of State.QUOTA_CUT."""


class Frontier:
    """Opened with Frontier.open. One thread calls everything but Frozen.write."""

    def __init__(self, store: Store, policy: Politeness, order: Order, limits: Limits, now: float) -> None:
        totals, clean = state_of(store.get(STATE))
        now = totals.open_at(now)
        self.opened_at = now
        """`now` of the opening, or the latest time that the crawl had seen if that is later: times go on from it."""
        if not clean:
            totals.unknown_until = now
        self._store = store
        self._policy = policy
        self._priority = PRIORITIES[order]
        self._limits = limits
        self._totals: Totals = totals
        self._layers = Layers(store)
        self._seen = Seen(self._layers)
        self._traps = Traps(self._layers, limits)
        self._roster = Roster(self._layers, totals, policy, now)
        self._leased: dict[str, tuple[Host, Row]] = {}
        self._reading: dict[bytes, Host] = {}
        """By entry: leases that were answered and are not done."""

    @classmethod
    def open(cls, store: Store, policy: Politeness, order: Order, limits: Limits, now: float) -> "Frontier":
        """Go on where the last commit left off, or start anew.

        After a crash nobody knows who was asked since that commit: no host is offered before now + its delay.
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
    ) -> Added:
        """Queue the links that were never seen before and that no limit cuts.

        `depth` is that of the links; `via`, `host_depth` and `content_digest` (hex, or empty) of the page
        with the links. `traps` gives the reason, by digest, for links that the caller calls a trap. A page whose
        links are added in several calls gives its `content_digest` to `content_trap` once, and each call the
        answer as `page_trap`.
        """
        page_trap = page_trap or self.content_trap(via, content_digest)
        new = self._seen.new(links)
        page_host = host_of(via) if via else ""
        touched: dict[str, Host] = {}
        cuts: list[Cut] = []
        for link in new:
            name = host_of(link.key)
            host = touched.get(name)
            if host is None:
                host = touched[name] = self._roster.host(name)
            link_host_depth = host_depth + 1 if name == page_host else 0
            trap = (traps and traps.get(link.digest)) or page_trap
            cut = self._cut(link, host, depth, link_host_depth, trap)
            if cut is None:
                self._enqueue(host, link, depth, link_host_depth, via, now)
            else:
                cuts.append(cut)
                self._seen.keep(link.digest, packed_seen(cut.state, 0))
        for host in touched.values():
            if host.accepted:
                self._roster.save(host)
        self._totals.seen += len(new)
        self._totals.cut += len(cuts)
        return Added(new, cuts)

    def content_trap(self, page_key: str, content_digest: str) -> str:
        """Count one more page with this content; why its links are not queued, or an empty string."""
        return self._traps.same_content(page_key, content_digest)

    def add_seeds(self, links: Sequence[Link], now: float) -> Added:
        """Queue some seeds; those that are known already change nothing, unless they were cut.

        A seed that a page linked to before, and that a limit cut then, is queued after all: of it, only what it was
        is in the answer (`uncut`), for it is in the URL list and in the page log already.
        """
        names = [host_of(link.key) for link in links]
        hosts = self._roster.known(set(names))
        known = self._seen.known(self._perhaps_seen(links, names, hosts))
        new: list[Link] = []
        cuts: list[Cut] = []
        uncut: list[State] = []
        queued: dict[str, Host] = {}
        planted: set[str] = set()
        to_plant: list[Link] = []
        for link, name in zip(links, names, strict=True):
            key = SEEN + link.digest
            seen = known.get(key)
            if seen is None and name not in hosts and name not in planted and "?" not in link.key:
                known[key] = b""
                to_plant.append(link)
                planted.add(name)
                new.append(link)
                continue
            was = seen_of(seen)[0] if seen else State.NEVER_TRIED
            was_cut = was in (State.TRAP_CUT, State.QUOTA_CUT)
            if seen is not None and not was_cut:
                continue
            self._plant(to_plant, now)
            to_plant.clear()
            host = hosts.get(name)
            if host is None:
                host = hosts[name] = self._roster.host(name)
            cut = self._cut(link, host, 0, 0, "", is_seed=True)
            known[key] = state = b"" if cut is None else packed_seen(cut.state, 0)
            if state != seen:
                self._layers.put(key, state)
            if not was_cut:
                new.append(link)
            if cut is None:
                self._enqueue(host, link, 0, 0, "", now)
                queued[name] = host
                if was_cut:
                    uncut.append(was)
            elif not was_cut:
                cuts.append(cut)
        self._plant(to_plant, now)
        for host in queued.values():
            self._roster.save(host)
        self._totals.seen += len(new)
        self._totals.cut += len(cuts) - len(uncut)
        return Added(new, cuts, tuple(uncut))

    def _perhaps_seen(
        self, links: Sequence[Link], names: list[str], hosts: Mapping[str, Host]
    ) -> Sequence[Link]:
        """The others are new: of a host that was never saved, only cut URLs may have been seen."""
        if self._totals.cut:
            return links
        return [link for link, name in zip(links, names, strict=True) if name in hosts]

    def _cut(
        self, link: Link, host: Host, depth: int, host_depth: int, trap: str, *, is_seed: bool = False
    ) -> Cut | None:
        limits = self._limits
        if trap:
            return Cut(link, State.TRAP_CUT, trap, host_depth)
        if limits.max_depth and depth > limits.max_depth:
            return Cut(link, State.QUOTA_CUT, DEPTH, host_depth)
        if reason := self._traps.host_depth(host_depth) or self._traps.queries(link):
            return Cut(link, State.TRAP_CUT, reason, host_depth)
        if cut := self._cut_by_quota(link, host, host_depth):
            return cut
        if not (host.accepted or is_seed) and (reason := self._traps.hosts(host.name)):
            return Cut(link, State.TRAP_CUT, reason, host_depth)
        return None

    def _cut_by_quota(self, link: Link, host: Host, host_depth: int) -> Cut | None:
        if self._limits.max_pages_per_host and host.accepted >= self._limits.max_pages_per_host:
            return Cut(link, State.QUOTA_CUT, PAGES_PER_HOST, host_depth)
        return None

    def reconsider(self, link: Link, depth: int, host_depth: int, via: str, reason: str, now: float) -> bool:
        """Queue a node that a quota (`reason`) cut, if today's limits allow it; True if it is queued by this call.

        A node that was queued meanwhile, or never cut by a quota, is left alone.
        """
        if not self._seen.is_quota_cut(link.digest):
            return False
        host = self._roster.host(host_of(link.key))
        limits = self._limits
        if (limits.max_depth and depth > limits.max_depth) or self._cut_by_quota(link, host, host_depth):
            return False
        if not host.accepted and self._traps.hosts(host.name):
            return False
        if reason == DEPTH and (self._traps.host_depth(host_depth) or self._traps.queries(link)):
            return False  # what pages-per-host cut had passed these, and was counted
        self._enqueue(host, link, depth, host_depth, via, now)
        self._roster.save(host)
        self._seen.mark_queued(link.digest)
        self._totals.cut -= 1
        return True

    def _enqueue(self, host: Host, link: Link, depth: int, host_depth: int, via: str, now: float) -> None:
        packed = packed_entry((link.url, link.key, via, link.digest), depth, host_depth)
        self._append(host, self._new_place(link.key, depth), packed)
        self._totals.entries += 1
        if not host.accepted:
            self._totals.hosts += 1
            self._traps.count_host(host.name)
        host.accepted += 1
        host.queued += 1
        if host.queued == 1:
            self._roster.enter(host, now)
        elif host in self._roster.resting:
            self._roster.put(host, now)

    def _plant(self, seeds: list[Link], now: float) -> None:
        """Seeds on hosts that were never met: what `_cut`, `_enqueue` and `save` would do, in less time."""
        priority, count_host = self._priority, self._traps.count_host
        names: list[bytes] = []
        changes: dict[bytes, bytes] = {}
        queues: dict[bytes, bytes] = {}
        first = self._totals.next_numbers(2 * len(seeds))
        for number, (url, key, digest, _) in zip(count(first, 2), seeds):
            host = host_of(key)
            name = host.encode()
            prefix = QUEUE + name + b")"
            queues[prefix] = entry = prefix + PLACE.pack(priority(key, 0), number, 0)
            changes[entry] = packed_seed(url, key, digest)
            changes[SEEN + digest] = b""
            count_host(host)
            names.append(name)
        self._layers.start_ranges(queues, changes)
        self._roster.enter_new(names, first + 1, now)
        self._totals.entries += len(seeds)
        self._totals.hosts += len(seeds)

    def _new_place(self, key: str, depth: int) -> bytes:
        return PLACE.pack(self._priority(key, depth), self._totals.next_number(), 0)

    def _append(self, host: Host, place: bytes, packed: bytes) -> None:
        entry = host.prefix + place
        self._layers.append(host.prefix, entry, packed)
        if host.window is not None:
            host.window.offer((entry, packed))
        if place < host.lowest:
            host.lowest = place

    # -- out ------------------------------------------------------------------------------------------------

    def next(self, now: float) -> Lease | None:
        """A URL whose host and address may be asked now, or None."""
        self._totals.latest = max(self._totals.latest, now)
        host = self._roster.take(now)
        return None if host is None else self._lease(host)

    def wake_at(self) -> float | None:
        """When `next` may have something: a time in the past is now, None is after a `done` or an `add`."""
        return self._roster.wake_at()

    def may_retry(self, lease: Lease) -> bool:
        """Whether a URL whose fetch failed may be given back with Kind.RETRY."""
        return self._policy.may_retry(lease.attempts, lease.given_up)

    def answered(self, lease: Lease, outcome: Outcome, now: float) -> None:
        """The fetch ended and its page is still being read: the host's turn is over, the lease is not."""
        host, _ = self._take_back(lease)
        self._reading[lease.entry] = host
        host.reading.append(lease.entry)
        self._learn(host, outcome, now)
        self._end_turn(host, now)
        self._roster.save(host)

    def done(self, lease: Lease, outcome: Outcome, now: float) -> None:
        """Record what became of a lease: at the time its fetch ended, unless that was `answered` before."""
        again = self._again(lease, outcome)
        host = self._reading.pop(lease.entry, None)
        its_turn = host is None
        if host is None:
            host, _ = self._take_back(lease)
            self._learn(host, outcome, now)
        else:
            host.reading.remove(lease.entry)
        self._layers.remove(lease.entry)
        if again is None:
            self._finish(host)
            if outcome.state is not None:
                self._seen.keep(lease.digest, packed_seen(outcome.state, outcome.status))
        else:
            self._append(host, *again)
        if its_turn or host in self._roster.resting:
            self._end_turn(host, now)
        self._roster.save(host)

    def _end_turn(self, host: Host, now: float) -> None:
        """No URL of the host is being fetched: only now is it known where its queue begins."""
        if host.window is not None:
            lowest = min((host.window.lower(), *host.reading))
            host.lowest = lowest[len(host.prefix) :][: PLACE.size]
        self._roster.put(host, now)

    def _learn(self, host: Host, outcome: Outcome, now: float) -> None:
        """What a fetch that ended at `now` says of its host."""
        host.clock = self._policy.after(host.clock, outcome, now)
        self._totals.hosts_parked += host.clock.parked  # no leased host is
        host.failed += outcome.failure is not Failure.NONE
        host.address = outcome.address or host.address

    def release(
        self, lease: Lease, now: float, ready_at: float, *, crawl_delay_seconds: float | None = None
    ) -> None:
        """Give a lease back untouched; its host is left alone until `ready_at`. A Crawl-delay is remembered."""
        host, row = self._take_back(lease)
        if host.window is not None:
            host.window.offer(row)
        crawl_delay = host.clock.crawl_delay_seconds if crawl_delay_seconds is None else crawl_delay_seconds
        ready_at = max(host.clock.ready_at, ready_at)
        host.clock = host.clock._replace(ready_at=ready_at, crawl_delay_seconds=crawl_delay)
        self._roster.put(host, now)
        self._roster.save(host)

    def host_ready(self, name: str) -> float:
        """When the host may be asked by its own clock; whether it is being asked now, the caller knows."""
        return self._roster.earliest(self._roster.host(name))

    def host_delay(self, name: str) -> float:
        """Seconds the host is left alone after a fetch."""
        clock = self._roster.host(name).clock
        return self._policy.delay(clock.duration_seconds, clock.crawl_delay_seconds)

    def address_ready(self, address: str, now: float) -> float:
        """The earliest time ≥ now at which the address may be asked; `address_used` reserves it."""
        return self._roster.turns.address_ready(address, now)

    def address_used(self, address: str, when: float) -> None:
        """A request to the address starts at `when`."""
        self._roster.turns.address_used(address, when)

    def _lease(self, host: Host) -> Lease:
        row = host.window.head(self._layers, host.reading) if host.window is not None else None
        if host.window is None or row is None:
            raise FrontierError(
                f"the frontier is damaged: {host.name} should have {host.queued} URLs and has none; "
                "restore the crawl directory from a copy or start a new one"
            )
        host.window.pop()
        host.served += 1
        if host.clock.parked:
            self._totals.hosts_parked -= 1
            host.clock = host.clock._replace(parked=False)
            self._roster.save(host)
        self._leased[host.name] = (host, row)
        return lease_of(*row, host.name, host.address, host.clock.given_up)

    def _take_back(self, lease: Lease) -> tuple[Host, Row]:
        leased = self._leased.get(lease.host)
        if leased is None or leased[1][0] != lease.entry:
            raise ValueError(f"{lease.url} is not leased")
        del self._leased[lease.host]
        return leased

    def _finish(self, host: Host) -> None:
        host.queued -= 1
        host.finished += 1
        self._totals.entries -= 1
        self._totals.done += 1

    def _again(self, lease: Lease, outcome: Outcome) -> tuple[bytes, bytes] | None:
        """The place and entry of a URL that is to be fetched again; None if it is finished."""
        url, attempts, spellings = lease.url, lease.attempts, lease.spellings
        if outcome.kind is Kind.FINISHED:
            return None
        if outcome.kind is Kind.RETRY:
            if not self.may_retry(lease):
                raise ValueError(f"{url} was tried {attempts + 1} times: it cannot be tried again")
            attempts += 1
            place = self._new_place(lease.key, lease.depth)
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
        """What is known, perhaps expired: the caller compares expires_at with its time."""
        packed = self._layers.get(ROBOTS + origin.encode())
        if packed is None:
            return None
        record = robots_of(packed)
        impossible = self._totals.latest + 2 * ROBOTS_LIFETIME_SECONDS
        if record.fetched_at < self._totals.corrected_at or record.expires_at > impossible:
            return record._replace(expires_at=0.0)  # its age is not known
        return record

    def set_robots(self, origin: str, record: RobotsRecord) -> None:
        expires_at = min(record.expires_at, record.fetched_at + ROBOTS_LIFETIME_SECONDS)
        self._layers.put(ROBOTS + origin.encode(), packed_robots(record._replace(expires_at=expires_at)))

    def counts(self) -> Counts:
        t, ready = self._totals, self._roster.turns.ready
        leased = len(self._leased) + len(self._reading)
        waiting = t.hosts_with_urls - len(self._leased) - ready - t.hosts_parked
        hosts = (t.hosts, ready, waiting, t.hosts_parked)
        return Counts(t.seen, t.entries - leased, leased, t.done, t.cut, *hosts, len(self._layers))

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
        """Let go of what was written. The next `freeze` does it, too."""
        self._layers.forget(frozen)

    def abandon(self) -> None:
        """Close the store as a crash would leave it: what was not committed is forgotten."""
        with suppress(FrontierError):
            self._store.close()

    def close(self, meta: Mapping[str, bytes] | None = None) -> None:
        """Commit everything and close the store. With leases out it counts as a crash."""
        self._layers.put(STATE, packed_state(self._totals, clean=not (self._leased or self._reading)))
        self._layers.freeze().write(meta)
        self._store.close()
