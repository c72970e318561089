"""A digest is new once, also when the memory in front of the store is tiny."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.frontier import MemoryStore, seen
from webgraph_it.frontier.layers import Layers
from webgraph_it.frontier.layout import packed_seen, seen_of
from webgraph_it.frontier.seen import Seen
from webgraph_it.items import Link, State

from .making import PATIENT


@PATIENT
@given(st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=20), st.integers(2, 8))
def test_a_digest_is_new_once(pages: list[list[int]], remembered: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seen, "REMEMBERED", remembered)
        known = Seen(Layers(MemoryStore()))
        met: set[int] = set()
        for numbers in pages:
            links = [Link("", "", number.to_bytes(16, "big"), "a") for number in numbers]
            expected = [
                link for number, link in dict(zip(numbers, links, strict=True)).items() if number not in met
            ]
            assert known.new(links) == expected
            met.update(numbers)
            assert len(known._young) + len(known._old) <= remembered


def test_a_node_that_a_quota_cut_is_queued_once() -> None:
    layers = Layers(MemoryStore())
    known = Seen(layers)
    cut, trap, new = (bytes((n,)) * 16 for n in range(3))
    known.keep(cut, packed_seen(State.QUOTA_CUT, 0))
    known.keep(trap, packed_seen(State.TRAP_CUT, 0))
    assert [known.is_quota_cut(digest) for digest in (cut, trap, new)] == [True, False, False]
    known.mark_queued(cut)
    assert not known.is_quota_cut(cut)
    assert seen_of(layers.get(seen.SEEN + cut) or b"") == (State.NEVER_TRIED, 0)
