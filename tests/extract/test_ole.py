"""Word and Excel files of the last century."""

import pytest

from webgraph_it.extract.ole import MAGIC, links
from webgraph_it.simweb.documents.compound import compound_file

MONIKER = bytes.fromhex("E0C9EA79F9BACE118C8200AA004BA90B")


def targets(body: bytes) -> list[str]:
    return [reference for reference, _, _ in links(body, "http://a.it/", None, frozenset()).links]


@pytest.mark.parametrize("interleaved", [True, False])
def test_url_monikers_of_a_workbook(interleaved: bool) -> None:
    url = "http://b.it/è\0".encode("utf-16-le")
    record = b"\xb8\x01" + MONIKER + len(url).to_bytes(4, "little") + url
    book = compound_file({"Workbook": record * 2, "Other": record}, interleaved=interleaved)
    assert targets(book) == ["http://b.it/è"] * 2


def test_a_word_file_without_a_piece_table_is_searched_as_it_is() -> None:
    text = b'\x13 HYPERLINK "http://b.it/" \x14x\x15'
    assert targets(compound_file({"WordDocument": bytes(1024) + text}, interleaved=False)) == ["http://b.it/"]


@pytest.mark.parametrize("body", [b"", MAGIC, MAGIC + bytes(600), MAGIC + b"\xff" * 2000])
def test_damaged_files_are_said(body: bytes) -> None:
    found = links(body, "http://a.it/", None, frozenset())
    assert (list(found.links), found.reason) == ([], "broken")
