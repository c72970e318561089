"""Files that somebody else may have written: what is read from them before anything in them is believed.

Guarantees: only regular files are opened (a FIFO would wait for ever, a device has no end; a symbolic link
is followed, for shards may lie on another disk); a JSON file has at most MAX_JSON_BYTES and is one object;
whatever else is found is one InputError that says what was found and what was expected, and never shows what
the file holds. This module needs neither numpy nor pyarrow: the crawl may import it.
"""

import json
import os
import stat
from pathlib import Path
from typing import Any, TypeGuard

MAX_JSON_BYTES = 64 << 20
MAX_SHOWN = 40
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class InputError(ValueError):
    """A file is not what it should be, in one sentence."""


def regular_size(path: Path) -> int:
    """Bytes of a regular file; FileNotFoundError if there is none, InputError for anything else."""
    return _size(path, path.stat())


def read_json_object(path: Path, max_bytes: int = MAX_JSON_BYTES) -> dict[str, Any]:
    """The one JSON object of a file; FileNotFoundError if there is none."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        size = _size(path, os.fstat(descriptor))
        if size > max_bytes:
            raise InputError(f"{path} has {size} bytes, expected a JSON object of at most {max_bytes}.")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(max_bytes + 1)
    finally:
        os.close(descriptor)
    try:
        value = json.loads(data)
    except RecursionError:
        raise InputError(f"{path} is nested too deeply, expected a plain JSON object.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not JSON: it is no UTF-8 text.") from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InputError(f"{path} holds {type(value).__name__}, expected a JSON object.")
    return value


def is_count(value: object, most: int = 2**63 - 1) -> TypeGuard[int]:
    """Whether a value read from JSON is a whole number from 0 to `most`."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def shown(value: object) -> str:
    """A value that was found where another was expected, cut to a length that fits into a sentence."""
    if isinstance(value, dict | list):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 100:
        return "a number of more than 30 digits"
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _size(path: Path, found: os.stat_result) -> int:
    if not stat.S_ISREG(found.st_mode):
        kind = KINDS.get(stat.S_IFMT(found.st_mode), "no file")
        raise InputError(f"{path} is {kind}, expected a regular file.")
    return found.st_size
