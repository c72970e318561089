"""A digest is new once, also when the memory in front of the store is tiny."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.frontier import MemoryStore, seen
from webgraph_it.frontier.layers import Layers
from webgraph_it.frontier.seen import Seen

from .making import PATIENT


@PATIENT
@given(st.lists(st.integers(0, 30), max_size=200), st.integers(2, 8))
def test_a_digest_is_new_once(numbers: list[int], remembered: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seen, "REMEMBERED", remembered)
        known = Seen(Layers(MemoryStore()))
        met: set[int] = set()
        for number in numbers:
            assert known.add(number.to_bytes(16, "big")) == (number not in met)
            met.add(number)
            assert len(known._young) + len(known._old) <= remembered
