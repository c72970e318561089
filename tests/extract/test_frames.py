"""What goes through the socket comes out as it was."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.extract import KINDS, Document, Extraction, extract, frames, link_policy
from webgraph_it.extract.records import REASONS, REFUSALS
from webgraph_it.extract.table import DETECTABLE
from webgraph_it.items import Link
from webgraph_it.urls import Name, name

names = (
    st.text(max_size=30)
    .map(lambda text: name(text, "http://www.a.it/b/c?d"))
    .filter(lambda n: type(n) is Name)
)
links = st.builds(lambda target, kind: Link(*target, kind), names, st.sampled_from(sorted(KINDS)))
extractions = st.builds(
    Extraction,
    st.lists(links, max_size=20, unique_by=lambda link: link.key).map(tuple),
    st.dictionaries(st.sampled_from(sorted(REFUSALS)), st.integers(0, 10**6), max_size=3),
    st.booleans(),
    st.sampled_from(sorted(REASONS)),
    st.sampled_from(sorted(DETECTABLE)),
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


def test_links_beyond_what_may_be_said_are_left_out_with_a_reason() -> None:
    base = "http://a.it/" + "b" * 8000 + "/"
    found = Extraction(tuple(Link(*name(str(n), base), "a") for n in range(3000)), media_type="text/html")
    shortened = frames.extraction(frames.reply(found))
    assert shortened.reason == "too-many-links"
    assert 2000 < len(shortened.links) < 3000
    assert shortened.links == found.links[: len(shortened.links)]


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
