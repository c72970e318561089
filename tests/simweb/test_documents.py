"""Each kind of document is opened by somebody else's reader, or by one written here from a specification."""

import io
import lzma
import re
import shutil
import struct
import subprocess
import zipfile
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webgraph_it.simweb.documents import DECOY, KINDS, render

LINKS = [
    "http://comune.esempio.it/uffici?id=1&anno=2026",
    "https://www.scuola.it/(orario)/a'b",
    "/relativo/senza/ospite.html",
    "http://lungo.it/" + "x" * 700,
    "http://città.it/perché",
]
HREF = "{http://www.w3.org/1999/xlink}href"
SEEDS = range(12)
CELLS = [pytest.param(kind, seed, id=f"{kind}-{seed}") for kind in KINDS for seed in SEEDS]
UNPROVOKED = {"css", "js", "text"}


def body(kind: str, seed: int, links: list[str] = LINKS, title: str = "Notizie <più> & (altre)") -> bytes:
    return render(kind, links, title, seed)[1]


@pytest.mark.parametrize(("kind", "seed"), CELLS)
def test_the_same_arguments_give_the_same_bytes(kind: str, seed: int) -> None:
    assert render(kind, LINKS, "t", seed) == render(kind, LINKS, "t", seed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_without_links_is_written_too(kind: str) -> None:
    for seed in SEEDS:
        assert body(kind, seed, links=[])


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_changes_how_a_document_is_written(kind: str) -> None:
    assert len({body(kind, seed) for seed in SEEDS}) > 1


@settings(deadline=None)
@given(
    st.sampled_from(KINDS),
    st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["C"])),
    st.integers(0, 99),
)
def test_any_title_can_be_written(kind: str, title: str, seed: int) -> None:
    assert body(kind, seed, title=title)


# -- PDF ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_pypdf_finds_the_links_of_a_pdf(seed: int) -> None:
    reader = pypdf.PdfReader(io.BytesIO(body("pdf", seed, links=LINKS[:4])), strict=True)
    annotations = [annotation.get_object() for annotation in reader.pages[0]["/Annots"]]
    assert [annotation["/A"]["/URI"] for annotation in annotations] == LINKS[:4]
    assert "Notizie" in reader.pages[0].extract_text()


def test_pdfs_come_plain_compressed_and_mixed() -> None:
    plain, packed, mixed = (body("pdf", seed) for seed in range(3))
    assert (plain.count(b"/S /URI"), b"/ObjStm" in plain) == (5, False)
    assert (packed.count(b"/S /URI"), b"/ObjStm" in packed) == (0, True)
    assert (mixed.count(b"/S /URI"), b"/ObjStm" in mixed) == (3, True)


# -- Word ---------------------------------------------------------------------------------------------------


def word_text(streams: dict[str, bytes]) -> str:
    """The text of a Word 97 document, read by its FIB and piece table as [MS-DOC] 2.4.1 says."""
    main, table = streams["WordDocument"], streams["1Table"]
    assert struct.unpack_from("<H", main)[0] == 0xA5EC
    offset, length = struct.unpack_from("<II", main, 0x01A2)
    assert table[offset] == 2
    pieces = table[offset + 5 : offset + length]
    count = (len(pieces) - 4) // 12
    positions = struct.unpack_from(f"<{count + 1}I", pieces)
    text = ""
    for index in range(count):
        (place,) = struct.unpack_from("<I", pieces, 4 * (count + 1) + 8 * index + 2)
        characters = positions[index + 1] - positions[index]
        if place & 1 << 30:
            start = (place & ~(1 << 30)) // 2
            text += main[start : start + characters].decode("cp1252")
        else:
            text += main[place : place + 2 * characters].decode("utf-16-le")
    assert struct.unpack_from("<I", main, 0x4C)[0] == len(text)
    return text


@pytest.mark.parametrize("seed", SEEDS)
def test_a_word_document_is_an_ole_file_with_hyperlink_fields(seed: int) -> None:
    olefile = pytest.importorskip(
        "olefile", reason="olefile, the witness of compound files, is not installed"
    )
    with olefile.OleFileIO(body("doc", seed), raise_defects=olefile.DEFECT_UNSURE) as file:
        streams = {name: file.openstream(name).read() for name in ("WordDocument", "1Table")}
    text = word_text(streams)
    assert re.findall(r'\x13 HYPERLINK "([^"]*)" \x14', text) == LINKS
    assert DECOY in text


def test_a_long_word_document_has_several_allocation_sectors() -> None:
    olefile = pytest.importorskip(
        "olefile", reason="olefile, the witness of compound files, is not installed"
    )
    links = [f"http://esempio.it/{number}" for number in range(4000)]
    with olefile.OleFileIO(body("doc", 4, links=links), raise_defects=olefile.DEFECT_UNSURE) as file:
        streams = {name: file.openstream(name).read() for name in ("WordDocument", "1Table")}
    assert re.findall(r'\x13 HYPERLINK "([^"]*)" \x14', word_text(streams)) == links


@pytest.mark.parametrize("seed", SEEDS)
def test_rtf_has_balanced_groups_and_a_field_a_link(seed: int) -> None:
    text = body("rtf", seed).decode("ascii")
    bare = re.sub(r"\\[\\{}]", "", text)
    assert bare.count("{") == bare.count("}")
    targets = re.findall(r'\\fldinst \{?HYPERLINK "([^"]*)"', text)
    assert [re.sub(r"\\u(-?\d+)\?", lambda m: chr(int(m[1])), target) for target in targets] == LINKS


