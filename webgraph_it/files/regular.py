"""Opens files that the user names. Only regular files are accepted.

A FIFO would block forever, a device has no end, and a folder is not a file. A symbolic link is followed, because the
user names these files. files/own.py has other rules for what the crawl itself writes.
"""

import os
import stat
from pathlib import Path
from typing import BinaryIO

KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class InputError(ValueError):
    """A fault of a file, in one sentence."""


def kind(found: os.stat_result) -> str:
    """The kind of file, in words."""
    return KINDS.get(stat.S_IFMT(found.st_mode), "no file")


def size_of(path: Path, found: os.stat_result) -> int:
    """Bytes of a regular file. InputError for anything else."""
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path} is {kind(found)}, expected a regular file.")
    return found.st_size


def open_regular(path: Path) -> BinaryIO:
    """A regular file, open for reading. OSError if it cannot be opened, InputError if it is not a regular file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        size_of(path, os.fstat(descriptor))
    except InputError:
        os.close(descriptor)
        raise
    return open(descriptor, "rb")


def read_regular(path: Path, max_bytes: int, expected: str = "a file") -> bytes:
    """The content of a regular file. OSError if it cannot be opened, InputError if it is too large or not regular."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > max_bytes else file.read(max_bytes + 1)
    if max(size, len(data)) > max_bytes:
        raise InputError(
            f"{path} has {max(size, len(data))} bytes, expected {expected} of at most {max_bytes}."
        )
    return data
