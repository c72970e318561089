from tests.warc.exchanges import HEAD, exchange
from webgraph_it.items import Link, Page, State
from webgraph_it.warc.capture import Finding, capture_of

LINK = Link("http://b.it/", "it,b)/", b"", "a")


def test_the_finding_has_all_links_of_the_page() -> None:
    page = Page("u", "k", b"", 0.0, State.FETCHED, 200, 3, "it,v)/", (), seconds=0.5, outlinks=(LINK,))
    assert capture_of(exchange(), page).finding == Finding(3, "it,v)/", 0.5, (LINK,))
    assert capture_of(exchange()).finding is None


def test_a_chunked_body_counts_twice() -> None:
    plain = capture_of(exchange(body=b"x" * 1000)).size_bytes
    chunked = capture_of(exchange(body=b"x" * 1000, entity=b"x" * 990)).size_bytes
    assert chunked == plain + 990
    assert plain > 1000 + len(HEAD)
