"""A spelling leads where the plain link leads; urllib resolves it as a witness."""

from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.simweb.habits.spelling import relative_path

SEGMENT = st.sampled_from(["a", "b", "c.html", "d12"])
PATH = st.tuples(st.lists(SEGMENT, max_size=4), st.sampled_from(["", "x.html", "y.php?id=3"])).map(
    lambda parts: "/" + "".join(f"{segment}/" for segment in parts[0]) + parts[1]
)


@given(PATH, PATH)
def test_a_relative_path_leads_back(here: str, there: str) -> None:
    base = "http://sito.it"
    assert urljoin(base + here, relative_path(here, there)) == base + there


@pytest.mark.parametrize(
    ("here", "there", "reference"),
    [
        ("/a/b.html", "/c/d", "../c/d"),
        ("/a/b.html", "/a/c.html", "c.html"),
        ("/a/b/", "/a/b/", "./"),
        ("/", "/articolo.php?id=1", "articolo.php?id=1"),
        ("/articolo.php?id=1", "/", "./"),
        ("/a/b/c/", "/", "../../../"),
    ],
)
def test_relative_paths_are_as_short_as_people_write_them(here: str, there: str, reference: str) -> None:
    assert relative_path(here, there) == reference
