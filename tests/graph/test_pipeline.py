"""What the pipeline writes: the sequence of a page, and its line in the page log."""

import json

from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.test import get_crawler

from webgraph_it.graph.pipeline import GraphPipeline, cut_line, page_line, sequence
from webgraph_it.graph.shards import PAGE_FIELDS, SUFFIXES
from webgraph_it.graph.writer import Shards
from webgraph_it.items import Link, Page, State
from webgraph_it.settings import GRAPH_WRITER

text = st.text(max_size=20)
finite = st.floats(0, 4e9, allow_nan=False)


@given(text, text, text, text, text, finite, finite)
def test_a_page_line_is_json_with_the_documented_members_in_order(
    key, url, media_type, via, reason, time, seconds
):
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


def test_a_cut_node_has_a_line_too():
    link = Link("http://a.it/x", "it,a)/x", bytes(16), "a")
    found = json.loads(cut_line(link, State.TRAP_CUT, "host-depth", 4, "it,a)/"))
    assert (found["state"], found["reason"], found["depth"], found["status"]) == (
        "trap-cut",
        "host-depth",
        4,
        0,
    )


@given(st.binary(min_size=16, max_size=16), st.lists(st.binary(min_size=16, max_size=16), max_size=5))
def test_a_sequence_is_a_parent_with_the_first_bit_set_and_its_children_as_they_are(parent, children):
    written = sequence(parent, children)
    assert written[0] == parent[0] | 0x80
    assert written[1:16] == parent[1:]
    assert written[16:] == b"".join(children)


def test_each_buffer_holds_as_many_sequences_as_its_setting_says(tmp_path):
    """GRAPH_BUFFER is for the graph and the page log, URLS_BUFFER for the URL list; see the files grow."""
    settings = {"JOBDIR": str(tmp_path), "GRAPH_BUFFER": 3, "URLS_BUFFER": 5, "GRAPH_WRITER": GRAPH_WRITER}
    pipeline = GraphPipeline.from_crawler(get_crawler(settings_dict=settings))
    shards = Shards(tmp_path, None, pipeline._buffers, pipeline._writer_class)
    grown = {}
    for stream in SUFFIXES:
        (file,) = (tmp_path / stream).iterdir()
        written = 0
        while not file.stat().st_size and written < 10:
            shards[stream].write(b"sequence")
            written += 1
            shards._scribe.submit(int).result()  # all that was given to the scribe is in the file
        grown[stream] = written, file.stat().st_size // len(b"sequence")
    shards.close()
    assert grown == {"graph": (3, 3), "urls": (5, 5), "pages": (3, 3)}
