"""Resolves names to addresses that may be connected to: asynchronous, with a bounded cache.

Guarantees: `Resolver.resolve` never raises for a name, whatever DNS answers. Each name is looked up once, however many
requests wait for it. An answer is used for its TTL within `minimum_ttl`…`maximum_ttl` seconds, a negative one for
`negative_ttl`. The cache holds at most `cache_size` names (the least recently used are discarded first), each with at
most MAX_ADDRESSES addresses, however many a server sends. Addresses that the guard refuses are not in the answer, so a
name that suddenly points into a private network (rebinding) has no address. /etc/hosts and search domains are not used.

c-ares (pycares) does the protocol. The event loop watches its sockets, and there is no thread. It retries once, and
asks by TCP when an answer did not fit. Without servers it reads /etc/resolv.conf. It also has a cache of its own, which
pycares cannot turn off: it keeps records for their TTL, up to an hour, without a bound. So with a shorter `maximum_ttl`
we ask c-ares again, but c-ares may not ask the server. And each channel is discarded with its cache after
QUESTIONS_PER_CHANNEL questions.
"""

import asyncio
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, NamedTuple

import pycares

from webgraph_it.fetch.dns_records import Records, read_only_the_beginning, records
from webgraph_it.fetch.guard import Address, Guard, literal
from webgraph_it.fetch.sockets import local_lack

MAX_ADDRESSES = 8
"""Maximum of addresses per name. A fetch tries two."""
QUESTIONS_PER_CHANNEL = 2_000
"""c-ares keeps 1.2 KB per name, in addition to our own cache and without a bound. After an hour of 300 new names a
second that would be 1.3 GB."""
_RECORDS_PER_QUESTION = 5
"""An answer with more records counts as several questions: c-ares keeps 0.25 KB for each."""


FAILURE_TTL_SECONDS = 30.0
NO_RESOLVER = "local-resolver"
"""No DNS server can be reached. This says nothing about the name."""


class Answer(NamedTuple):
    """The addresses of a host name, or why there are none."""

    addresses: tuple[Address, ...]
    """Addresses that may be connected to, in the server's order."""
    reason: str = ""
    """Why there are none: `nxdomain`, `no-address`, `timeout`, `server`, `name`, `forbidden/<refusal>`, or `local-…` if
    this machine could not ask, or reached no server."""
    message: str = ""


@dataclass(frozen=True, slots=True)
class DnsSettings:
    """All times in seconds."""

    servers: tuple[str, ...]
    """`address` or `address:port`; if empty, those of /etc/resolv.conf."""
    timeout: float
    """For each of the two tries."""
    minimum_ttl: float
    maximum_ttl: float
    negative_ttl: float
    cache_size: int
    ipv6: bool
    """Ask for AAAA if there is no A."""
    failure_ttl: float = FAILURE_TTL_SECONDS
    """For a timeout or a server failure, which says less than a negative answer."""
    concurrency: int = 200
    """Maximum of concurrent questions: a resolver's socket buffer drops part of a large burst."""


