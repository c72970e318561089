"""What is written of a page: its sequence, its lines in the page log and the URL list."""

import json

from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.items import Link, Page, State
from webgraph_it.shards.encode import cut_line, page_line, sequence, url_lines
from webgraph_it.shards.formats import PAGE_FIELDS

text = st.text(max_size=20)
finite = st.floats(0, 4e9, allow_nan=False)


@given(text, text, text, text, text, finite, finite)
def test_a_page_line_is_json_with_the_documented_members_in_order(
    key: str, url: str, media_type: str, via: str, reason: str, time: float, seconds: float
) -> None:
    page = Page(
        url, key, bytes(16), time, State.FETCHED, 200, 3, via,
        media_type=media_type, size_bytes=7, content_digest="0a", address="127.1.0.1", reason=reason, seconds=seconds,
    )  # fmt: skip
    line = page_line(page, 12)
    found = json.loads(line)
    assert tuple(found) == PAGE_FIELDS
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    expected = (key, url, media_type, via, reason, 12, "fetched", 200, 3, 7)
    members = ("key", "url", "type", "via", "reason", "links", "state", "status", "depth", "bytes")
    assert tuple(found[member] for member in members) == expected
    assert abs(found["time"] - time) < 0.001


def test_a_cut_node_has_a_line_too() -> None:
    link = Link("http://a.it/x", "it,a)/x", bytes(16), "a")
    found = json.loads(cut_line(link, State.TRAP_CUT, "host-depth", 4, "it,a)/"))
    assert (found["state"], found["reason"], found["depth"], found["status"]) == (
        "trap-cut",
        "host-depth",
        4,
        0,
    )


@given(st.binary(min_size=16, max_size=16), st.lists(st.binary(min_size=16, max_size=16), max_size=5))
def test_a_sequence_is_a_parent_with_the_first_bit_set_and_its_children_as_they_are(
    parent: bytes, children: list[bytes]
) -> None:
    written = sequence(parent, children)
    assert written[0] == parent[0] | 0x80
    assert written[1:16] == parent[1:]
    assert written[16:] == b"".join(children)


def test_a_url_line_is_key_and_url() -> None:
    link = Link("http://a.it/x", "it,a)/x", bytes(16), "a")
    assert url_lines([link, link]) == b"it,a)/x\thttp://a.it/x\n" * 2
