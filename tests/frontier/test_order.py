"""The number that orders a host's queue."""

import pytest

from tests.frontier.making import lease_at, link, open_frontier
from webgraph_it.frontier import Outcome
from webgraph_it.frontier.order import HIGHEST, MIDDLE, breadth, by_keywords, level, outside


@pytest.mark.parametrize(("depth", "number"), [(0, 0), (7, 7), (10**9, HIGHEST)])
def test_breadth_is_the_depth(depth: int, number: int) -> None:
    assert breadth("it,a)/", depth, "") == number


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("it,unipd)/", 10),
        ("it,unipd,dei)/", 11),
        ("it,unipd)/a/b", 20),
        ("it,unipd,dei)/a/b/c?d=/e/f", 31),
        ("it,unipd):8080/a", 10),
        ("it,padova,comune)/", 10),
        ("127.0.0.1)/a/b", 20),
        ("it,a)" + "/" * 10_000, HIGHEST),
    ],
)
def test_level_is_ten_times_the_slashes_and_the_labels(key: str, number: int) -> None:
    assert level(key, 3, "it,b)/") == number


@pytest.mark.parametrize(
    ("key", "depth", "via", "number"),
    [
        ("it,a)/", 0, "", 0),
        ("it,a)/x", 3, "it,b)/", 3),
        ("it,a)/x", 3, "it,a)/", MIDDLE + 4),
        ("it,a,dei)/x", 3, "it,a)/", MIDDLE + 4),
        ("it,a)/x", 10**9, "it,a)/", HIGHEST),
        ("it,a)/x", 10**9, "it,b)/", MIDDLE),
    ],
)
def test_outside_takes_what_other_sites_link_to_first(key: str, depth: int, via: str, number: int) -> None:
    assert outside(key, depth, via) == number


@pytest.mark.parametrize(
    ("key", "score"),
    [
        ("br,com,catho)/empregos/vagas", 15),
        ("br,com,catho)/Empregos?empregos=1", 10),
        ("br,com,empregos)/login", 5),
        ("br,com,catho)/desempregos", 0),
        ("br,com,catho)/a_vagas-b", 5),
    ],
)
def test_keywords_are_whole_words_of_the_url_each_counted_once(key: str, score: int) -> None:
    priority = by_keywords({"empregos": 10, "vagas": 5, "login": -5})
    assert MIDDLE - priority(key, 7, "") == score


def test_weights_never_leave_the_range() -> None:
    many = {f"w{n}": 1000 for n in range(100)}
    key = "it,a)/" + "/".join(many)
    assert by_keywords(many)(key, 0, "") == 0
    assert by_keywords(dict.fromkeys(many, -1000))(key, 0, "") == HIGHEST


def test_keywords_are_also_words_of_the_text_of_a_link() -> None:
    frontier = open_frontier(order={"lavoro": 10})
    links = [link("a", "/1"), link("a", "/2"), link("a", "/3-lavoro")]
    texts = [(links[1].digest, "offerte di Lavoro"), (links[1].digest, "altro")]
    frontier.add(links, 1, "", 0.0, texts=texts)
    order = []
    for now in (1e6, 2e6, 3e6):
        lease = lease_at(frontier, now)
        frontier.done(lease, Outcome(), now)
        order.append(lease.url)
    assert order == [links[1].url, links[2].url, links[0].url]
