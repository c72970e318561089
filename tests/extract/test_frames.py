"""What goes through the socket comes out as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import link_policy
from webgraph_it.extract import KINDS, Document, Extraction, extract, frames
from webgraph_it.extract.anchors import clean
from webgraph_it.extract.records import MAX_LINK_BYTES, MAX_LINKS, NO_ANCHORS, REASONS, REFUSALS, Anchors
from webgraph_it.extract.table import DETECTABLE
from webgraph_it.items import Link
from webgraph_it.urls import Name, digest, name

names = (
    st.text(max_size=30)
    .map(lambda text: name(text, "http://www.a.it/b/c?d"))
    .filter(lambda n: type(n) is Name)
)
links = st.builds(lambda target, kind: Link(*target, kind), names, st.sampled_from(sorted(KINDS)))
texts = st.text(min_size=1, max_size=20).map(clean).filter(bool)


@st.composite
def with_anchors(draw: st.DrawFn, extractions: st.SearchStrategy[Extraction]) -> Extraction:
    extraction = draw(extractions)
    if not extraction.links or draw(st.booleans()):
        return extraction
    numbers = st.integers(0, len(extraction.links) - 1)
    rows = draw(st.sets(st.tuples(numbers, texts), max_size=5))
    nofollow = draw(st.sets(numbers, max_size=5))
    return extraction._replace(anchors=Anchors(tuple(sorted(rows)), tuple(sorted(nofollow))))


plain_extractions = st.builds(
    Extraction,
    st.lists(links, max_size=20, unique_by=lambda link: link.key).map(tuple),
    st.dictionaries(st.sampled_from(sorted(REFUSALS)), st.integers(0, 10**6), max_size=3),
    st.booleans(),
    st.sampled_from(sorted(REASONS)),
    st.sampled_from(sorted(DETECTABLE)),
    st.just("") | st.binary(min_size=16, max_size=16).map(bytes.hex),
    st.just(NO_ANCHORS),
)
extractions = with_anchors(plain_extractions)
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


@pytest.mark.parametrize(
    "most", [(frames.MAX_META_BYTES, 0, 0), (0, MAX_LINK_BYTES + 64, 0), (0, 0, MAX_LINKS)]
)
def test_a_reply_is_as_long_as_it_may_be_and_no_byte_longer(most: tuple[int, int, int]) -> None:
    """What the crawl process makes room for, whatever a worker announces."""
    assert frames.reply_length(bytearray(frames.REPLY.pack(*most)), 0) == frames.REPLY.size + sum(most)
    with pytest.raises(ValueError, match="more than a worker may send"):
        frames.reply_length(bytearray(frames.REPLY.pack(*(size + bool(size) for size in most))), 0)


def test_a_real_extraction_is_read_back() -> None:
    found = extract(Document("<a href=è>x</a><a href=mailto:x>".encode(), "http://città.it/"), link_policy())
    assert frames.extraction(frames.reply(found)) == found


@given(st.binary(max_size=60), extractions, st.integers(0, 200), st.binary(min_size=1, max_size=4))
def test_nonsense_is_a_value_error_or_sound(
    noise: bytes, extraction: Extraction, at: int, change: bytes
) -> None:
    """What is believed of a damaged reply could have been said by a sound one."""
    sound = frames.reply(extraction)
    for frame in (noise, sound[:at] + change + sound[at + len(change) :]):
        try:
            found = frames.extraction(frame)
        except ValueError:
            continue
        assert frames.extraction(frames.reply(found)) == found
        assert len({link.key for link in found.links}) == len(found.links)
        assert all(link.digest == digest(link.key) for link in found.links)
        assert found.reason in REASONS
        assert found.refused.keys() <= REFUSALS


@given(plain_extractions, st.text(max_size=9))
def test_a_reply_with_a_line_more_or_less_than_it_says_is_a_value_error(
    extraction: Extraction, line: str
) -> None:
    sound = frames.reply(extraction)
    with pytest.raises(ValueError):
        frames.extraction(sound + b"\n" + line.encode())
    if extraction.links:
        with pytest.raises(ValueError):
            frames.extraction(sound[: sound.rindex(b"\n")])
