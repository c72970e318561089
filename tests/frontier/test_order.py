"""The number that orders a host's queue."""

import pytest

from webgraph_it.frontier.order import HIGHEST, breadth, level


@pytest.mark.parametrize(("depth", "number"), [(0, 0), (7, 7), (10**9, HIGHEST)])
def test_breadth_is_the_depth(depth: int, number: int) -> None:
    assert breadth("it,a)/", depth) == number


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
    assert level(key, 3) == number