class AnswerCache:
    """Answers with an expiry time, at most `size` of them (pure)."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._answers: OrderedDict[str, tuple[float, Answer]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, host: str, now: float) -> Answer | None:
        entry = self._answers.get(host)
        if entry is None:
            return None
        if entry[0] <= now:
            del self._answers[host]
            return None
        self._answers.move_to_end(host)
        return entry[1]

    def put(self, host: str, answer: Answer, until: float) -> None:
        self._answers[host] = (until, answer)
        self._answers.move_to_end(host)
        if len(self._answers) > self._size:
            self._answers.popitem(last=False)


class Resolver:
    """Resolves host names and literals to the addresses that may be connected to."""

    def __init__(self, settings: DnsSettings, guard: Guard, count: Callable[[str], None]) -> None:
        self._settings = settings
        self._guard = guard
        self._count = count
        self._cache = AnswerCache(settings.cache_size)
        self._waiting: dict[str, asyncio.Future[Answer]] = {}
        self._channels: _Channels | None = None
        self._asking = 0
        self._to_ask: deque[tuple[str, str]] = deque()

    def cached(self, host: str) -> Answer | None:
        """The answer, if it is in the cache."""
        answer = self._cache.get(host, asyncio.get_running_loop().time())
        if answer is not None:
            self._count("dns/cache_hit")
        return answer

    @property
    def waiting(self) -> int:
        """How many names are being looked up."""
        return len(self._waiting)

    async def resolve(self, host: str) -> Answer:
        """The answer for `host` (a name, or an address in any spelling)."""
        answer = self.cached(host)
        return answer if answer is not None else await asyncio.shield(self._question(host))

    def ask(self, host: str) -> asyncio.Future[Answer]:
        """`resolve` as a future. Others may wait for it too, so it must not be cancelled."""
        answer = self.cached(host)
        if answer is None:
            return self._question(host)
        known: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        known.set_result(answer)
        return known

    def _question(self, host: str) -> asyncio.Future[Answer]:
        waiting = self._waiting.get(host)
        if waiting is None:
            loop = asyncio.get_running_loop()
            waiting = self._waiting[host] = loop.create_future()
            self._begin(host, loop)
        return waiting

    def _begin(self, host: str, loop: asyncio.AbstractEventLoop) -> None:
        try:
            address = literal(host)
            name = "" if address else host.removesuffix(".").encode("idna").decode("ascii")
        except ValueError as error:
            self._finish(host, Answer((), "name", str(error)), self._settings.negative_ttl)
            return
        if address is not None:
            self._finish(host, self._guarded((address,)), self._settings.maximum_ttl)
            return
        if self._channels is None:
            self._channels = _Channels(loop, self._settings)
        self._to_ask.append((host, name))
        self._ask_next()

    def _ask_next(self) -> None:
        while self._to_ask and self._asking < self._settings.concurrency:
            self._asking += 1
            self._ask(*self._to_ask.popleft(), pycares.QUERY_TYPE_A)

    def _ask(self, host: str, name: str, record_type: int) -> None:
        assert self._channels is not None
        self._count("dns/query")
        self._channels.query(
            name, record_type, lambda result, error: self._answered(host, name, record_type, result, error)
        )

    def _answered(self, host: str, name: str, record_type: int, result: Any, error: int | None) -> None:
        found, ttl = _addresses(records(result)) if error is None else ([], 0.0)
        if error is None and not found:
            error = pycares.errno.ARES_ENODATA
        if error == pycares.errno.ARES_ENODATA and self._wants_ipv6(record_type):
            self._ask(host, name, pycares.QUERY_TYPE_AAAA)
            return
        self._asking -= 1
        self._ask_next()
        if error is None:
            bounded = min(max(ttl, self._settings.minimum_ttl), self._settings.maximum_ttl)
            self._finish(host, self._guarded(found), bounded)
        elif error == pycares.errno.ARES_ECONNREFUSED and self._channels is not None:
            self._ask_whether_anybody_answers(host, error)
        else:
            self._finish_without(host, error)

    def _wants_ipv6(self, record_type: int) -> bool:
        return self._settings.ipv6 and record_type == pycares.QUERY_TYPE_A and self._channels is not None

    def _ask_whether_anybody_answers(self, host: str, error: int) -> None:
        """No server took the question. With a name that no cache holds we learn whether that is so for every name: a
        server without TCP refuses only the names whose answers are long."""
        assert self._channels is not None

        def answered(_result: Any, control: int | None) -> None:
            if control == error and not local_lack():
                message = f"{host}: {pycares.errno.strerror(error)!s}"
                self._finish(host, Answer((), NO_RESOLVER, message), 0.0)
            else:
                self._finish_without(host, error)

        self._channels.query(f"x{secrets.token_hex(8)}.invalid", pycares.QUERY_TYPE_A, answered)

    def _finish_without(self, host: str, error: int) -> None:
        reason = _REASONS.get(error, "server")
        message = f"{host}: {pycares.errno.strerror(error)!s}"
        if reason in _NEGATIVE:
            self._finish(host, Answer((), reason, message), self._settings.negative_ttl)
        elif (
            lack := local_lack()
        ):  # c-ares does not say why it could not ask; nothing is learnt about the name
            self._finish(host, Answer((), lack, message), 0.0)
        else:
            self._finish(host, Answer((), reason, message), self._settings.failure_ttl)

    def _guarded(self, found: Sequence[Address]) -> Answer:
        refusals = {address: self._guard.refusal(address) for address in found}
        allowed = tuple(address for address, refusal in refusals.items() if refusal is None)
        if allowed:
            for dropped in filter(None, refusals.values()):
                self._count(f"dns/dropped/{dropped.value}")
            return Answer(allowed[:MAX_ADDRESSES])
        address, refusal = next(iter(refusals.items()))
        assert refusal is not None
        return Answer(
            (), f"forbidden/{refusal.value}", f"{address} is not connected to ({refusal.value} address)"
        )

    def _finish(self, host: str, answer: Answer, ttl: float) -> None:
        waiting = self._waiting.pop(host, None)
        if waiting is None or waiting.done():
            return
        loop = waiting.get_loop()
        self._cache.put(host, answer, loop.time() + ttl)
        self._count(f"dns/{answer.reason}" if answer.reason else "dns/resolved")
        waiting.set_result(answer)

    def close(self) -> None:
        """Stop. Lookups that still wait get the answer `server`."""
        self._to_ask.clear()
        if self._channels is not None:
            self._channels.close()
            self._channels = None
        for host in list(self._waiting):
            self._finish(host, Answer((), "server", f"{host}: the resolver was closed"), 0.0)


def _addresses(found_records: Records) -> tuple[list[Address], float]:
    """The addresses of an answer, each once, and its shortest TTL, including those of aliases."""
    found: dict[Address, None] = {}
    ttl = float("inf")
    for record in found_records.answer:
        ttl = min(ttl, record.ttl)
        if record.type in (pycares.QUERY_TYPE_A, pycares.QUERY_TYPE_AAAA):
            found[ip_address(record.data.addr)] = None
    return list(found), ttl


_REASONS: dict[int, str] = {
    pycares.errno.ARES_ENOTFOUND: "nxdomain",
    pycares.errno.ARES_ENODATA: "no-address",
    pycares.errno.ARES_ETIMEOUT: "timeout",
    pycares.errno.ARES_EBADNAME: "name",
    pycares.errno.ARES_ECANCELLED: "server",
}
_NEGATIVE = ("nxdomain", "no-address", "name")


Done = Callable[[Any, int | None], None]


class _Channels:
    """A sequence of channels: the last takes new questions, the earlier ones wait for their remaining answers."""

    def __init__(self, loop: asyncio.AbstractEventLoop, settings: DnsSettings) -> None:
        self._loop = loop
        self._settings = settings
        self._open: list[_Channel] = []

    def __len__(self) -> int:
        return len(self._open)

    def query(self, name: str, record_type: int, done: Done) -> None:
        """Ask. `done` is called with the result or the error, never before this returns. Does not raise."""
        try:
            self._ask(name, record_type, done)
        except pycares.AresError as error:
            self._loop.call_soon(done, None, error.args[0])

    def _ask(self, name: str, record_type: int, done: Done) -> None:
        if not self._open or self._open[-1].asked >= QUESTIONS_PER_CHANNEL:
            self._open.append(_Channel(self._loop, self._settings))
        if len(self._open) > 1:
            self._leave_finished()
        self._open[-1].query(name, record_type, done)

    def _leave_finished(self) -> None:
        *before, last = self._open
        self._open = [*(channel for channel in before if channel.pending), last]
        for channel in before:
            if not channel.pending:
                channel.close()

    def close(self) -> None:
        for channel in self._open:
            channel.close()
        self._open.clear()


class _Channel:
    """A c-ares channel whose sockets the event loop watches."""

    def __init__(self, loop: asyncio.AbstractEventLoop, settings: DnsSettings) -> None:
        self._loop = loop
        self._tick_seconds = min(0.25, settings.timeout / 4)
        self.asked = 0
        self.pending = 0
        self._watched: set[int] = set()
        self._closed = False
        self._timer: asyncio.TimerHandle | None = None
        read_only_the_beginning()
        self._channel = pycares.Channel(
            sock_state_cb=self._watch,
            timeout=settings.timeout,
            tries=2,
            servers=list(settings.servers) or None,
            lookups="b",
        )

    def query(self, name: str, record_type: int, done: Done) -> None:
        self.asked += 1
        self.pending += 1
        is_answered = False

        def answered(result: Any, error: int | None) -> None:
            nonlocal is_answered
            is_answered = True
            self.pending -= 1
            if result is not None:
                self.asked += records(result).sent // _RECORDS_PER_QUESTION
            self._loop.call_soon(done, result, error)

        try:
            self._channel.query(name, record_type, callback=answered)
        except pycares.AresError:
            if not is_answered:  # without a free file descriptor, c-ares raises and calls back
                self.pending -= 1
                raise
        if self._timer is None:
            self._timer = self._loop.call_later(self._tick_seconds, self._tick)

    def _watch(self, fd: int, readable: bool, writable: bool) -> None:
        if self._closed:  # c-ares closes its sockets later, in its own thread
            return
        self._watched.add(fd)
        if readable:
            self._loop.add_reader(fd, self._channel.process_read_fd, fd)
        else:
            self._loop.remove_reader(fd)
        if writable:
            self._loop.add_writer(fd, self._channel.process_write_fd, fd)
        else:
            self._loop.remove_writer(fd)
        if not (readable or writable):
            self._watched.discard(fd)

    def _tick(self) -> None:
        """Let c-ares process its timeouts while it waits for something."""
        self._timer = None
        self._channel.process_fd(pycares.ARES_SOCKET_BAD, pycares.ARES_SOCKET_BAD)
        if self.pending:
            self._timer = self._loop.call_later(self._tick_seconds, self._tick)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._channel.cancel()
        self._closed = True
        for fd in self._watched:
            self._loop.remove_reader(fd)
            self._loop.remove_writer(fd)
        self._channel.close()
