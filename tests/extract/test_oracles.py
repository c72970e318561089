"""Our links next to those that tools we did not write find: html5lib and lxml for pages, pypdf for PDF,
LibreOffice as the writer of office documents.

Debian's documentation in Italian (packages debian-reference-it, maint-guide-it) is read where it is installed.
No differences remain; two of reading had to be evened out: pypdf takes the bytes of a URI for PDFDocEncoding where
writers mean UTF-8, so its original bytes are compared; and neither html5lib nor lxml knows that templates are inert,
so no page with a template is among these.
"""

import gzip
import io
import itertools
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import lxml.html
import pypdf
import pytest

from tests.defaults import link_policy
from webgraph_it.extract import Document, extract
from webgraph_it.extract.headers import RESOURCE_RELS
from webgraph_it.simweb.documents import render
from webgraph_it.simweb.habits import DEFAULT_SHARES
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.world import World
from webgraph_it.urls import Name, name

URL = "http://a.it/d/p.html"
POLICY = link_policy()
REFERENCES = {"a": "href", "area": "href", "link": "href", "frame": "src", "iframe": "src"}
FOLDERS = [Path("/usr/share/doc"), Path("/usr/share/debian-reference")]


def ours(body: bytes, charset: str | None = None, media_type: str = "text/html") -> set[str]:
    found = extract(Document(body, URL, media_type, charset), POLICY)
    return {link.key for link in found.links}


def keys(references: list[str], base: str = URL) -> set[str]:
    names = [name(reference, base) for reference in references]
    return {each.key for each in names if isinstance(each, Name)}


def of_elements(elements: list[tuple[str, dict[str, str]]]) -> set[str]:
    """What the elements (tag, attributes) of a page link to: a second, plain reading of docs/links.md."""
    bases = [attributes["href"] for tag, attributes in elements if tag == "base" and "href" in attributes]
    base = name(bases[0], URL) if bases else None
    references = []
    for tag, attributes in elements:
        value = attributes.get(REFERENCES.get(tag, ""))
        rel = attributes.get("rel", "").lower().replace("shortcut ", "")
        if value is None or (tag not in ("a", "area") and not value.strip()):
            continue
        if tag != "link" or rel not in RESOURCE_RELS:
            references.append(value)
    refreshes = [a.get("content", "") for tag, a in elements if a.get("http-equiv", "").lower() == "refresh"]
    references += [
        m[1] for content in refreshes if (m := re.search(r"url=['\"]?([^'\"]+)", content, re.IGNORECASE))
    ]
    return keys(references, base.url if isinstance(base, Name) else URL)


def by_html5lib(body: bytes, charset: str | None) -> set[str]:
    html5lib = pytest.importorskip("html5lib", reason="html5lib is not installed: pip install html5lib")
    tree = html5lib.parse(body, treebuilder="etree", namespaceHTMLElements=False, transport_encoding=charset)
    return of_elements([(e.tag, dict(e.attrib)) for e in tree.iter() if isinstance(e.tag, str)])


def by_lxml(body: bytes, charset: str | None) -> set[str]:
    tree = lxml.html.document_fromstring(body, parser=lxml.html.HTMLParser(encoding=charset))
    return of_elements([(e.tag, dict(e.attrib)) for e in tree.iter() if isinstance(e.tag, str)])


def simweb_pages() -> Iterator[tuple[bytes, str]]:
    """Some hundred HTML pages of a small internet with all its habits, that may be followed: body and charset."""
    world = World(Plan(hosts=40, pages=400, seed=11, shares=DEFAULT_SHARES))
    queue, seen = list(world.seed_places), set()
    while queue:
        place = queue.pop()
        page = world.page(place) if place not in seen else None
        seen.add(place)
        if page is None:
            continue
        queue.extend(sorted(page.children))
        media_type, _, charset = page.media_type.partition("; charset=")
        if media_type == "text/html" and page.status == 200 and b"nofollow" not in page.body():
            yield page.body(), charset or "windows-1252"


@pytest.mark.parametrize("oracle", [by_html5lib, by_lxml])
def test_pages_of_the_small_internet(oracle: Callable[[bytes, str], set[str]]) -> None:
    pages = list(itertools.islice(simweb_pages(), 150))
    assert len(pages) == 150
    for body, charset in pages:
        assert ours(body, charset) == oracle(body, charset)


