"""What the store says of the shards is believed only as far as it can be true."""

import pytest

from webgraph_it.shards.committed import packed, unpacked
from webgraph_it.shards.formats import ShardError
from webgraph_it.shards.writer import Durable


def test_what_was_packed_comes_back() -> None:
    files = {"graph/000001.g16": Durable(32, 7), "pages/000002.jsonl": Durable(0, 2**32 - 1)}
    assert unpacked(packed(files)) == files
    assert unpacked(None) == {}


@pytest.mark.parametrize(
    "stored",
    [
        b"[]",
        b"{",
        b'{"graph/../x.g16": [1, 2]}',
        b'{"frontier/000001.g16": [1, 2]}',
        b'{"graph/000001.g16": [1]}',
        b'{"graph/000001.g16": [-1, 2]}',
        b'{"graph/000001.g16": [1, 4294967296]}',
    ],
)
def test_anything_else_is_one_sentence(stored: bytes) -> None:
    with pytest.raises(ShardError, match="does not name the crawl's files"):
        unpacked(stored)
