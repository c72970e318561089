"""What goes through the socket comes out as it was."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.extract import KINDS, Document, Extraction, extract, frames, link_policy
from webgraph_it.items import Link

ascii_text = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40)
links = st.builds(
    Link, ascii_text, ascii_text, st.binary(min_size=16, max_size=16), st.sampled_from(sorted(KINDS))
)
extractions = st.builds(
    Extraction,
    st.lists(links, max_size=20).map(tuple),
    st.dictionaries(st.text(max_size=9), st.integers(0, 10**6), max_size=3),
    st.booleans(),
    st.text(max_size=9),
    st.text(max_size=20),
    st.just("") | st.binary(min_size=16, max_size=16).map(bytes.hex),
)
documents = st.builds(
    Document,
    st.binary(max_size=200),
    st.text(max_size=30),
    st.text(max_size=20),
    st.none() | st.text(max_size=9),
    st.lists(st.tuples(st.text(max_size=9), st.binary(max_size=20)), max_size=3).map(tuple),
    st.booleans(),
)


@given(extractions)
def test_a_reply_is_read_back(extraction: Extraction) -> None:
    frame = frames.reply(extraction)
    assert frames.reply_length(bytearray(b"xx" + frame), 2) == len(frame)
    assert frames.extraction(frame) == extraction
    assert all(type(link) is Link for link in frames.extraction(frame).links)


@given(documents)
def test_a_request_is_read_back(document: Document) -> None:
    frame = frames.request(document)
    head_length, body_length = frames.REQUEST.unpack_from(frame)
    assert (len(frame), body_length) == (frames.REQUEST.size + head_length, len(document.body))
    assert frames.document(frame[frames.REQUEST.size :], document.body) == document


def test_a_real_extraction_is_read_back() -> None:
    found = extract(Document("<a href=è>x</a><a href=mailto:x>".encode(), "http://città.it/"), link_policy())
    assert frames.extraction(frames.reply(found)) == found


@given(st.binary(max_size=60), extractions, st.integers(0, 200), st.binary(min_size=1, max_size=4))
def test_nonsense_is_a_value_error(noise: bytes, extraction: Extraction, at: int, change: bytes) -> None:
    sound = frames.reply(extraction)
    for frame in (noise, sound[:at] + change + sound[at + len(change) :]):
        with suppress(ValueError):
            frames.extraction(frame)
        if len(frame) >= frames.REPLY.size:
            with suppress(ValueError):
                frames.reply_length(bytearray(frame), 0)
