"""A host of another member, borrowed for one request: its robots.txt, to which that of an own host redirects. Pure.

    borrower   want(host) ─► status.borrows ─────────────┐              ┌─► may begin ─► request ─► returned
    owner                              look ─► host is free? ─► status.lent          host rests ◄─ not wanted any more

Both write only into their own statuses. So nothing new is needed from the transport, and whatever it loses is written
again. Each wish has a ticket, so that an old answer is not taken for a new one.

Guarantees: while a host is lent, its owner leases none of its URLs, and lends it to nobody else; afterwards it rests
for its delay. A borrower begins its request within BEGIN_SECONDS of seeing that it may, or not at all. An owner whose
borrower has died takes the host back after LOAN_SECONDS, when the request has ended in any case.
"""

from collections.abc import Callable, Mapping
from math import inf
from typing import NamedTuple

BEGIN_SECONDS = 10.0
LOAN_SECONDS = 180.0
"""More than BEGIN_SECONDS and the longest fetch together (DOWNLOAD_TIMEOUT is 60 s)."""
FORGOTTEN_SECONDS = 30.0
"""A wish that nobody repeated for so long is dropped: its page was given up, or its origin blocked."""


class Loan(NamedTuple):
    """A host that is lent."""

    borrower: int
    ticket: int


class _Wish:
    """A host that is wanted, from the first question to the end of the request."""

    __slots__ = ("asked_at", "begin_by", "is_used", "ticket")

    def __init__(self, ticket: int) -> None:
        self.ticket = ticket
        self.asked_at = 0.0
        self.begin_by = 0.0
        self.is_used = False


class Loans:
    """Both sides of one member. Times are those of the crawl's clock."""

    def __init__(self, member: int, epoch: int, longest_fetch_seconds: float = 0.0) -> None:
        self._member = member
        self._next_ticket = epoch << 20
        self._wishes: dict[str, _Wish] = {}
        self._lent: dict[str, tuple[Loan, float]] = {}
        """Host → the loan, and when it ends at the latest."""
        self._loan_seconds = max(LOAN_SECONDS, BEGIN_SECONDS + 2 * longest_fetch_seconds)
        self.has_changed = False
        """Whether the status should be put again."""

    def __repr__(self) -> str:
        return f"<Loans of member {self._member}: {len(self._wishes)} wanted, {len(self._lent)} lent>"

    @property
    def borrows(self) -> dict[str, int]:
        """For the status: host → ticket."""
        return {host: wish.ticket for host, wish in self._wishes.items()}

    @property
    def lent(self) -> dict[str, Loan]:
        """For the status."""
        return {host: loan for host, (loan, _) in self._lent.items()}

    # -- the borrower ------------------------------------------------------------------------------------------------

    def ready_at(self, host: str, now: float) -> float:
        """0 if the request to another member's host may begin now; then it counts as begun. Infinity if not yet."""
        wish = self._wishes.get(host)
        if wish is None:
            self._next_ticket += 1
            wish = self._wishes[host] = _Wish(self._next_ticket)
            self.has_changed = True
        wish.asked_at = now
        if wish.is_used or wish.begin_by <= now:
            return inf
        wish.is_used = True
        return 0.0

    def returned(self, host: str) -> None:
        """The request has ended."""
        if self._wishes.pop(host, None) is not None:
            self.has_changed = True

    def see(self, lent: Mapping[str, Loan], now: float) -> None:
        """What the owners say that they have lent, all of them together."""
        for host, wish in list(self._wishes.items()):
            if wish.is_used:
                continue
            if lent.get(host) == (self._member, wish.ticket):
                wish.begin_by = wish.begin_by or now + BEGIN_SECONDS
            is_late = 0.0 < wish.begin_by <= now
            if is_late or now - wish.asked_at > FORGOTTEN_SECONDS:
                self.returned(host)

    # -- the owner ---------------------------------------------------------------------------------------------------

    def serve(
        self,
        wanted: Mapping[int, Mapping[str, int]],
        now: float,
        *,
        lend: Callable[[str], bool],
        take_back: Callable[[str], None],
    ) -> None:
        """`wanted`: member → the own hosts that it wants. `lend` is False if the host is not free now."""
        for host, (loan, until) in list(self._lent.items()):
            if wanted.get(loan.borrower, {}).get(host) != loan.ticket or now >= until:
                del self._lent[host]
                take_back(host)
                self.has_changed = True
        for borrower, hosts in wanted.items():
            for host, ticket in hosts.items():
                if host not in self._lent and lend(host):
                    self._lent[host] = (Loan(borrower, ticket), now + self._loan_seconds)
                    self.has_changed = True
