"""Mistake and Failure: one sentence for the user, and an exit code. Nothing is printed around the sentence."""

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from webgraph_it.crawl.outcome import FAILED, WRONG_USAGE
from webgraph_it.files.own import NotOursError
from webgraph_it.progress import CLEAR

USERS_ERRORS = frozenset(
    {errno.ENOENT, errno.EACCES, errno.EPERM, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EROFS}
    | {errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTEMPTY, errno.EINVAL}
)
"""Errors of the system that mean a wrong path. Any other is a failure of the machine."""


SHORT_WRITE = re.compile(r"[0-9]+ requested and [0-9]+ written\.?")


class Mistake(Exception):
    """Something that the user has to fix: exit code 2."""

    exit_code = WRONG_USAGE


class Failure(Exception):
    """A correct request that could not be carried out: exit code 1."""

    exit_code = FAILED


@contextmanager
def mistakes(*kinds: type[Exception]) -> Iterator[None]:
    """Inside the block, exceptions of these kinds are the user's mistakes. Their text is the sentence."""
    try:
        yield
    except kinds as error:
        raise Mistake(str(error)) from error


def is_full_disk(error: OSError) -> bool:
    """Also numpy's error, which has no number: `15744 requested and 8192 written`."""
    return error.errno == errno.ENOSPC or bool(SHORT_WRITE.fullmatch(str(error)))


def of_system(error: OSError) -> Mistake | Failure:
    """An error of the operating system, in words."""
    if is_full_disk(error):
        return Failure("The disk is full: make room and give the same command again.")
    if isinstance(error, NotOursError):
        return Mistake(str(error))
    reason = error.strerror or str(error)
    words = f"{os.fsdecode(error.filename)}: {reason}" if isinstance(error.filename, str | bytes) else reason
    return Mistake(words) if error.errno in USERS_ERRORS else Failure(words)


def tell(sentence: str) -> None:
    """Print one line on standard error. It replaces a live line."""
    if sys.stderr is None:
        return
    start = f"\r{CLEAR}" if sys.stderr.isatty() else ""
    with suppress(OSError):  # standard error may be closed
        print(f"{start}{one_line(sentence)}", file=sys.stderr, flush=True)


def one_line(sentence: str) -> str:
    """Without line breaks, and with a full stop if it has no other end mark."""
    line = " ".join(sentence.splitlines()).strip()
    return line if line.endswith((".", "?", "!", "…")) else f"{line}."
