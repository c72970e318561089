"""What is packed comes back, and the layout is pinned byte by byte."""

from hypothesis import example, given
from hypothesis import strategies as st

from webgraph_it.frontier.hosts import Host
from webgraph_it.frontier.layout import (
    ENTRY_HEAD,
    HOST_HEAD,
    HOST_TAIL,
    LAYOUT_VERSION,
    LINE_PLACE,
    PLACE,
    STATES,
    host_of,
    lease_of,
    packed_entry,
    packed_seed,
    packed_seen,
    queue_of,
    seen_of,
)
from webgraph_it.frontier.politeness import Clock
from webgraph_it.items import State

from .making import PATIENT

numbers = st.integers(0, 2**32 - 1)
seconds = st.floats(0, 1e12)
clocks = st.builds(
    Clock,
    seconds,
    seconds,
    seconds,
    st.integers(0, 65_535),
    st.integers(0, 255),
    st.booleans(),
    st.booleans(),
)


@PATIENT
@given(numbers, numbers, clocks, st.sampled_from(["", "192.0.2.1", "2001:db8::1"]))
def test_a_host_comes_back(queued: int, accepted: int, clock: Clock, address: str) -> None:
    line, lowest = LINE_PLACE.pack(1, 2), PLACE.pack(3, 4, 5)
    host = Host("it,a", queued, accepted, 1, 2, clock, line, lowest, address)
    again = Host.unpacked("it,a", host.packed())
    assert again.report() == host.report()
    assert (again.clock, again.line, again.lowest) == (clock, line, lowest)


def test_a_host_with_planned_visits_comes_back() -> None:
    host = Host("it,a", address="192.0.2.1", planned=3, credit=0.5, lowest_planned=PLACE.pack(3, 4, 5))
    again = Host.unpacked("it,a", host.packed())
    assert (again.planned, again.credit, again.lowest_planned) == (3, 0.5, host.lowest_planned)
    assert again.address == "192.0.2.1"
    host.planned = 0
    assert host.packed() == Host("it,a", address="192.0.2.1").packed(), "as before there were re-visits"


def test_a_host_outside_the_line_comes_back_outside() -> None:
    assert Host.unpacked("it,a", Host("it,a").packed()).line == b""


@PATIENT
@given(st.integers(0, 70_000), st.integers(0, 70_000), st.integers(0, 255), st.integers(0, 255))
@example(65_536, 0, 0, 0)
@example(0, 65_536, 0, 0)
def test_an_entry_comes_back(depth: int, host_depth: int, attempts: int, spellings: int) -> None:
    names = ("http://a.it/x", "it,a)/x", "it,b)/", b"d" * 16)
    packed = packed_entry(names, depth, host_depth, attempts, spellings)
    lease = lease_of(b"place", packed, "it,a", "", False)
    assert (lease.url, lease.key, lease.via, lease.digest) == names
    assert (lease.depth, lease.host_depth) == (min(depth, 65_535), min(host_depth, 65_535))
    assert (lease.attempts, lease.spellings) == (attempts, spellings)


def test_the_layout_is_pinned() -> None:
    """A change here is a new LAYOUT_VERSION: an old crawl directory could not be resumed."""
    assert LAYOUT_VERSION == 2
    sizes = (HOST_HEAD.size, ENTRY_HEAD.size, PLACE.size, LINE_PLACE.size, HOST_TAIL.size)
    assert sizes == (71, 22, 11, 16, 19)
    entry = packed_entry(("http://a.it/", "it,a)/", "", b"d" * 16), 1, 2)
    assert entry == b"d" * 16 + b"\0\1\0\2\0\0http://a.it/\nit,a)/\n"
    assert queue_of("it,a") + PLACE.pack(1, 2, 0) == b"qit,a)\0\1\0\0\0\0\0\0\0\2\0"


def test_a_host_is_the_key_up_to_the_parenthesis() -> None:
    assert host_of("it,padova,comune):8080/a)b") == "it,padova,comune"


def test_what_became_of_a_url_comes_back_also_from_rows_before_there_were_states() -> None:
    for state in STATES:
        assert seen_of(packed_seen(state, 404)) == (state, 404)
    assert seen_of(b"") == (State.NEVER_TRIED, 0)
    assert seen_of(b"c") == (State.QUOTA_CUT, 0)


def test_a_seed_is_an_entry_at_depth_0_that_no_page_pointed_to() -> None:
    entry = packed_entry(("http://a.it/", "it,a)/", "", b"d" * 16), 0, 0)
    assert packed_seed("http://a.it/", "it,a)/", b"d" * 16) == entry
