"""Addresses without a scheme in documents: viewers open them as hosts."""

import pytest

from tests.defaults import link_policy
from webgraph_it.extract import Document, extract
from webgraph_it.extract.viewer import opened
from webgraph_it.simweb.documents import render

BASE = "http://www.base.it/dir/documento"


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("www.comune.padova.it/uffici", "http://www.comune.padova.it/uffici"),
        ("WWW.Esempio.it", "http://WWW.Esempio.it"),
        (" www.esempio.it?a=1", "http://www.esempio.it?a=1"),
        ("www.html", "www.html"),
        ("www./a.b", "www./a.b"),
        ("www.a/b.html", "www.a/b.html"),
        ("www2/a.b.html", "www2/a.b.html"),
        ("comune.padova.it/uffici", "comune.padova.it/uffici"),
        ("/www.esempio.it", "/www.esempio.it"),
        ("http://www.esempio.it/", "http://www.esempio.it/"),
        ("", ""),
    ],
)
def test_what_begins_like_a_host_is_one(target: str, address: str) -> None:
    assert opened(target) == address


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["pdf", "rtf", "doc", "docx", "xlsx", "pptx", "odt"])
def test_documents_are_read_as_their_viewers_read_them(kind: str, seed: int) -> None:
    content_type, body = render(kind, ["www.comune.padova.it/uffici", "altro.html"], "Titolo", seed)
    found = extract(Document(body, BASE, content_type), link_policy())
    assert [link.url for link in found.links] == [
        "http://www.comune.padova.it/uffici",
        "http://www.base.it/dir/altro.html",
    ]


@pytest.mark.parametrize("kind", ["swf", "atom"])
def test_what_browsers_read_stays_relative(kind: str) -> None:
    content_type, body = render(kind, ["www.comune.padova.it/uffici"], "Titolo", 0)
    found = extract(Document(body, BASE, content_type), link_policy())
    assert [link.url for link in found.links] == ["http://www.base.it/dir/www.comune.padova.it/uffici"]
