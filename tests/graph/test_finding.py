import pytest

from tests.convert.crawls import HOME, NEWS, SHOP, URLS, write_crawl
from tests.verbs import convert
from webgraph_it.graph import WebGraph
from webgraph_it.graph.finding import UnknownNodeError, find_node

IDS = {key: node for node, key in enumerate(sorted(URLS))}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> WebGraph:
    crawl = write_crawl(tmp_path_factory.mktemp("finding") / "crawl")
    assert convert([str(crawl)]) == 0
    return WebGraph(crawl / "compact")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("http://www.esempio.it/", HOME),
        ("HTTPS://Esempio.IT", HOME),
        ("esempio.it", HOME),
        ("www.esempio.it/#top", HOME),
        (HOME, HOME),
        (NEWS, NEWS),
        ("news.esempio.it/?id=1&phpsessid=7", NEWS),
        ("negozio.it:8080", SHOP),
        (SHOP, SHOP),
    ],
)
def test_any_spelling_of_a_node_finds_it(graph: WebGraph, text: str, key: str) -> None:
    assert find_node(graph, text) == IDS[key]
    assert find_node(graph, str(IDS[key])) == IDS[key]


def test_a_host_is_found_by_its_name(graph: WebGraph) -> None:
    assert graph.hosts.url(find_node(graph.hosts, "www.news.esempio.it")) == "http://news.esempio.it/"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("6", "has no node 6: its ids go from 0 to 5."),
        ("http://esempio.it/abuot", "did you mean https://esempio.it/about?"),
        ("http://qualcosa-di-molto-diverso.com/x", "is not in "),
        ("http://[", "is no id, URL or key: write for instance 17, http://www.unipd.it/ or it,unipd)/."),
        ("", "is no id, URL or key"),
        ("-1", "is not in "),
        ("²", "is not in "),
    ],
)
def test_what_is_no_node_is_one_sentence(graph: WebGraph, text: str, said: str) -> None:
    with pytest.raises(UnknownNodeError) as told:
        find_node(graph, text)
    assert said in str(told.value)
    assert str(told.value)[-1] in ".?"


def test_nothing_alike_is_not_suggested(graph: WebGraph) -> None:
    with pytest.raises(UnknownNodeError, match=r"^http://zz\.com/ is not in .*compact\.$"):
        find_node(graph, "http://zz.com/")
