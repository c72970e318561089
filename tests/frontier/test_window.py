"""The head of a range, with only a few of its rows in memory."""

from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.frontier import MemoryStore
from webgraph_it.frontier.layers import Layers
from webgraph_it.frontier.window import Window

from .making import PATIENT

PREFIX = b"qa)"


@PATIENT
@given(
    st.lists(st.one_of(st.integers(0, 200), st.none()), max_size=80), st.integers(1, 4), st.integers(0, 30)
)
def test_a_window_pops_what_a_sorted_list_would(
    steps: list[int | None], size: int, commit_after: int
) -> None:
    """A number adds a row, None pops the head."""
    layers = Layers(MemoryStore())
    window = Window(PREFIX, size)
    rows: list[int] = []
    used: set[int] = set()
    for count, step in enumerate(steps):
        if count == commit_after:
            layers.freeze().write()
        if step is None:
            head = window.head(layers)
            assert head == ((PREFIX + bytes((min(rows),)), b"") if rows else None)
            if head is not None:
                layers.remove(window.pop()[0])
                rows.remove(min(rows))
        elif step not in used:
            used.add(step)
            rows.append(step)
            layers.append(PREFIX, PREFIX + bytes((step,)), b"")
            window.offer((PREFIX + bytes((step,)), b""))
        assert len(window._rows) <= 2 * size
        assert not rows or window.lower() <= PREFIX + bytes((min(rows),))


def test_a_new_window_starts_where_the_old_one_was() -> None:
    layers = Layers(MemoryStore())
    for place in range(10):
        layers.append(PREFIX, PREFIX + bytes((place,)), b"")
    window = Window(PREFIX, 3)
    for _ in range(4):
        window.head(layers)
        layers.remove(window.pop()[0])
    assert Window(PREFIX, 3, window.lower()).head(layers) == (PREFIX + b"\x04", b"")
