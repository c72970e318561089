"""A sitemap has a name that no page can have."""

from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import default_scope
from webgraph_it.urls import Name, Verdict, digest, name
from webgraph_it.urls.sitemaps import as_sitemap, is_sitemap, page_key, sitemap_name


def test_a_sitemap_is_another_node_on_the_same_host() -> None:
    page = name("http://www.sito.it/mappa.xml.gz")
    assert isinstance(page, Name)
    sitemap = as_sitemap(page)
    assert sitemap == (
        "http://www.sito.it/mappa.xml.gz",
        "it,sito)/mappa.xml.gz#sitemap",
        digest(sitemap.key),
    )
    assert sitemap.digest != page.digest
    assert page_key(sitemap.key) == page.key
    assert (is_sitemap(sitemap.key), is_sitemap(page.key)) == (True, False)
    assert sitemap_name("/mappa.xml.gz", "http://www.sito.it/robots.txt") == sitemap
    assert sitemap_name("mailto:a@b.it", "http://www.sito.it/robots.txt") is None


@given(st.text())
def test_no_page_has_the_name_of_a_sitemap(text: str) -> None:
    page = name(text, "http://sito.it/")
    assert not isinstance(page, Name) or "#" not in page.key


def test_a_sitemap_is_fetched_and_not_in_the_graph() -> None:
    scope = default_scope(["it,", "-it,altro)/"])
    assert scope.verdict("it,sito)/mappa.xml#sitemap") is Verdict.FETCH_ONLY
    assert scope.verdict("it,sito)/mappa.txt.gz#sitemap") is Verdict.FETCH_ONLY
    assert scope.verdict("it,altro)/mappa.xml#sitemap") is Verdict.EXCLUDED
    assert scope.verdict("com,sito)/mappa.xml#sitemap") is Verdict.HOST
    assert scope.verdict("it,sito):25/mappa.xml#sitemap") is Verdict.PORT
    assert scope.verdict("it,sito)" + "/a/b" * 20 + "#sitemap") is Verdict.DIRECTORY_TRAP
