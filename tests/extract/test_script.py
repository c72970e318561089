"""String literals that look like URLs, and those that do not."""

import pytest

from webgraph_it.extract.script import references


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x='http://a.it/'", ["http://a.it/"]),
        ('x="https://a.it/b?c=1&d"', ["https://a.it/b?c=1&d"]),
        (r'x="http:\/\/a.it\/"', ["http://a.it/"]),
        (r"x='http\x3a//a.it/'", ["http://a.it/"]),
        (r"x='http://a.it/\u00e8'", ["http://a.it/è"]),
        ("x='/a/b.html'", ["/a/b.html"]),
        ("x='b.php?x=1'", ["b.php?x=1"]),
        ("x='../b.pdf'", ["../b.pdf"]),
        ("x='a.b.c'", []),
        ("x='text/html'", []),
        ("x='/path/'", []),
        ("x='http://'", []),
        ("x='http://localhost/'", []),
        ("x='http://a.it/ b'", []),
        ("x='see http://a.it/'", []),
        ("// x='http://a.it/'\ny='http://b.it/'", ["http://b.it/"]),
        ("/* 'http://a.it/' */", []),
        ("x='never closed http://a.it/\ny='http://b.it/'", ["http://b.it/"]),
        ("x=" + "'http://a.it/" + "x" * 3000 + "'", []),
    ],
)
def test_references(source: str, found: list[str]) -> None:
    assert list(references(source)) == found
