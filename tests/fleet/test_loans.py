"""A borrowed host is asked by one member at a time, and rests afterwards, whatever is lost."""

from math import inf

from webgraph_it.fleet.loans import BEGIN_SECONDS, FORGOTTEN_SECONDS, LOAN_SECONDS, Loans

HOST = "it,b"


class Owner:
    """Member 2, which owns the host."""

    def __init__(self) -> None:
        self.loans = Loans(2, 1)
        self.is_free = True
        self.rests = 0

    def serve(self, now: float, *borrowers: Loans) -> None:
        wanted = {each._member: each.borrows for each in borrowers}
        self.loans.serve(wanted, now, lend=self.lend, take_back=self.take_back)

    def lend(self, host: str) -> bool:
        was_free, self.is_free = self.is_free, False
        return was_free

    def take_back(self, host: str) -> None:
        self.is_free = True
        self.rests += 1


def test_a_host_is_lent_used_once_and_given_back() -> None:
    owner, borrower = Owner(), Loans(1, 1)
    assert borrower.ready_at(HOST, 0.0) == inf
    assert borrower.has_changed
    owner.serve(1.0, borrower)
    assert borrower.ready_at(HOST, 1.0) == inf  # it has not seen the answer
    borrower.see(owner.loans.lent, 2.0)
    assert borrower.ready_at(HOST, 2.0) == 0.0
    assert borrower.ready_at(HOST, 2.0) == inf  # one request
    owner.serve(3.0, borrower)
    assert owner.rests == 0
    borrower.returned(HOST)
    owner.serve(4.0, borrower)
    assert (owner.rests, owner.loans.lent) == (1, {})


def test_an_old_answer_is_not_taken_for_a_new_one() -> None:
    owner, borrower = Owner(), Loans(1, 1)
    borrower.ready_at(HOST, 0.0)
    owner.serve(1.0, borrower)
    old = owner.loans.lent
    borrower.see(old, 1.0)
    borrower.ready_at(HOST, 1.0)
    borrower.returned(HOST)
    assert borrower.ready_at(HOST, 2.0) == inf
    borrower.see(old, 2.0)
    assert borrower.ready_at(HOST, 2.0) == inf


def test_two_borrowers_take_turns() -> None:
    owner, first, second = Owner(), Loans(1, 1), Loans(3, 1)
    for each in (first, second):
        each.ready_at(HOST, 0.0)
    owner.serve(1.0, first, second)
    for each in (first, second):
        each.see(owner.loans.lent, 1.0)
    assert (first.ready_at(HOST, 1.0), second.ready_at(HOST, 1.0)) == (0.0, inf)
    first.returned(HOST)
    owner.serve(2.0, first, second)
    second.see(owner.loans.lent, 2.0)
    assert second.ready_at(HOST, 2.0) == 0.0


def test_a_busy_host_is_lent_later() -> None:
    owner, borrower = Owner(), Loans(1, 1)
    owner.is_free = False
    borrower.ready_at(HOST, 0.0)
    owner.serve(1.0, borrower)
    assert owner.loans.lent == {}
    owner.is_free = True
    owner.serve(2.0, borrower)
    assert list(owner.loans.lent) == [HOST]


def test_a_borrower_that_wakes_up_late_does_not_begin() -> None:
    owner, borrower = Owner(), Loans(1, 1)
    borrower.ready_at(HOST, 0.0)
    owner.serve(1.0, borrower)
    borrower.see(owner.loans.lent, 1.0)
    assert borrower.ready_at(HOST, 1.0 + BEGIN_SECONDS) == inf
    borrower.see(owner.loans.lent, 1.0 + BEGIN_SECONDS)
    assert borrower.borrows == {}


def test_a_dead_borrower_loses_its_loan_after_its_request_has_ended() -> None:
    owner, borrower = Owner(), Loans(1, 1)
    borrower.ready_at(HOST, 0.0)
    owner.serve(1.0, borrower)
    owner.serve(LOAN_SECONDS, borrower)
    assert owner.rests == 0
    owner.serve(1.0 + LOAN_SECONDS, borrower)
    assert owner.rests == 1


def test_a_wish_that_nobody_repeats_is_dropped() -> None:
    borrower = Loans(1, 1)
    borrower.ready_at(HOST, 0.0)
    borrower.see({}, FORGOTTEN_SECONDS)
    assert borrower.borrows
    borrower.see({}, FORGOTTEN_SECONDS + 1)
    assert borrower.borrows == {}
