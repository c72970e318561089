"""URLs in plain text."""

import pytest

from tests.defaults import link_policy
from webgraph_it.extract import Document, extract


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("vedi http://a.it/x.", ["http://a.it/x"]),
        ("(http://a.it/x)", ["http://a.it/x"]),
        ("http://a.it/x_(y)", ["http://a.it/x_(y)"]),
        ("<http://a.it/x>", ["http://a.it/x"]),
        ("«http://a.it/x»", ["http://a.it/x"]),
        ("http://a.it/?a=1&b=2, http://b.it", ["http://a.it/?a=1&b=2", "http://b.it/"]),
        ("www.a.it a.it/x ftp://a.it", []),
        ("xhttp://a.it/", []),
    ],
)
def test_absolute_urls_only_when_switched_on(text: str, links: list[str]) -> None:
    document = Document(text.encode(), "http://c.it/", "text/plain")
    assert [link.url for link in extract(document, link_policy(plain_text=True)).links] == links
    assert extract(document, link_policy()).links == ()
