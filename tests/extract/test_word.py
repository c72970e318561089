"""Word's hyperlink fields, wherever they are stored."""

import pytest

from webgraph_it.extract.rtf import links as rtf_links
from webgraph_it.extract.word import field_targets


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        (' HYPERLINK "http://a.it/" ', ["http://a.it/"]),
        ('HYPERLINK "http://a.it/" \\l "x"', ["http://a.it/"]),
        ('HYPERLINK \\h "http://a.it/"', ["http://a.it/"]),
        ("HYPERLINK http://a.it/", ["http://a.it/"]),
        ('HYPERLINK "http://a.it/” ', ["http://a.it/"]),
        ("HYPERLINK “http://a.it/”", ["http://a.it/"]),
        ("HYPERLINK http://a.it/”", ["http://a.it/"]),
        ('HYPERLINK "www.a.it/b"', ["http://www.a.it/b"]),
        ('HYPERLINK "www.html"', ["www.html"]),
        ('HYPERLINK \\l "cima"', []),
        ('HYPERLINK ""', []),
        ("HYPERLINK", []),
        ('PAGEREF x HYPERLINK "a" HYPERLINK "b"', ["a", "b"]),
    ],
)
def test_field_targets(text: str, targets: list[str]) -> None:
    assert field_targets(text) == targets


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        (rb'{\field{\*\fldinst HYPERLINK "http://a.it/"}{\fldrslt x}}', ["http://a.it/"]),
        (rb'{\field{\*\fldinst {\rtlch\f1 HYPERLINK "http://a.it/"}}{\fldrslt x}}', ["http://a.it/"]),
        (rb'{\field{\*\fldinst {HYPERLINK "http://a.it/\'e8?\u960?\{\}"}}}', ["http://a.it/è?π{}"]),
        (rb'{\field{\*\fldinst PAGE}{\fldrslt HYPERLINK "x"}}', []),
        (
            rb'{\field{\*\fldinst HYPERLINK "www.comune.padova.it/uffici"}}',
            ["http://www.comune.padova.it/uffici"],
        ),
        (rb'HYPERLINK "x"', []),
        (rb'{\field{\*\fldinst HYPERLINK "\u-10179?\u-8704?"}}', ["😀"]),
        (rb'{\field{\*\fldinst HYPERLINK "x\u-10179?"}}', ["x\ufffd"]),
    ],
)
def test_rtf_fields(body: bytes, targets: list[str]) -> None:
    found = rtf_links(b"{\\rtf1" + body, "http://a.it/", None, frozenset())
    assert [reference for reference, _, _ in found.links] == targets
