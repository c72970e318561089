"""Ratings from CSV: what is read, and one sentence with the line number for what is not."""

from pathlib import Path

import pytest

from webgraph_it.analyse.problem import Problem
from webgraph_it.analyse.ratings import read_ratings


@pytest.mark.parametrize("content", [
    "url,rating\nhttp://a.it/,3\nhttp://b.it/x,4.5\n",
    "\ufeffURL;Note;Rating\r\nhttp://a.it/;x;3\r\n\r\nhttp://b.it/x;y;4,5\r\n",
    'rating,url\n3,"http://a.it/"\n4.5,http://b.it/x',
])  # fmt: skip
def test_what_people_save(tmp_path: Path, content: str) -> None:
    (tmp_path / "r.csv").write_text(content, encoding="utf-8", newline="")
    found = [(rating.url, rating.rating) for rating in read_ratings(tmp_path / "r.csv")]
    assert found == [("http://a.it/", 3.0), ("http://b.it/x", 4.5)]


@pytest.mark.parametrize(("content", "said"), [
    (b"", "line 1: has no column 'url'"),
    (b"address,rating\n", "line 1: has no column 'url'"),
    (b"url,vote\n", "line 1: has no column 'rating'"),
    (b"url,rating\nhttp://a.it/,good\n", "line 2: the rating 'good' is not a number"),
    (b"url,rating\nhttp://a.it/,nan\n", "line 2: the rating 'nan' is not a number"),
    (b"url,rating\nhttp://a.it/,1\nhttp://a.it/\n", "line 3: has 1 columns, 2 are expected"),
    (b"url,rating\nhttp://a.it/,1\nhttp://\xe0.it/,2\n", "line 3: is not UTF-8"),
    (b'url,rating\n"http://a.it/"x,1\n', "line 2: is not CSV"),
])  # fmt: skip
def test_a_mistake_names_its_line(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "r.csv").write_bytes(content)
    with pytest.raises(Problem, match=said):
        read_ratings(tmp_path / "r.csv")


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cannot be read"):
        read_ratings(tmp_path / "none.csv")
