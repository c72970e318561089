"""One politeness for the whole fleet: which member may ask an address, and until when.

An address (for IPv6 the /64 network) is leased to one member for LEASE_SECONDS. Within the lease, the member's own
address clock decides. Messages may be lost or late, members may stand still, the broker may forget everything. Five
rules keep two requests to an address at least ADDRESS_DELAY apart, whichever members send them:

1. a member counts a lease's life from when it ASKED, less MARGIN_SECONDS, and checks it when it sends a request;
2. a lease that began less than ADDRESS_DELAY after another member's is FRESH: its holder first waits ADDRESS_DELAY.
   It stays fresh for that long, because the first answer may be lost;
3. what a member gives up, it gives up before it says so;
4. a broker that has lost its memory grants nothing until every lease that it may have forgotten has run out;
5. a message that comes after a later one of the same process is ignored.

Whoever waits for an address gets it in the order of asking. While others wait, the holder is told. It gives the address
up when it could use it for TURN_SECONDS, or at once if it does not need it, and its lease is not extended after that.
`AddressBook` is the broker's side, `AddressLeases` the member's. Both are pure; the time is an argument.
"""

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import NamedTuple

from webgraph_it.fleet.shares import MARGIN_SECONDS, fenced_words
from webgraph_it.fleet.transport import LEASE_SECONDS, Fenced, Granted

WAITING_SECONDS = 3.0
"""How long a member that was refused an address stays in the queue for it without asking again."""
TURN_SECONDS = 3.0
RENEW_SECONDS = 2.5
"""A lease that is still needed is renewed when less is left of it."""
WANTED_SECONDS = 5.0
"""How long a request that is not the frontier's own (a redirected robots.txt) keeps an address wanted."""
LOOK_SECONDS = 0.5
"""How often leases are looked through, and refused addresses asked for again."""
MAX_BATCH = 256
"""Addresses in one message."""
MAX_RECALLED = 256


class Asked(NamedTuple):
    """Names one question of one process."""

    epoch: int
    question: int


@dataclass(slots=True)
class Entry:
    """One address, in the broker."""

    holder: int
    epoch: int
    until: float
    fresh_until: float
    """Another member may have asked the address up to ADDRESS_DELAY before this time."""
    turn_until: float
    """Until then the lease is extended even if others wait: its holder may have had to wait first."""
    waiting: dict[int, float] = field(default_factory=dict)
    """Member → until when it counts as waiting; in the order of asking."""

    def first_in_line(self, now: float) -> int | None:
        return next((member for member, until in self.waiting.items() if until > now), None)

    def is_over(self, delay_seconds: float, now: float) -> bool:
        """Whether it makes no difference to forget it."""
        return self.until + delay_seconds <= now and self.first_in_line(now) is None


@dataclass(slots=True)
class AddressBook:
    """The broker's memory of leases. `entries` may live elsewhere; an entry that was changed is put back."""

    delay_seconds: float
    began: float
    """When it had no memory."""
    entries: MutableMapping[str, Entry]
    recalled: dict[int, dict[str, None]] = field(default_factory=dict)
    """Holder → addresses that others wait for, to be told once."""
    asked: dict[int, Asked] = field(default_factory=dict)

    def lease(
        self, member: int, asked: Asked, wanted: Sequence[str], given_up: Sequence[str], now: float
    ) -> Granted:
        """Take back what is given up, then grant what is free. Raises Fenced as a Ledger does."""
        if not self._is_next(member, asked):
            return Granted()
        epoch = asked.epoch
        for name in given_up:
            entry = self.entries.get(name)
            if entry is not None and (entry.holder, entry.epoch) == (member, epoch) and entry.until > now:
                entry.until = now
                self.entries[name] = entry
        leased: dict[str, float] = {}
        fresh = set()
        for name in wanted:
            entry = self._granted(name, member, epoch, now)
            if entry is not None:
                leased[name] = entry.until - now
                if entry.fresh_until > now:
                    fresh.add(name)
        return Granted(leased, frozenset(fresh), self._recalled(member))

    def _is_next(self, member: int, asked: Asked) -> bool:
        known = self.asked.get(member)
        if known is not None:
            if known.epoch > asked.epoch:
                raise Fenced(fenced_words(member))
            if known.epoch == asked.epoch and known.question >= asked.question:
                return False
        self.asked[member] = asked
        return True

    def _granted(self, name: str, member: int, epoch: int, now: float) -> Entry | None:
        entry = self.entries.get(name)
        if entry is None:
            if now < self.began + LEASE_SECONDS:
                return None
            forgotten_until = self.began + LEASE_SECONDS + self.delay_seconds
            entry = Entry(member, epoch, now + LEASE_SECONDS, forgotten_until, now)
            self._begin_turn(entry, now)
        else:
            entry.waiting = {each: until for each, until in entry.waiting.items() if until > now}
            is_own = (entry.holder, entry.epoch) == (member, epoch)
            if entry.until > now and not is_own:
                entry.waiting[member] = now + WAITING_SECONDS
                self.entries[name] = entry
                if entry.holder != member:
                    self.recalled.setdefault(entry.holder, {})[name] = None
                return None
            first = entry.first_in_line(now)
            if entry.until > now:
                if first is None or first == member or now < entry.turn_until:
                    entry.until = now + LEASE_SECONDS
            elif first is not None and first != member:
                entry.waiting[member] = now + WAITING_SECONDS
                self.entries[name] = entry
                return None
            else:
                if not is_own:
                    entry.fresh_until = entry.until + self.delay_seconds
                entry.holder, entry.epoch, entry.until = member, epoch, now + LEASE_SECONDS
                entry.waiting.pop(member, None)
                self._begin_turn(entry, now)
        self.entries[name] = entry
        return entry

    def _begin_turn(self, entry: Entry, now: float) -> None:
        is_fresh = entry.fresh_until > now
        entry.turn_until = now + (self.delay_seconds if is_fresh else 0.0) + TURN_SECONDS

    def _recalled(self, member: int) -> frozenset[str]:
        """Some of the member's addresses that others wait for, each once."""
        recalled = self.recalled.get(member, {})
        named = frozenset(islice(recalled, MAX_RECALLED))
        for name in named:
            del recalled[name]
        return named


