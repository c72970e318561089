"""References in style sheets."""

import pytest

from webgraph_it.extract.css import references


@pytest.mark.parametrize(
    ("sheet", "found"),
    [
        ("a{b:url(1)}", ["1"]),
        ("a{b:url( '1' )}", ["1"]),
        ('a{b:url("1")}', ["1"]),
        ("a{b:URL(1)}", ["1"]),
        ("@import '1';", ["1"]),
        ('@import "1" screen;', ["1"]),
        ("@import url(1);", ["1"]),
        ("@IMPORT url('1')", ["1"]),
        ("/* url(1) */ a{b:url(2)}", ["2"]),
        ("a{content:'url(1)'} b{c:url(2)}", ["2"]),
        (r"a{b:url(a\(b\)c)}", ["a(b)c"]),
        (r"a{b:url('a\27 b')}", ["a'b"]),
        (r"a{b:url(\e8)}", ["è"]),
        (r"a{b:url('\0')}", ["\ufffd"]),
        ("a{b:url('x\\\ny')}", ["xy"]),
        ("a{b:url(a b)}", []),
        ("a{b:url()}", []),
        ("a{b:url('1'", []),
        ("a{b:url('1\n')}", []),
        ("a{b:url(data:image/png;base64,xx)}", ["data:image/png;base64,xx"]),
        ("/* never closed url(1)", []),
    ],
)
def test_references(sheet: str, found: list[str]) -> None:
    assert list(references(sheet)) == found
