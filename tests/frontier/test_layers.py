"""Three layers read as one, against a plain dict."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from webgraph_it.frontier import MemoryStore
from webgraph_it.frontier.layers import Frozen, Layers

from .making import PATIENT

POINTS = [b"m1", b"m2", b"h1"]
RANGES = [b"qa)", b"qb)", b"l"]


class LayersMachine(RuleBasedStateMachine):
    """Whatever is written, removed, frozen and committed in between, a dict would read the same."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.layers = Layers(self.store)
        self.model: dict[bytes, bytes] = {}
        self.frozen: Frozen | None = None
        self.snapshot: dict[bytes, bytes] = {}
        self.used: set[bytes] = set()

    @rule(key=st.sampled_from(POINTS), value=st.binary(max_size=2))
    def put(self, key: bytes, value: bytes) -> None:
        self.layers.put(key, value)
        self.model[key] = value

    @rule(prefix=st.sampled_from(RANGES), place=st.integers(0, 60))
    def append(self, prefix: bytes, place: int) -> None:
        key = prefix + bytes((place,))
        if key not in self.used:  # within a range a key is used once
            self.used.add(key)
            self.layers.append(prefix, key, b"%d" % place)
            self.model[key] = b"%d" % place

    @rule(prefix=st.sampled_from(RANGES), places=st.sets(st.integers(61, 90), max_size=3))
    def append_rows(self, prefix: bytes, places: set[int]) -> None:
        rows = [(prefix + bytes((place,)), b"%d" % place) for place in sorted(places)]
        rows = [row for row in rows if row[0] not in self.used]
        self.used.update(key for key, _ in rows)
        self.layers.append_rows(prefix, rows)
        self.model.update(rows)

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        keys = sorted(key for key in self.model if key[:1] in b"ql")
        if keys:
            key = data.draw(st.sampled_from(keys))
            self.layers.remove(key)
            del self.model[key]

    @rule()
    def freeze(self) -> None:
        if self.frozen is None:
            self.frozen = self.layers.freeze()
            self.snapshot = dict(self.model)

    @rule(forget=st.booleans())
    def write(self, forget: bool) -> None:
        if self.frozen is not None:
            self.frozen.write()
            if forget:
                self.layers.forget(self.frozen)
            self.frozen = None
            assert dict(self.store.items(b"", b"\xff")) == self.snapshot

    @rule(prefix=st.sampled_from(RANGES), place=st.integers(0, 60), limit=st.integers(1, 8))
    def scan(self, prefix: bytes, place: int, limit: int) -> None:
        lower = prefix + bytes((place,))
        rows = sorted(row for row in self.model.items() if row[0].startswith(prefix) and row[0] >= lower)
        assert self.layers.scan(prefix, lower, limit) == rows[:limit]

    @invariant()
    def reads_agree(self) -> None:
        expected = {key: self.model.get(key) for key in POINTS}
        assert {key: self.layers.get(key) for key in POINTS} == expected
        assert self.layers.get_many(POINTS) == expected
        for prefix in (b"m", b"q", b"l"):
            rows = sorted(row for row in self.model.items() if row[0].startswith(prefix))
            assert list(self.layers.items(prefix)) == rows


TestLayers = LayersMachine.TestCase
TestLayers.settings = PATIENT


@PATIENT
@given(st.lists(st.integers(0, 255), unique=True))
def test_removed_before_any_commit_leaves_no_trace(places: list[int]) -> None:
    layers = Layers(MemoryStore())
    for place in places:
        layers.append(b"qa)", b"qa)" + bytes((place,)), b"x")
    for place in places:
        layers.remove(b"qa)" + bytes((place,)))
    assert len(layers) == 0
    assert layers.scan(b"qa)", b"qa)", 10) == []


def test_a_scan_looks_past_what_was_removed_and_no_further() -> None:
    store = MemoryStore()
    layers = Layers(store)
    keys = [b"qa)%02d" % number for number in range(20)]
    for key in keys:
        layers.append(b"qa)", key, b"x")
    layers.freeze().write()
    for key in keys[:10]:
        layers.remove(key)
    scans: list[bytes] = []
    scan = store.scan

    def counted(lower: bytes, upper: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        scans.append(lower)
        return scan(lower, upper, limit)

    store.scan = counted  # type: ignore[method-assign]
    assert [key for key, _ in layers.scan(b"qa)", b"qa)", 4)] == keys[10:14]
    assert scans == [b"qa)", *(key + b"\0" for key in keys[3:14:4])]
    del scans[:]
    assert [key for key, _ in layers.scan(b"qa)", keys[12], 4)] == keys[12:16]
    assert scans == [keys[12]]
