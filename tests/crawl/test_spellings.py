"""The other spellings of a node: all of them, each once, none of another node."""

import pytest

from webgraph_it.crawl.spellings import next_spelling
from webgraph_it.urls import key

FOUR = {"http://sito.it/a?b", "http://www.sito.it/a?b", "https://sito.it/a?b", "https://www.sito.it/a?b"}


@pytest.mark.parametrize("start", sorted(FOUR))
def test_from_any_spelling_the_other_three_are_visited_once(start: str) -> None:
    visited, url, tried = {start}, start, 0
    while (following := next_spelling(url, tried)) is not None:
        assert following not in visited
        assert key(following) == key(start)
        visited.add(following)
        url, tried = following, tried + 1
    assert visited == FOUR


def test_a_site_with_a_port_of_its_own_has_one_scheme() -> None:
    assert next_spelling("http://sito.it:8080/", 0) == "http://www.sito.it:8080/"
    assert next_spelling("http://www.sito.it:8080/", 1) is None


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://www.it/"])
def test_what_would_be_another_node_is_not_tried(url: str) -> None:
    assert next_spelling(url, 0) is None
