"""URI actions of PDF files."""

import zlib

import pytest

from webgraph_it.extract.pdf import links


def uris(body: bytes) -> list[str]:
    return [
        reference for reference, _, _ in links(b"%PDF-1.5\n" + body, "http://a.it/", None, frozenset()).links
    ]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"<< /S /URI /URI (http://b.it/) >>", ["http://b.it/"]),
        (b"<</S/URI/URI(http://b.it/)>>", ["http://b.it/"]),
        (b"/URI (a(b)c)", ["a(b)c"]),
        (b"/URI (a\\)b\\(\\\\)", ["a)b(\\"]),
        (b"/URI (a\\\nb\\053c\\x)", ["ab+cx"]),
        (b"/URI <687474703A2F2F622E69742F>", ["http://b.it/"]),
        (b"/URI <68 74\n7>", ["htp"]),
        (b"/URI (\xfe\xff\x00a\x00b)", ["ab"]),
        (b"/URI (\xc3\xa8)", ["è"]),
        (b"/URI (\xe8)", ["è"]),
        (b"/URI (never closed", []),
        (b"/URI ((((((too deep))))))", []),
        (b"/URI ()", []),
        (b"/URIs (x)", []),
        (b"stream\n/URI (x) endstream /URI (y)", ["y"]),
        (
            b"1 0 obj <</Type/ObjStm/Filter/FlateDecode>> stream\n"
            + zlib.compress(b"/URI (x)")
            + b"endstream",
            ["x"],
        ),
        (b"1 0 obj <</Type/ObjStm>> stream\r\n/URI (x)\nendstream", ["x"]),
        (b"1 0 obj <</Type/ObjStm/Filter/FlateDecode>> stream\n" + zlib.compress(b"/URI (x)")[:-4], ["x"]),
    ],
)
def test_uris(body: bytes, found: list[str]) -> None:
    assert uris(body) == found


def test_an_encrypted_file_is_said() -> None:
    found = links(b"%PDF-1.5 /URI (x) trailer << /Encrypt 5 0 R >>", "http://a.it/", None, frozenset())
    assert (list(found.links), found.reason) == ([], "encrypted")


def test_the_base_of_the_catalogue_holds() -> None:
    found = links(b"%PDF-1.5 /URI << /Base (http://b.it/) >> /URI (x)", "http://a.it/", None, frozenset())
    assert (found.base, list(found.links)) == ("http://b.it/", [("x", "document", "")])
