"""Documents of every kind that the small internet serves: found exactly, whatever their declared type."""

import pytest

from tests.defaults import DEFAULT_ARCS, link_policy
from webgraph_it.extract import Document, extract
from webgraph_it.simweb.documents import DECOY, KINDS, render
from webgraph_it.urls import Name, name

BASE = "http://www.base.it/dir/documento"
LINKS = [
    *(f"http://www.sito{number}.it/a/(b)/p{number}.html?x=1&y={number}" for number in range(12)),
    "http://xn--citt-3na.it/%C3%A8?q=1",
    "http://sito.it/una;due=3,4/~cinque/",
    "https://sicuro.it:8443/",
]
EVERYTHING = link_policy([*DEFAULT_ARCS, "css", "script"], plain_text=True)
NO_LINKS = ("css", "js", "text")
UNMISTAKABLE = [kind for kind in KINDS if kind not in NO_LINKS]


def digests(links: list[str]) -> set[bytes]:
    names = [name(link, BASE) for link in links]
    return {each.digest for each in names if isinstance(each, Name)}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_every_link_and_nothing_else(kind: str, seed: int) -> None:
    content_type, body = render(kind, LINKS, "Titolo (uno)", seed)
    found = extract(Document(body, BASE, content_type.partition(";")[0]), EVERYTHING)
    assert {link.digest for link in found.links} == digests(LINKS)
    assert (found.reason, found.refused) == ("", {})


@pytest.mark.parametrize("declared", ["", "application/octet-stream", "text/html"])
@pytest.mark.parametrize("kind", [kind for kind in UNMISTAKABLE if kind != "xml"])
def test_a_wrong_type_is_seen_through(kind: str, declared: str) -> None:
    for seed in range(6):
        _, body = render(kind, LINKS, "Titolo", seed)
        found = extract(Document(body, BASE, declared), link_policy())
        assert {link.digest for link in found.links} == digests(LINKS)


@pytest.mark.parametrize("kind", UNMISTAKABLE)
def test_order_is_that_of_the_document(kind: str) -> None:
    _, body = render(kind, LINKS, "Titolo", 0)
    found = extract(Document(body, BASE, render(kind, [], "", 0)[0]), link_policy())
    assert [link.url for link in found.links] == LINKS


@pytest.mark.parametrize("kind", UNMISTAKABLE)
def test_the_decoy_is_there_and_is_no_link(kind: str) -> None:
    found = extract(Document(render(kind, [], "Titolo", 0)[1], BASE, render(kind, [], "", 0)[0]), EVERYTHING)
    assert not any(link.url == DECOY for link in found.links)


@pytest.mark.parametrize("kind", NO_LINKS)
def test_styles_scripts_and_texts_have_no_links_by_default(kind: str) -> None:
    content_type, body = render(kind, LINKS, "Titolo", 0)
    assert extract(Document(body, BASE, content_type.partition(";")[0]), link_policy()).links == ()


@pytest.mark.parametrize("kind", UNMISTAKABLE)
def test_a_cut_document_gives_true_links_or_none(kind: str) -> None:
    content_type, body = render(kind, LINKS, "Titolo", 1)
    for cut in range(0, len(body), max(1, len(body) // 50)):
        found = extract(Document(body[:cut], BASE, content_type), EVERYTHING)
        assert {link.digest for link in found.links} <= digests(LINKS)
