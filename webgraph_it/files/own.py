"""The crawl's own folders and files: how they become durable, and how we make sure that they are ours.

Durable: a file is durable when it is synced, a new name when its folder is synced. A finished file is a renamed file
(`whole_file`).

Ours: a crawl writes only into folders that belong to the user who runs it and that nobody else may write to, and into
regular files in them that belong to that user. It never writes through a symbolic link. Otherwise, whoever prepared
the directory could decide which of the user's files is overwritten. New files are for their owner alone (0700, 0600).
A result that others may read (SHARED_MODE) goes where the user says: there, a symbolic link leads to the file.
"""

import errno
import os
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webgraph_it.files.regular import kind

FOLDER_MODE, FILE_MODE = 0o700, 0o600
SHARED_MODE = 0o666
"""Mode of a file that others may read, before the user's umask."""
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
NEW = ".new"
"""Suffix of a file that is not finished."""


class NotOursError(OSError):
    """A place where a crawl refuses to write although the system would allow it, in one sentence."""


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def whole_file(path: Path, mode: int = FILE_MODE) -> Iterator[BinaryIO]:
    """What is written in the block becomes the file at its end, on disk, all of it or nothing.

    If the block fails, the file stays as it was, and no temporary file is left. An error names the file that was given.
    """
    given = path
    if mode == SHARED_MODE:
        path = named_file(path)
    temporary = path.with_name(path.name + NEW)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        temporary.unlink(missing_ok=True)  # left by a crash; if it is a symbolic link, removes only the link
        descriptor = os.open(temporary, flags, mode)
    except OSError as error:
        error.filename = str(given)
        raise
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        temporary.rename(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync(path.parent)


def named_file(path: Path) -> Path:
    """The file that a name given by the user leads to. NotOursError if something else is there, which a rename would
    replace: a device, a named pipe, a folder."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return path.resolve()
    if not stat.S_ISREG(found.st_mode):
        raise NotOursError(
            f"{path} is {kind(found)}, expected a regular file or a new name: give another name."
        )
    return path.resolve()


def write_whole(path: Path, content: bytes | str, mode: int = FILE_MODE) -> None:
    """Replace the content. A reader sees the old content or the new, never a part."""
    with whole_file(path, mode) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def make_folder(path: Path) -> None:
    """A folder of ours. It is created if it does not exist, and refused if it belongs to somebody else. Its name is on
    disk afterwards, even if a killed run created it."""
    missing = [folder for folder in (path, *path.parents) if not os.path.lexists(folder)]
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(FOLDER_MODE)
    except FileExistsError:
        refuse_folder(path)
    for folder in reversed(missing or [path]):
        sync(folder.parent)


def open_file(path: Path, flags: int) -> int:
    """The descriptor of a regular file of ours."""
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, FILE_MODE)
    except OSError as error:
        if error.errno == errno.ELOOP:
            refuse_file(path, path.lstat())
        raise
    try:
        refuse_file(path, os.fstat(descriptor))
    except NotOursError:
        os.close(descriptor)
        raise
    return descriptor


def refuse_folder(path: Path) -> None:
    """Raise NotOursError unless it is a folder of ours that nobody else may write to."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotOursError(
            f"{path} is {kind(found)}, expected a folder of the crawl: remove it, or give another JOBDIR."
        )
    _refuse_owner(path, found)
    if found.st_mode & OTHERS_MAY_WRITE:
        raise NotOursError(
            f"{path} may be written to by other users (mode {stat.S_IMODE(found.st_mode):04o}), who could make the "
            f"crawl overwrite your files: run chmod go-w {shlex.quote(str(path))}, or give another JOBDIR."
        )


def refuse_file(path: Path, found: os.stat_result) -> None:
    """Raise NotOursError unless `found`, the status of `path`, is of a regular file of ours."""
    if not stat.S_ISREG(found.st_mode):
        raise NotOursError(
            f"{path} is {kind(found)}, expected a regular file of the crawl: remove it, or give another JOBDIR."
        )
    _refuse_owner(path, found)


def _refuse_owner(path: Path, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise NotOursError(
            f"{path} belongs to user {found.st_uid}, but the crawl runs as user {os.geteuid()}: "
            "run it as the owner, or give another JOBDIR."
        )
