"""Reads files that somebody else may have written, and checks them before anything in them is trusted.

Guarantees: only regular files are opened (a FIFO would block forever, a device has no end). A symbolic link
is followed, because shards may be on another disk. A JSON file has at most MAX_JSON_BYTES and is one object,
nested at most MAX_JSON_DEPTH times.
Anything else is one InputError that says what was found and what was expected. It never shows the content of
the file. This module needs neither numpy nor pyarrow, because the crawl may import it.
"""

import json
from pathlib import Path
from typing import Any, TypeGuard

from webgraph_it.files.regular import InputError, read_regular, size_of

__all__ = ["InputError", "is_count", "read_json_object", "regular_size", "shown"]

MAX_JSON_BYTES = 64 << 20
MAX_JSON_DEPTH = 50
"""A deeper value could be read, but not shown or written again."""
MAX_SHOWN = 40


def regular_size(path: Path) -> int:
    """Bytes of a regular file. FileNotFoundError if there is none, InputError for anything else."""
    return size_of(path, path.stat())


def read_json_object(path: Path, max_bytes: int = MAX_JSON_BYTES) -> dict[str, Any]:
    """The one JSON object of a file. FileNotFoundError if there is none."""
    data = read_regular(path, max_bytes, "a JSON object")
    try:
        value = json.loads(data)
        is_deep = _is_deep(value)
    except RecursionError:
        is_deep = True
    except UnicodeDecodeError:
        raise InputError(f"{path} is not JSON: it is not UTF-8 text.") from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.") from None
    if is_deep:
        raise InputError(f"{path} is nested too deeply, expected a plain JSON object.")
    if not isinstance(value, dict):
        raise InputError(f"{path} holds {type(value).__name__}, expected a JSON object.")
    return value


def is_count(value: object, most: int = 2**63 - 1) -> TypeGuard[int]:
    """Whether a value read from JSON is a whole number from 0 to `most`."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def shown(value: object) -> str:
    """An unexpected value, shortened to fit into a sentence."""
    if isinstance(value, dict | list):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 100:
        return "a number of more than 30 digits"
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_JSON_DEPTH):
        level = [
            child
            for each in level
            if isinstance(each, dict | list)
            for child in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True
