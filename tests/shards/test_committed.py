"""What the last commit says of the files comes back, and nothing else is believed."""

import json
from typing import Any

import pytest

from webgraph_it.shards.committed import is_shard_name, packed, unpacked
from webgraph_it.shards.formats import ShardError
from webgraph_it.shards.writer import Durable

NAME = "graph/000001.g16"


def test_what_was_committed_comes_back() -> None:
    files = {NAME: Durable(32, 2**32 - 1), "urls/000001.tsv": Durable(0, 0)}
    assert unpacked(packed(files)) == files
    assert unpacked(None) == {}


@pytest.mark.parametrize(
    "found",
    [
        [],
        {NAME: 5},
        {NAME: [1]},
        {NAME: [1, 2, 3]},
        {NAME: [-1, 0]},
        {NAME: [0, -1]},
        {NAME: [0, 2**32]},
        {NAME: ["1", 0]},
        {NAME: [0, 1.5]},
        {NAME: {"0": 1, "1": 2}},
        {"../000001.g16": [0, 0]},
        {"graph/../x.g16": [0, 0]},
        {"graph/000001.tsv": [0, 0]},
        {"reports/000001.g16": [0, 0]},
        {NAME: [0, 0], "x": [0, 0]},
    ],
)
def test_anything_else_is_one_sentence(found: Any) -> None:
    with pytest.raises(ShardError, match="does not name the crawl's files"):
        unpacked(json.dumps(found).encode())


@pytest.mark.parametrize("text", [b"{", b"[" * 100_000, b"\xff"])
def test_what_is_no_json_is_the_same_sentence(text: bytes) -> None:
    with pytest.raises(ShardError, match="does not name the crawl's files"):
        unpacked(text)


def test_names_of_shards_lead_nowhere_else() -> None:
    assert is_shard_name("graph", "000001.g16")
    assert is_shard_name("graph", f"{10**17}.g16")
    assert not is_shard_name("graph", "00001.g16")
    assert not is_shard_name("graph", "0000010000000000000.g16")
    assert not is_shard_name("graph", "000001xg16")
    assert not is_shard_name("else", "000001.g16")