@dataclass(slots=True)
class _Held:
    until: float
    ready_at: float
    """No request before this time, because it was fresh."""
    recalled: bool = False


@dataclass(slots=True)
class _Wanted:
    until: float
    """After this time, only while it is needed."""
    ask_at: float


class AddressLeases:
    """The member's side: which addresses it may ask now."""

    def __init__(self, delay_seconds: float) -> None:
        self._delay_seconds = delay_seconds
        self._held: dict[str, _Held] = {}
        self._wanted: dict[str, _Wanted] = {}
        self._renewals_due = -inf

    def __repr__(self) -> str:
        return f"<AddressLeases {len(self._held)} held, {len(self._wanted)} wanted>"

    @property
    def held(self) -> int:
        """How many leases it has, including some that have just run out."""
        return len(self._held)

    def ready_at(self, name: str, now: float) -> float:
        """When the lease allows a request: not after `now` if it does now, infinity if there is no lease."""
        held = self._held.get(name)
        return inf if held is None or held.until <= now else held.ready_at

    def want(self, name: str, now: float) -> None:
        """The next question asks for it."""
        wanted = self._wanted.get(name)
        if wanted is None:
            self._wanted[name] = _Wanted(now + WANTED_SECONDS, now)
        else:
            wanted.until = now + WANTED_SECONDS

    def ask(self, is_needed: Callable[[str], bool], now: float) -> tuple[list[str], list[str]]:
        """What to ask for and what to give up. What is given up may not be asked from now on.

        `is_needed` says whether somebody in the frontier waits for an address or is on the way to it.
        """
        wanted: list[str] = []
        given_up: list[str] = []
        if now >= self._renewals_due:
            self._renewals_due = now + LOOK_SECONDS
            wanted, given_up = self._looked_through(is_needed, now)
        return wanted + self._new(is_needed, MAX_BATCH - len(wanted), now), given_up

    def _looked_through(self, is_needed: Callable[[str], bool], now: float) -> tuple[list[str], list[str]]:
        """Leases to renew, and leases to give up."""
        renewed: list[str] = []
        given_up: list[str] = []
        for name, held in list(self._held.items()):
            if held.until <= now:
                del self._held[name]
                if is_needed(name):
                    self.want(name, now)
                continue
            needed = is_needed(name)
            if held.recalled and (not needed or now >= held.ready_at + TURN_SECONDS):
                del self._held[name]
                given_up.append(name)
                if needed:
                    self._wanted[name] = _Wanted(now + WANTED_SECONDS, now + LOOK_SECONDS)
                continue
            if needed and held.until - now < RENEW_SECONDS and len(renewed) < MAX_BATCH:
                renewed.append(name)
        return renewed, given_up

    def _new(self, is_needed: Callable[[str], bool], most: int, now: float) -> list[str]:
        """Up to `most` wanted addresses that were not asked for a moment ago."""
        new: list[str] = []
        for name, wanted in list(self._wanted.items()):
            if name in self._held or (wanted.until <= now and not is_needed(name)):
                del self._wanted[name]
            elif wanted.ask_at <= now and len(new) < most:
                wanted.ask_at = now + LOOK_SECONDS
                self._wanted[name] = self._wanted.pop(name)  # the others come first next time
                new.append(name)
        return new

    def answered(self, granted: Granted, asked_at: float, now: float) -> dict[str, float]:
        """Take the answer to the question asked then. Returns the new leases, and when each may be used first."""
        new = {}
        for name, seconds in granted.leased.items():
            until = asked_at + seconds - MARGIN_SECONDS
            held = self._held.get(name)
            if held is not None and held.until > now:
                held.until = max(held.until, until)
            elif until > now:
                new[name] = now + self._delay_seconds if name in granted.fresh else now
                self._held[name] = _Held(until, new[name])
                self._wanted.pop(name, None)
        for name in granted.wanted_by_others:
            if name in self._held:
                self._held[name].recalled = True
        return new

    def give_all_up(self) -> list[str]:
        """The crawl ends."""
        names = list(self._held)
        self._held.clear()
        self._wanted.clear()
        return names