def debian_pages() -> list[Path]:
    found = [p for folder in FOLDERS for p in sorted(folder.glob("**/*.html*")) if p.is_file()]
    italian = [path for path in found if ".it.html" in path.name or "-it/" in str(path)]
    return (italian or found)[:25]


@pytest.mark.slow  # which pages there are depends on the machine
@pytest.mark.parametrize("oracle", [by_html5lib, by_lxml])
def test_pages_of_debian_documentation(oracle: Callable[[bytes, str], set[str]]) -> None:
    pages = debian_pages()
    if not pages:
        pytest.skip("no HTML documentation under /usr/share/doc: apt-get install debian-reference-it")
    for path in pages:
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        assert ours(body, "utf-8") == oracle(body, "utf-8"), path


def text_of(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def by_pypdf(body: bytes) -> set[str]:
    references = []
    for page in pypdf.PdfReader(io.BytesIO(body)).pages:
        for annotation in page.get("/Annots", None) or []:
            action = annotation.get_object().get("/A")
            uri = action.get_object().get("/URI") if action is not None else None
            if uri is not None:
                references.append(text_of(getattr(uri, "original_bytes", uri)))
    return keys(references)


@pytest.mark.parametrize("seed", range(6))
def test_pdf_of_the_small_internet(seed: int) -> None:
    _, body = render("pdf", [f"http://a{number}.it/(x)/?y" for number in range(30)], "Titolo", seed)
    assert ours(body, media_type="application/pdf") == by_pypdf(body)


@pytest.mark.slow
def test_pdf_files_of_this_machine() -> None:
    files = [path for folder in FOLDERS for path in sorted(folder.glob("**/*.pdf"))]
    if not files:
        pytest.skip("no PDF files under /usr/share/doc: apt-get install debian-reference-it")
    for path in files[:40]:
        body = path.read_bytes()
        assert ours(body, media_type="application/pdf") == by_pypdf(body), path


@pytest.mark.slow
def test_pdf_made_by_reportlab() -> None:
    canvas = pytest.importorskip(
        "reportlab.pdfgen.canvas", reason="reportlab is not installed: pip install reportlab"
    )
    body = io.BytesIO()
    page = canvas.Canvas(body, pageCompression=1)
    links = [f"http://sito{number}.it/a(b)\\c?q=è" for number in range(50)]
    for link in links:
        page.linkURL(link, (10, 10, 50, 50))
        page.showPage()
    page.save()
    assert ours(body.getvalue(), media_type="application/pdf") == by_pypdf(body.getvalue()) == keys(links)


LINKS = [f"http://sito{number}.it/pagina%20{number}?a=1&b=2" for number in range(30)] + [
    "http://xn--citt-3na.it/"
]
SOURCE = "".join(
    f'<p><a href="{link.replace("&", "&amp;")}">Voce</a> http://non-un-collegamento.it/</p>' for link in LINKS
)
OFFICE_FILTERS = {
    "doc": ("doc:MS Word 97", "application/msword"),
    "docx": ("docx:MS Word 2007 XML", "application/zip"),
    "odt": ("odt:writer8", "application/zip"),
    "rtf": ("rtf:Rich Text Format", "application/rtf"),
    "pdf": ("pdf:writer_pdf_Export", "application/pdf"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", OFFICE_FILTERS)
def test_documents_made_by_libreoffice(kind: str, tmp_path: Path) -> None:
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not installed: apt-get install libreoffice-writer")
    source = tmp_path / "pagina.html"
    source.write_text(f"<html><head><meta charset=utf-8></head><body>{SOURCE}</body></html>")
    convert, media_type = OFFICE_FILTERS[kind]
    home = f"-env:UserInstallation=file://{tmp_path}/home"
    command = [
        soffice,
        home,
        "--headless",
        "--writer",
        "--convert-to",
        convert,
        "--outdir",
        str(tmp_path),
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    body = (tmp_path / f"pagina.{kind}").read_bytes()
    assert ours(body, media_type="application/octet-stream") == keys(LINKS)
    assert extract(Document(body, URL), POLICY).media_type == media_type
