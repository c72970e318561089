"""What simweb says that robots.txt forbids is what Google's parser reads in it."""

import pytest
from protego import Protego

from webgraph_it.simweb.habits.robots import HUGE_BYTES, folder_pages, forbids, robots_file
from webgraph_it.simweb.hosts import Host

KINDS = (
    *("robots-disallow", "robots-wildcard", "robots-group", "robots-crawl-delay", "robots-absent"),
    *("robots-401", "robots-html", "robots-redirected", "robots-huge"),
)
PARSED_BYTES = 500 * 1024


def host_of(kind: str) -> Host:
    return Host(0, "sito.it", 0, 5, "127.1.0.1", traits=frozenset({kind, "latency"}))


def text_of(kind: str) -> str:
    """The rules that count, after redirects; none for a client error."""
    file = robots_file(host_of(kind), "/robots.txt", "http://altro.it")
    assert file is not None
    while file.location:
        path = "/" + file.location.removeprefix("http://altro.it").lstrip("/")
        file = robots_file(host_of(kind), path, "http://altro.it")
        assert file is not None
    return file.text[:PARSED_BYTES] if file.status == 200 else ""


@pytest.mark.parametrize("kind", KINDS)
def test_googles_parser_forbids_the_same(kind: str) -> None:
    googlebot = pytest.importorskip("jwm.robotstxt.googlebot")
    text = text_of(kind)
    paths = folder_pages(host_of(kind))
    assert paths
    for path in [*paths, "/", "/acqua/albero-1.html", "/articolo.php?id=3"]:
        url = f"http://sito.it{path}"
        allowed = googlebot.RobotsMatcher().OneAgentAllowedByRobots(text, "webgraph_it", url)
        assert forbids(host_of(kind), path) is not bool(allowed)


@pytest.mark.parametrize("kind", ["robots-500", "robots-429", "robots-unreachable"])
def test_without_an_answer_all_is_forbidden(kind: str) -> None:
    assert forbids(host_of(kind), "/")


def test_the_huge_file_takes_all_back_where_nobody_reads() -> None:
    file = robots_file(host_of("robots-huge"), "/robots.txt", "")
    assert file is not None
    assert len(file.text) > HUGE_BYTES * 0.95
    assert "Disallow: /\n" in file.text[PARSED_BYTES:]
    assert "Disallow: /\n" not in file.text[:PARSED_BYTES]


def test_the_delay_is_stated() -> None:
    assert Protego.parse(text_of("robots-crawl-delay")).crawl_delay("webgraph_it") == 0.2
