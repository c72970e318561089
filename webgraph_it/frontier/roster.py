"""Which hosts are in memory, and whose turn it is.

    no URLs      only its record is in the store
    in a line    it has URLs and waits on disk, ordered by time, to become active
    active       in memory, with the head of its queue: at most ACTIVE_HOSTS
    leased       active, and one of its URLs is being fetched
    resting      active, and has only pages that are being read, or leaves when they are

An active host keeps its place in the line on disk until it leaves the line for good. So the next opening after a crash
finds it there. When all active places are taken and others wait, a host goes back to the line after QUANTUM leases, or
at once if it has to wait long. So memory is bounded, and every host is served. If there are few hosts, all are active
and take turns.

There are two lines: hosts whose address is known, and first contacts. The lines take turns, so a page that links to a
hundred thousand new hosts does not make known hosts wait, nor the other way round. At most MAX_STRANGERS first contacts
that are not yet located are active.
"""

from collections.abc import Iterator
from itertools import count
from typing import overload

from webgraph_it.urls.rules import Rules

from .hosts import Host, packed_new
from .layers import Layers
from .layout import FIRST_CONTACT, FIRST_LINE, HOST, KNOWN_LINE, LINE, LINE_PLACE, revisits_of
from .politeness import Politeness
from .state import Totals
from .store import Row
from .turns import Turns
from .window import Window

ACTIVE_HOSTS = 6_000
"""With a delay of 1 s they allow 6,000 pages/s. Each holds about PREFETCH entries of about 350 bytes."""
PREFETCH = 16
"""Entries of an active host that are read at once."""
QUANTUM = 16
"""Leases of an active host before it makes room, if others wait."""
MAX_STRANGERS = 1_000
"""Maximum of active hosts whose address is not yet known."""
LINE_PREFETCH = 500
WAKE_AT_ONCE = 64
"""Hosts that become active at a time: reading their records together is cheaper."""
MAX_LOOKED_AT = 256
"""Maximum of hosts in line that one `take` examines without success: very many may be too early for their address."""
LONG_WAIT_SECONDS = 60.0
"""A host that has to wait longer goes to the line."""
SHORT_WAIT_SECONDS = 5.0
"""The same, when others wait for its place."""
SLACK_SECONDS = 3_600.0
"""Margin above the longest delay, because a host may also wait for its address."""


NOBODY = Host("")
"""The clock of a host that was never asked."""


