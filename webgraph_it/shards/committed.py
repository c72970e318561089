"""The shard files in the frontier's last commit: JSON in the store, and how it is read.

    {"graph/000001.g16": [length, crc32], …}

Guarantees: the names read are those of shard files, and the numbers are possible lengths and checksums. Anything else
is one ShardError. No name leads out of the crawl directory.
"""

import json
from collections.abc import Mapping
from typing import Any

from webgraph_it.files.received import is_count
from webgraph_it.shards.formats import ShardError, is_shard_name
from webgraph_it.shards.writer import Durable


def packed(files: Mapping[str, Durable]) -> bytes:
    return json.dumps(files).encode()


def unpacked(stored: bytes | None) -> dict[str, Durable]:
    """Empty if nothing was committed."""
    try:
        found = json.loads(stored) if stored else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(map(_is_entry, found, found.values())):
        raise ShardError(
            "The frontier's last commit does not name the crawl's files with their lengths. It is damaged, or does not "
            "belong to a crawl. Restore the crawl directory from a copy, or start a new crawl in another JOBDIR."
        )
    return {name: Durable(*each) for name, each in found.items()}


def _is_entry(name: str, value: Any) -> bool:
    stream, _, file_name = name.partition("/")
    return (
        is_shard_name(stream, file_name)
        and isinstance(value, list)
        and len(value) == 2
        and is_count(value[0])
        and is_count(value[1], 2**32 - 1)
    )
