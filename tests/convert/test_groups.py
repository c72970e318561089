from pathlib import Path

import numpy as np
import pytest

from tests.convert.crawls import write_crawl
from tests.verbs import convert as main
from webgraph_it.graph import WebGraph
from webgraph_it.urls.domains import registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("it,unipd,dei", "it,unipd"),
        ("it,unipd", "it,unipd"),
        ("it,padova,comune,sit", "it,padova,comune"),  # padova.it is a public suffix
        ("it,padova", "it,padova"),
        ("it", "it"),
        ("127.0.0.1", "127.0.0.1"),
    ],
)
def test_registrable_domain(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


def test_host_and_domain_links_are_sums_of_page_links(tmp_path: Path) -> None:
    """Against a plain count in Python, with a host of many ports, and hosts that sort between others."""
    random = np.random.default_rng(5)
    hosts = ["a", "a-b", "a,x", "a,y", "b", "padova,comune", "padova,comune,sit", "padova"]
    keys = [f"it,{host}){port}/{page}" for host in hosts for port in ("", ":8080") for page in range(9)]
    urls = {key: f"http://{i}.example.it/" for i, key in enumerate(keys)}
    links = {key: list(dict.fromkeys(random.choice(keys, random.integers(0, 30)).tolist())) for key in keys}
    write_crawl(tmp_path, links, urls, {})
    assert main([str(tmp_path), "--memory", "1M"]) == 0
    graph = WebGraph(tmp_path / "compact")
    for level, group in ((graph.hosts, lambda key: key.split(")")[0]), (graph.domains, _domain)):
        expected: dict[tuple[str, str], int] = {}
        for source, targets in links.items():
            for target in targets:
                pair = (group(source), group(target))
                expected[pair] = expected.get(pair, 0) + 1
        names = [key.removesuffix(")/") for key in level.urls.keys()]  # noqa: SIM118
        assert level.weights is not None
        found = {
            (names[node], names[target]): int(weight)
            for node in level
            for target, weight in zip(
                level.successors(node),
                level.weights[int(level.offsets[node]) : int(level.offsets[node + 1])],
                strict=True,
            )
        }
        assert found == expected


def _domain(key: str) -> str:
    return registrable_domain(key.split(")")[0])