class Roster:
    """Every host is in exactly one of the five states above."""

    def __init__(self, layers: Layers, totals: Totals, policy: Politeness, opened_at: float) -> None:
        self._layers = layers
        self._totals = totals
        self._policy = policy
        self.rules = Rules()
        self._active: dict[str, Host] = {}
        self._known_line = Window(KNOWN_LINE, LINE_PREFETCH)
        self._first_line = Window(FIRST_LINE, LINE_PREFETCH)
        self._was_first = False
        """Whether the last host that became active was a first contact."""
        self.resting: set[Host] = set()
        self.turns = Turns(policy.address_delay_seconds, opened_at)

    def policy_of(self, name: str) -> Politeness:
        """The crawl's, with the delay that a rule sets for this host."""
        rule = self.rules.of_host(name) if self.rules else None
        if rule is None or rule.delay is None:
            return self._policy
        return self._policy._replace(host_delay_seconds=rule.delay)

    def hasten(self, host: Host, when: float) -> None:
        """A host with URLs, which is not leased, may be asked at `when`: whatever it waited for is over then."""
        if host.name in self._active:
            self.turns.hasten(host, when)
        else:
            self._layers.remove(LINE + host.line)
            self._enlist(host, when)

    def host(self, name: str) -> Host:
        """The host; a new one if it was never saved. A change takes effect when it is saved."""
        host = self._active.get(name)
        if host is not None:
            return host
        packed = self._layers.get(HOST + name.encode())
        return Host(name) if packed is None else Host.unpacked(name, packed)

    def known(self, names: set[str]) -> dict[str, Host]:
        """`host` of each that was ever saved, with one lookup in the store for all."""
        found = {name: self._active[name] for name in names if name in self._active}
        others = {HOST + name.encode(): name for name in names if name not in found}
        for key, packed in self._layers.get_many(others).items():
            if packed is not None:
                found[others[key]] = Host.unpacked(others[key], packed)
        return found

    def enter_new(self, names: list[bytes], first_number: int, now: float) -> None:
        """`enter` and `save` of each host, for new hosts that have their first URL.

        They take every second sequence number; those in between are for their URLs.
        """
        microseconds = FIRST_CONTACT | int(max(self.earliest(NOBODY), now) * 1e6)
        rows: list[Row] = []
        hosts: dict[bytes, bytes] = {}
        for number, name in zip(count(first_number, 2), names):
            line = LINE_PLACE.pack(microseconds, number)
            rows.append((LINE + line, name))
            hosts[HOST + name] = packed_new(line)
        self._layers.append_rows(FIRST_LINE, rows)
        self._layers.put_all(hosts)
        self._first_line.offer_rows(rows)
        self._totals.hosts_with_urls += len(names)

    def save(self, host: Host) -> None:
        self._layers.put(HOST + host.name.encode(), host.packed())

    def enter(self, host: Host, now: float) -> None:
        """A host that had no URLs has one now, and joins the line."""
        self._totals.hosts_with_urls += 1
        self._totals.hosts_parked += host.clock.parked
        self._enlist(host, max(self.earliest(host), now))

    def take(self, now: float) -> Host | None:
        """An active host that may be asked now; the caller gives it back with `put`.

        None if there is none, or if the first MAX_LOOKED_AT could not be asked; then `wake_at` is now.
        """
        looked_at = self._wake(now)
        while True:
            host = self.turns.take(now)
            self._send_away(now)
            if host is not None or looked_at >= MAX_LOOKED_AT:
                return host
            woken = self._wake(now)
            if not woken:
                return None
            looked_at += woken

    def put(self, host: Host, now: float) -> None:
        """A host that was taken, or was resting, now waits for its next turn, rests, or leaves if it has no URLs."""
        self.resting.discard(host)
        if host.entries == len(host.reading):
            self._rest_or_leave(host)
            return
        ready_at = self.earliest(host)
        makes_room = self._should_make_room(host, ready_at - now, now)
        if makes_room and host.reading:
            self.resting.add(host)
            return
        if makes_room:
            self._move_to_line(host, max(ready_at, now))
        else:
            self.turns.put(host, ready_at, now)

    def _rest_or_leave(self, host: Host) -> None:
        """Called when none of its URLs can be leased."""
        if host.reading:
            self.resting.add(host)
            return
        self._deactivate(host)
        self._totals.hosts_with_urls -= 1
        self._totals.hosts_parked -= host.clock.parked
        host.line = host.lowest = host.lowest_planned = b""

    def wake_at(self) -> float | None:
        """When `take` may have something. A past time means now. None means not before the next `put`."""
        times = [self.turns.wake_at()]
        if self._room():
            times += [_time(line.head(self._layers)) for line in self._open_lines()]
        return min((time for time in times if time is not None), default=None)

    def waits(self, most_in_line: int) -> Iterator[tuple[Host, float, bool]]:
        """As Turns.waits, and the first hosts of each line."""
        yield from self.turns.waits()
        for line in (KNOWN_LINE, FIRST_LINE):
            for row in self._layers.scan(line, line, most_in_line):
                name = row[1].decode()
                if name not in self._active:
                    host = self.host(name)
                    if host.line == row[0][1:]:
                        yield host, _time(row), False

    def earliest(self, host: Host) -> float:
        """When its clock allows a request; after a crash, not before its delay since the opening."""
        clock, unknown_until = host.clock, self._totals.unknown_until
        if not unknown_until:
            return clock.ready_at
        delay = self.policy_of(host.name).delay(clock.duration_seconds, clock.crawl_delay_seconds)
        return max(clock.ready_at, unknown_until + delay)

    def _should_make_room(self, host: Host, wait_seconds: float, now: float) -> bool:
        if wait_seconds > LONG_WAIT_SECONDS:
            return True
        if host.served < QUANTUM and wait_seconds <= SHORT_WAIT_SECONDS:
            return False
        return self._room() < WAKE_AT_ONCE and self._line_is_due(now)

    def _room(self) -> int:
        return ACTIVE_HOSTS - len(self._active)

    def _line_is_due(self, now: float) -> bool:
        return any(self._is_due(line, now) for line in self._open_lines())

    def _open_lines(self) -> Iterator[Window]:
        """The lines whose hosts may become active if there is room."""
        yield self._known_line
        if self.turns.strangers < MAX_STRANGERS:
            yield self._first_line

    def _is_due(self, line: Window, now: float) -> bool:
        """Does not wait for a time that no delay can explain: `_correct_clock` corrects the host's clock."""
        time = _time(line.head(self._layers))
        return time is not None and (time <= now or time > now + self._policy.longest_seconds + SLACK_SECONDS)

    def _next_line(self, now: float) -> Window | None:
        """The line that is due; if both are, the one that was not served last."""
        due = [line for line in self._open_lines() if self._is_due(line, now)]
        if not due:
            return None
        line = due[0] if self._was_first else due[-1]
        self._was_first = line is self._first_line
        return line

    def _wake(self, now: float) -> int:
        """Make some hosts active whose time has come, as far as there is room.

        While other hosts are ready, it waits for room for WAKE_AT_ONCE. Hosts that had their QUANTUM make room.
        """
        room = min(WAKE_AT_ONCE, self._room())
        if room < WAKE_AT_ONCE and self.turns.ready:
            return 0
        due: list[Row] = []
        while len(due) < room and (line := self._next_line(now)) is not None:
            due.append(line.pop())
        if due:
            packed = self._layers.get_many(HOST + name for _, name in due)
            for place, name in due:
                self._wake_one(place[1:], name.decode(), packed[HOST + name], now)
        return len(due)

    def _wake_one(self, place: bytes, name: str, packed: bytes | None, now: float) -> None:
        """Make a host active, unless it is active already or has another place in the line by now.

        A crash may leave a host at the place it had before it was asked. If it has to wait, it gets a new place.
        """
        if packed is None or name in self._active:
            return
        host = Host.unpacked(name, packed)
        if host.line != place:
            return
        self._correct_clock(host, now)
        ready_at = self.earliest(host)
        if self._should_make_room(host, ready_at - now, now):
            self._layers.remove(LINE + place)
            self._enlist(host, ready_at)
            self.save(host)
        else:
            self._activate(host, ready_at, now)

    def _correct_clock(self, host: Host, now: float) -> None:
        """Limit the clock to the longest delay from now, whatever was stored."""
        latest = now + self._policy.longest_seconds
        if host.clock.ready_at > latest + SLACK_SECONDS:
            host.clock = host.clock._replace(ready_at=latest)

    def _activate(self, host: Host, ready_at: float, now: float) -> None:
        host.window = Window(host.prefix, PREFETCH, host.prefix + host.lowest)
        if host.planned:
            open_revisits(host)
        host.served = 0
        self._active[host.name] = host
        self.turns.put(host, ready_at, now)

    def _send_away(self, now: float) -> None:
        overcrowded = self.turns.overcrowded
        while overcrowded:
            host, when = overcrowded.pop()
            self._move_to_line(host, max(when, now))
            self.save(host)

    def _move_to_line(self, host: Host, when: float) -> None:
        self._deactivate(host)
        self._enlist(host, when)

    def _deactivate(self, host: Host) -> None:
        del self._active[host.name]
        self._layers.remove(LINE + host.line)
        host.window = host.revisits = None

    def _enlist(self, host: Host, when: float) -> None:
        microseconds, name, window = int(when * 1e6), KNOWN_LINE, self._known_line
        if not host.address:
            microseconds, name, window = FIRST_CONTACT | microseconds, FIRST_LINE, self._first_line
        host.line = LINE_PLACE.pack(microseconds, self._totals.next_number())
        row = (LINE + host.line, host.name.encode())
        self._layers.append(name, *row)
        window.offer(row)


def open_revisits(host: Host) -> Window:
    """The window on the planned re-visits of an active host."""
    prefix = revisits_of(host.name)
    host.revisits = Window(prefix, PREFETCH, prefix + host.lowest_planned)
    return host.revisits


@overload
def _time(row: Row) -> float: ...
@overload
def _time(row: Row | None) -> float | None: ...
def _time(row: Row | None) -> float | None:
    """The time of a place in a line."""
    if row is None:
        return None
    microseconds: int = LINE_PLACE.unpack_from(row[0], 1)[0]
    return (microseconds & ~FIRST_CONTACT) / 1e6
