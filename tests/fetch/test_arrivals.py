"""What is charged: what has arrived, what may arrive, and nothing else in the end."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fetch.arrivals import PATIENCE_SECONDS, Arrivals

BUFFER = 2048


@dataclass(eq=False)
class Socket:
    """A connection to which so much has come."""

    arrived: int = 0

    def arrived_bytes(self) -> int:
        return self.arrived

    def unread_bytes(self) -> int:
        return 0

    def go_on(self) -> None:
        pass


def test_a_start_is_charged_before_it_comes_and_once() -> None:
    arrivals, one = Arrivals(), Socket(arrived=700)
    assert arrivals.begin(one, BUFFER) == BUFFER
    one.arrived += BUFFER
    assert arrivals.look(0.0) == 0
    one.arrived += 100
    assert arrivals.look(0.0) == 100


def test_unread_bytes_are_charged_when_they_are_seen() -> None:
    arrivals, one = Arrivals(), Socket()
    arrivals.begin(one, 0)
    one.arrived = 1500
    assert arrivals.look(0.0) == 1500
    assert arrivals.look(0.0) == 0


def test_a_read_is_charged_for_the_room_that_it_makes_whether_or_not_it_is_filled_yet() -> None:
    later, at_once = Arrivals(), Arrivals()
    one, other = Socket(BUFFER), Socket(BUFFER)
    later.begin(one, 0)
    assert later.expect(one, BUFFER, BUFFER, 0.0) == BUFFER
    one.arrived += BUFFER
    assert later.look(0.0) == 0
    at_once.begin(other, 0)
    other.arrived += BUFFER
    assert at_once.expect(other, BUFFER, BUFFER, 0.0) == BUFFER
    assert at_once.look(0.0) == 0


def test_no_more_than_a_buffer_is_expected() -> None:
    arrivals, one = Arrivals(), Socket()
    arrivals.begin(one, 0)
    assert sum(arrivals.expect(one, 1500, BUFFER, 0.0) for _ in range(5)) == BUFFER


def test_what_does_not_come_is_given_back_soon_but_a_start_is_waited_for() -> None:
    arrivals, slow, waiting = Arrivals(), Socket(), Socket()
    arrivals.begin(slow, 0)
    arrivals.begin(waiting, BUFFER)
    arrivals.expect(slow, 1000, BUFFER, 0.0)
    assert arrivals.look(PATIENCE_SECONDS / 2) == 0
    assert arrivals.look(PATIENCE_SECONDS * 2) == -1000
    assert arrivals.look(3600.0) == 0
    assert arrivals.end(waiting) == -BUFFER
    assert arrivals.end(waiting) == 0


@given(
    st.lists(st.tuples(st.sampled_from(["come", "read", "look", "again"]), st.integers(0, 5000)), max_size=40)
)
def test_in_the_end_exactly_what_has_arrived_is_charged(steps: list[tuple[str, int]]) -> None:
    arrivals, one = Arrivals(), Socket(arrived=33)
    charged = arrivals.begin(one, BUFFER)
    for now, (step, nbytes) in enumerate(steps):
        if step == "come":
            one.arrived += nbytes
        elif step == "read":
            charged += arrivals.expect(one, nbytes, BUFFER, float(now))
        elif step == "look":
            charged += arrivals.look(float(now))
        else:
            charged += arrivals.end(one) + arrivals.begin(one, BUFFER)
    assert charged + arrivals.end(one) == one.arrived - 33
    assert one not in arrivals


def test_what_has_arrived_is_counted_once_whatever_was_expected() -> None:
    """Without what came before a response began, and what nobody will read under a limit."""
    arrivals, one, other = Arrivals(), Socket(arrived=700), Socket()
    arrivals.begin(one, BUFFER)
    arrivals.begin(other, 0)
    one.arrived, other.arrived = 1000, 50
    arrivals.look(0.0)
    assert arrivals.arrived_bytes == 350
    arrivals.expect(one, BUFFER, BUFFER, 0.0)
    arrivals.look(PATIENCE_SECONDS * 2)
    assert arrivals.arrived_bytes == 350
    one.arrived += 10
    arrivals.end(one)
    arrivals.end(one)
    arrivals.clear()
    assert arrivals.arrived_bytes == 360