# -- zipped -------------------------------------------------------------------------------------------------

RELATIONSHIPS = {
    "docx": "word/_rels/document.xml.rels",
    "xlsx": "xl/worksheets/_rels/sheet1.xml.rels",
    "pptx": "ppt/slides/_rels/slide1.xml.rels",
}


def parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("kind", RELATIONSHIPS)
@pytest.mark.parametrize("seed", [0, 1])
def test_office_documents_relate_to_their_links(kind: str, seed: int) -> None:
    files = parts(body(kind, seed))
    trees = {name: ElementTree.fromstring(content) for name, content in files.items()}
    external = [node for node in trees[RELATIONSHIPS[kind]] if node.get("TargetMode") == "External"]
    assert [node.get("Target") for node in external] == LINKS
    assert any(DECOY.encode() in content for content in files.values())


@pytest.mark.parametrize("seed", [0, 1])
def test_open_documents_begin_with_their_media_type(seed: int) -> None:
    content = body("odt", seed)
    assert content[30:38] == b"mimetype"
    assert content[38:].startswith(render("odt", [], "", 0)[0].encode())
    tree = ElementTree.fromstring(parts(content)["content.xml"])
    assert [node.get(HREF) for node in tree.iter() if node.tag.endswith("}a")] == LINKS


# -- Flash --------------------------------------------------------------------------------------------------


def swf_body(movie: bytes) -> bytes:
    (length,) = struct.unpack_from("<I", movie, 4)
    if movie[:3] == b"FWS":
        content = movie[8:]
    elif movie[:3] == b"CWS":
        content = zlib.decompress(movie[8:])
    else:
        (packed,) = struct.unpack_from("<I", movie, 8)
        assert packed == len(movie) - 17
        content = lzma.decompress(movie[12:17] + struct.pack("<q", -1) + movie[17:], lzma.FORMAT_ALONE)
    assert length == len(content) + 8
    return content


def swf_links(content: bytes) -> list[str]:
    """The addresses of every getURL action, tag by tag."""
    bits_a_side = content[0] >> 3
    place, links = (5 + 4 * bits_a_side + 7) // 8 + 4, []
    while place < len(content):
        (head,) = struct.unpack_from("<H", content, place)
        code, length, place = head >> 6, head & 63, place + 2
        if length == 63:
            (length,) = struct.unpack_from("<I", content, place)
            place += 4
        if code == 12:
            links += actions(content[place : place + length])
        place += length
    assert (code, place) == (0, len(content))
    return links


def actions(record: bytes) -> list[str]:
    place, links = 0, []
    while record[place]:
        action, length = struct.unpack_from("<BH", record, place)
        assert action == 0x83
        links.append(record[place + 3 : place + 3 + length].split(b"\0")[0].decode())
        place += 3 + length
    return links


@pytest.mark.parametrize("seed", SEEDS)
def test_a_movie_opens_its_links(seed: int) -> None:
    assert swf_links(swf_body(body("swf", seed))) == LINKS


def test_movies_come_in_all_three_signatures() -> None:
    assert [body("swf", seed)[:3] for seed in range(3)] == [b"FWS", b"CWS", b"ZWS"]


# -- text ---------------------------------------------------------------------------------------------------

XML_LINKS = {
    "rss": lambda tree: [node.text for node in tree.iter("link")][1:],
    "atom": lambda tree: [node.get("href") for node in tree.iter("{http://www.w3.org/2005/Atom}link")],
    "sitemap": lambda tree: [node.text for node in tree.iter() if node.tag.endswith("}loc")],
    "xml": lambda tree: [href(node) for node in tree.iter("voce")],
}


def href(node: ElementTree.Element) -> str | None:
    return node.get("href") or node.get(HREF)


@pytest.mark.parametrize("kind", XML_LINKS)
@pytest.mark.parametrize("seed", [0, 1])
def test_xml_is_well_formed_and_links_by_its_own_vocabulary(kind: str, seed: int) -> None:
    content = body(kind, seed)
    assert XML_LINKS[kind](ElementTree.fromstring(content)) == LINKS
    assert DECOY.encode() in content


def test_a_feed_names_its_first_link_as_its_home() -> None:
    assert ElementTree.fromstring(body("rss", 0)).findtext("channel/link") == LINKS[0]


@pytest.mark.parametrize("seed", [0, 1])
def test_plain_kinds_hold_their_links_in_order(seed: int) -> None:
    for kind in UNPROVOKED:
        links = LINKS[:1] + LINKS[2:4]
        content = body(kind, seed, links=links).decode()
        places = [content.index(link) for link in links]
        assert places == sorted(places)


# -- an office that we did not write --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("kind", ["doc", "rtf", "docx", "odt"])
def test_libreoffice_finds_the_links(kind: str, tmp_path: Path) -> None:
    for seed in range(6):
        (tmp_path / f"{seed}.{kind}").write_bytes(body(kind, seed, links=LINKS[:1] + LINKS[3:4]))
    command = [
        "soffice",
        f"-env:UserInstallation=file://{tmp_path}/profile",
        "--headless",
        "--convert-to",
        "fodt",
    ]
    subprocess.run(
        [*command, *(f"{seed}.{kind}" for seed in range(6))], cwd=tmp_path, check=True, timeout=120
    )
    for seed in range(6):
        tree = ElementTree.parse(tmp_path / f"{seed}.fodt")
        anchors = (node.get(HREF) for node in tree.iter() if node.tag.endswith(":text:1.0}a"))
        assert [href for href in anchors if href != "#cima"] == LINKS[:1] + LINKS[3:4]
