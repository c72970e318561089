"""What carries a fleet's messages: two small interfaces, and the records that pass through them.

`Mailboxes` carries links and statuses, `Broker` hands out shares of the two caps and leases of addresses. Every
implementation passes the same contract tests. None of them needs to be reliable: it may lose, double, delay and
reorder everything, at any time. It must not change what it delivers, and it must refuse an older epoch.

An epoch counts the starts of a member. The transport knows the highest epoch of each member that it was given since it
last lost its memory. A call with a lower one raises Fenced: a newer process runs on a copy of that member.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

SHARE_SECONDS = 5.0
"""How long a share lasts, from the moment when the member asked for it."""
LEASE_SECONDS = 5.0
"""How long an address is leased, counted in the same way."""
MAX_BATCH_BYTES = 256 * 1024
"""Of `Batch.lines`, unless it is a single longer line."""


class TransportError(Exception):
    """The transport cannot be reached now, in one sentence. The caller tries again later; nothing is lost."""


class NoLibraryError(TransportError):
    """The transport needs a package that is not installed. The sentence says which."""


class Fenced(Exception):
    """A newer process of the same member has started. The caller must stop fetching and end without a commit."""


class Batch(NamedTuple):
    """A range of a sender's link log, and those of its lines that belong to the receiver."""

    sender: int
    receiver: int
    epoch: int
    """Of the sender."""
    begin: int
    """Byte offset in the sender's log."""
    end: int
    """The next batch begins here."""
    lines: bytes
    """Whole lines; perhaps none. Not checked yet: the receiver recomputes names and checks scope and sizes."""


class Board(NamedTuple):
    """The notice board at one moment."""

    run: str
    """Names the transport's memory. Another value than last time: all that was published and put may be lost."""
    statuses: Mapping[int, bytes]
    """Member → what it last put. Not checked yet."""


class Mailboxes(Protocol):
    """Links and statuses, between the members."""

    @property
    def needs_publishing(self) -> bool:
        """False if receivers read the senders' logs themselves: then nobody calls `publish`."""

    async def publish(self, batch: Batch) -> None:
        """Put a batch into its receiver's mailbox."""

    async def collect(self, receiver: int, cursors: Mapping[int, int]) -> Sequence[Batch]:
        """Batches for the receiver, some of those that it was not given yet. `cursors` says how far it has taken in
        each sender's log; a transport without mailboxes of its own reads on from there."""

    async def put(self, member: int, epoch: int, status: bytes) -> None:
        """Replace the member's status on the notice board."""

    async def board(self) -> Board:
        """All statuses."""

    async def close(self) -> None:
        """No other method may be called afterwards."""


class Amounts(NamedTuple):
    """Of the two caps that the fleet has as one crawl."""

    bandwidth: int
    """Millionths of what the bandwidth plan allows now. So a change of the plan applies to all shares at once."""
    connections: int


ALL_BANDWIDTH = 1_000_000
NOTHING = Amounts(0, 0)


@dataclass(frozen=True, slots=True)
class Report:
    """What a member tells the broker every second."""

    member: int
    epoch: int
    question: int
    """Counts the reports of this run. Only the answer to the last one is believed."""
    used: Amounts
    """The maximum that it may use until it gets the answer."""
    wanted: Amounts


@dataclass(frozen=True, slots=True)
class Share:
    """What a member may use until `asked + seconds`, where `asked` is when it sent the report."""

    question: int
    amounts: Amounts
    seconds: float = SHARE_SECONDS


@dataclass(frozen=True, slots=True)
class Granted:
    """The broker's answer about addresses."""

    leased: Mapping[str, float] = field(default_factory=dict)
    """Address → seconds that the lease lasts, from the moment of asking."""
    fresh: frozenset[str] = frozenset()
    """Those of `leased` that another member may have asked a moment ago: the holder first waits ADDRESS_DELAY."""
    wanted_by_others: frozenset[str] = frozenset()
    """Addresses that this member holds and others wait for: give them up soon."""


class Broker(Protocol):
    """One budget and one politeness for all members."""

    async def exchange(self, report: Report) -> Share:
        """Report what is used and wanted; get a share. TransportError: there is none, and the old one runs out."""

    async def lease_addresses(
        self, member: int, epoch: int, wanted: Sequence[str], given_up: Sequence[str]
    ) -> Granted:
        """Ask for addresses (IPv6: the /64 network) in one batch, and give others back."""

    async def close(self) -> None:
        """No other method may be called afterwards."""
