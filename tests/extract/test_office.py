"""Zipped office documents: the parts that can hold links, and no other; what is broken or too large has a name."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.extract import office
from webgraph_it.extract.records import Found

HYPERLINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"


def packed(**parts: str) -> bytes:
    """An archive; `__` in a name is a slash, `_` a dot."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), text)
    return file.getvalue()


def found(body: bytes) -> Found:
    return office.links(body, "http://a.it/", None, frozenset())


def targets(**parts: str) -> list[str]:
    return [reference for reference, *_ in found(packed(**parts)).links]


def relationship(target: str, mode: str = "External", kind: str = HYPERLINK) -> str:
    return f'<Relationship Id="r" Type="{kind}" Target="{target}" TargetMode="{mode}"/>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (relationship("http://b.it/?x=1&amp;y=2"), ["http://b.it/?x=1&y=2"]),
        (relationship("http://b.it/").replace("<", "<ns:"), ["http://b.it/"]),
        (relationship("media/1.png", mode="Internal"), []),
        (relationship("http://b.it/", kind="http://x/image"), []),
        (relationship("http://b.it/hyperlink", kind="http://x/image"), []),
        (relationship("http://b.it/") + relationship("http://c.it/"), ["http://b.it/", "http://c.it/"]),
        ("<Relationship broken", []),
    ],
)
def test_a_hyperlink_relationship_that_leads_out_is_a_link(text: str, expected: list[str]) -> None:
    assert list(office.relationship_targets(text)) == expected
    assert targets(word___rels__document_xml_rels=text) == expected


@pytest.mark.parametrize(
    ("part", "text", "expected"),
    [
        ("content_xml", '<text:a xlink:href="http://b.it/">', ["http://b.it/"]),
        ("styles_xml", '<draw:a xlink:href="http://b.it/">', ["http://b.it/"]),
        ("meta_xml", '<text:a xlink:href="http://b.it/">', []),
        ("content_xml", '<draw:image xlink:href="Pictures/1.png">', []),
        ("word__document_xml", '<w:instrText> HYPERLINK "http://b.it/" </w:instrText>', ["http://b.it/"]),
        (
            "word__document_xml",
            "<w:instrText> HYPER</w:instrText><w:t>x</w:t><w:instrText>LINK &quot;http://b.it/&quot;</w:instrText>",
            ["http://b.it/"],
        ),
        ("word__footer_xml", '<w:instrText> HYPERLINK "http://b.it/" </w:instrText>', []),
    ],
)
def test_each_part_is_read_for_its_own_kind_of_link(part: str, text: str, expected: list[str]) -> None:
    assert targets(**{part: text}) == expected


def test_links_before_the_damage_are_kept_and_the_damage_is_named() -> None:
    body = packed(a_rels=relationship("http://b.it/"), b_rels=relationship("http://c.it/"))
    damaged = bytearray(body)
    second = body.index(b"b.rels") + len("b.rels")
    damaged[second : second + 20] = b"\xff" * 20
    result = found(bytes(damaged))
    assert [link[0] for link in result.links] == ["http://b.it/"]
    assert result.reason == "broken"


def test_a_part_that_grows_beyond_the_limit_is_read_up_to_it() -> None:
    text = relationship("http://b.it/") + " " * office._LIMIT_BYTES + relationship("http://c.it/")
    result = found(packed(a_rels=text))
    assert [link[0] for link in result.links] == ["http://b.it/"]
    assert result.reason == "bomb"


@given(st.binary(max_size=80), st.integers(0, 400))
def test_no_bytes_make_it_raise(noise: bytes, place: int) -> None:
    body = packed(a_rels=relationship("http://b.it/"), content_xml="<text:a xlink:href='c'>")
    place %= len(body)
    assert found(body[:place] + noise + body[place + len(noise) :]).reason in ("", "broken", "bomb")
    assert found(noise).reason == "broken"
