"""One host: its counters, its clock, its place in the line, and the head of its queue."""

from dataclasses import dataclass, field

from .layout import HOST_HEAD, HOST_TAIL, LINE_PLACE, PLACE, queue_of
from .politeness import Clock
from .records import Failure, HostReport
from .window import Window

PARKED, GIVEN_UP = 1, 2
FAILURE_SHIFT = 2
"""The bits of `flags` above the first two are the value of the last Failure."""
TAIL_MARK = b"\0"
"""Between the address and the tail; no address contains it."""
_AFTER_LINE = bytes(PLACE.size)
NEW = Clock()


@dataclass(slots=True, eq=False)
class Host:
    """What is known about one host. `served`, the windows, `reading` and `looked_up` exist only while it is active."""

    name: str
    queued: int = 0
    """Entries in its queue, including the leased one and those being read."""
    accepted: int = 0
    finished: int = 0
    failed: int = 0
    clock: Clock = NEW
    line: bytes = b""
    """Its place in the line; empty if it has no URLs."""
    lowest: bytes = b""
    """Its queue has no entry before this place."""
    address: str = ""
    prefix: bytes = field(default=b"", repr=False)
    """Prefix of its queue's keys."""
    served: int = 0
    """Leases since it became active."""
    window: Window | None = field(default=None, repr=False)
    reading: list[bytes] = field(default_factory=list, repr=False)
    """Entries that were answered and are not done. While there are any, the host stays active."""
    looked_up: bool = field(default=False, repr=False)
    """Its name was just looked up and did not resolve."""
    planned: int = 0
    """Planned re-visits, as `queued`."""
    credit: float = 0.0
    """The part of a turn that re-visits have not had yet."""
    lowest_planned: bytes = b""
    revisits: Window | None = field(default=None, repr=False)
    """The window on its re-visits."""

    def __post_init__(self) -> None:
        self.prefix = queue_of(self.name)

    @property
    def entries(self) -> int:
        """Of both queues."""
        return self.queued + self.planned

    def packed(self) -> bytes:
        ready_at, crawl_delay, duration, failures, parkings, parked, given_up, failure = self.clock
        head = HOST_HEAD.pack(
            self.queued,
            self.accepted,
            self.finished,
            self.failed,
            ready_at,
            crawl_delay,
            duration,
            failures,
            parkings,
            PARKED * parked | GIVEN_UP * given_up | failure.value << FAILURE_SHIFT,
            self.line,
            self.lowest,
        )
        if not self.planned:
            return head + self.address.encode()
        tail = HOST_TAIL.pack(self.planned, self.credit, self.lowest_planned)
        return head + self.address.encode() + TAIL_MARK + tail

    @classmethod
    def unpacked(cls, name: str, packed: bytes) -> "Host":
        fields = HOST_HEAD.unpack_from(packed)
        flags, line, lowest = fields[9:]
        parked, given_up = bool(flags & PARKED), bool(flags & GIVEN_UP)
        clock = Clock._make((*fields[4:9], parked, given_up, Failure(flags >> FAILURE_SHIFT)))
        queued, accepted, finished, failed = fields[:4]
        address, mark, tail = packed[HOST_HEAD.size :].partition(TAIL_MARK)
        host = cls(
            *(name, queued, accepted, finished, failed, clock, line.strip(b"\0") and line, lowest),
            address.decode(),
        )
        if mark:
            host.planned, host.credit, host.lowest_planned = HOST_TAIL.unpack(tail)
        return host

    def report(self) -> HostReport:
        counters = (self.queued, self.accepted, self.finished, self.failed)
        clock = self.clock
        return HostReport(self.name, *counters, clock.ready_at, clock.parked, clock.given_up, self.address)


def packed_new(line: bytes) -> bytes:
    """`packed` of a new host with one URL at this place in the line, without making a Host."""
    return _BEFORE_LINE + line + _AFTER_LINE


_BEFORE_LINE = Host("", queued=1, accepted=1).packed()[: -LINE_PLACE.size - PLACE.size]
