"""Reads the seed file, where the crawl begins, as a stream.

One URL a line, or a bare domain (`comune.padova.it`); `#` starts a comment, at the start of a line or after a
space. As in Heritrix, `+` starts an extra SURT prefix (`+com,esempio)/italia/`: fetched, not in the graph), and
`-` one that is excluded. An unusable line is skipped, with a complaint that names file and line.

A national registry's list has millions of lines, so none of this holds more than BLOCK_BYTES of the file, and the
prefixes, in memory. `read_seeds` says what the file means for the scope. `read_batches` returns its seeds in batches,
in the order of the file, from any Place where an earlier batch ended.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import md5
from os import PathLike
from pathlib import Path
from typing import BinaryIO, NamedTuple

from webgraph_it.files.regular import InputError, open_regular
from webgraph_it.urls import names, surt

BLOCK_BYTES = 1 << 16
"""Bytes of the file in memory; no line may be longer."""
LINES_AT_ONCE = 256
"""Lines in a batch: a few milliseconds, from reading to the frontier."""
MAX_DIRECTORIES = 10_000
"""Maximum of seeds outside the scope that no `+` line covers: each is a prefix in memory."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_COMMENT = re.compile(r"(?:^|\s)#.*")
_BARE_DOMAIN = re.compile(r"[^\s/:?#@]+\.[^\s/:?#@]+(?::[0-9]+)?(?:/\S*)?")
_PLAIN = rb"(?!www[0-9]*\.)(?=.{1,253}$)((?:(?!xn--)[a-z0-9_-]{1,63}\.)+((?!xn--)[a-z][a-z0-9_-]{0,62}))"
_PLAIN_DOMAIN = re.compile(_PLAIN + rb"[\r\n]*")
"""A line with a domain that no step of the recipe changes, as nearly every line of a registry's list."""
_PLAIN_LINES = re.compile(rb"^" + _PLAIN + rb"\r?$", re.MULTILINE)
_DIRECTIVES = re.compile(rb"^\s*[+-]", re.MULTILINE)
_SHOWN_CHARACTERS = 100


class SeedsError(Exception):
    """The crawl cannot begin; the message is one sentence for the user."""


class Place(NamedTuple):
    """A position between two lines of the file."""

    offset: int = 0
    """Bytes before it."""
    line: int = 0
    """Lines before it."""


class Batch(NamedTuple):
    """Some lines of the file."""

    names: list[names.Name]
    """The seeds, one per line, in order. A node that is on two lines appears twice."""
    complaints: list[str]
    """One sentence for each line that was skipped."""
    end: Place


class Seeds(NamedTuple):
    """What a seed file means for the scope."""

    total: int = 0
    """Usable seeds, one per line."""
    inside: int = 0
    """Those in scope."""
    outside: int = 0
    """Those that neither the scope nor a `+` line covers: directories of their own."""
    covered: int = 0
    """Those outside the scope that a `+` line covers. All other seeds are excluded."""
    extra_prefixes: tuple[str, ...] = ()
    """From the `+` lines."""
    exclusions: tuple[str, ...] = ()
    """From the `-` lines, without the sign."""
    directories: tuple[str, ...] = ()
    """A prefix for each seed of `outside`, at most MAX_DIRECTORIES."""
    complaints: int = 0


# -- what the file means --------------------------------------------------------------------------------------


def read_seeds(path: str | PathLike[str], surts: tuple[str, ...], *, may_be_empty: bool = False) -> Seeds:
    """The file, judged by SCOPE_SURTS; SeedsError if it cannot be read, or has no usable seed unless it may be empty.

    It is read twice, because prefixes may come after the seeds that they cover. An unchanged file is not read again.
    """
    try:
        status = Path(path).stat()
        seeds = _read_seeds(str(path), status.st_size, status.st_mtime_ns, surts)
    except InputError as error:
        raise _no_file(error) from None
    except OSError as error:
        raise _unreadable(path, error) from error
    if not seeds.total and not may_be_empty:
        found = f"; none of its {seeds.complaints} lines is one" if seeds.complaints else ""
        raise SeedsError(f"seed file {path} has no usable seed: give one URL or domain a line{found}")
    return seeds


@lru_cache(maxsize=4)
def _read_seeds(path: str, size: int, changed_at: int, surts: tuple[str, ...]) -> Seeds:
    extra_prefixes, exclusions = directives(path)
    included, excluded = surt.by_sign(surts)
    excluded += exclusions
    scope, covered = surt.SurtPrefixes(included), surt.SurtPrefixes(extra_prefixes)
    unwanted = surt.SurtPrefixes(excluded)
    starts = scope.starts
    directories: dict[str, None] = {}
    count = inside = outside = explicit = complaints = 0
    for lines in _lines(path, 0):
        if not unwanted and _all_plain_and_inside(lines, starts):
            count += len(lines)
            inside += len(lines)
            continue
        found, wrong = _named(lines, path, 0)
        count += len(found)
        complaints += len(wrong)
        for name in found:
            if unwanted and name.key in unwanted:
                continue
            if name.key.startswith(starts):
                inside += 1
            elif name.key in covered:
                explicit += 1
            else:
                outside += 1
                if len(directories) < MAX_DIRECTORIES:
                    directories[surt.prefix_of_url(name.url)] = None
    return Seeds(
        count,
        inside,
        outside,
        explicit,
        extra_prefixes,
        exclusions,
        tuple(directories),
        complaints,
    )


def _all_plain_and_inside(lines: list[bytes], starts: tuple[str, ...]) -> bool:
    """Whether every line is a plain domain below a TLD that is completely in scope: a quick check for long lists."""
    found = _PLAIN_LINES.findall(b"".join(lines))
    if len(found) != len(lines):
        return False
    return all(f"{tld.decode()},".startswith(starts) for tld in {tld for _, tld in found})


def directives(path: str | PathLike[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The prefixes of the `+` and of the `-` lines. `read_batches` returns the complaints about them."""
    prefixes: dict[str, dict[str, None]] = {"+": {}, "-": {}}
    for lines in _lines(path, 0):
        if not _DIRECTIVES.search(b"".join(lines)):
            continue
        for line in lines:
            if line.lstrip().startswith((b"+", b"-")):
                text = _text(line)
                try:
                    prefixes[text[0]][surt.parse(text[1:])] = None
                except surt.SurtError:
                    continue
    return tuple(prefixes["+"]), tuple(prefixes["-"])


def refusal(path: str | PathLike[str], seeds: Seeds, surts: tuple[str, ...]) -> str:
    """Why a crawl should not begin with these seeds and this scope, in one sentence; empty if it may.

    A seed outside the scope is a directory, which is fetched for its links only. That is meant for a few seeds: a
    list that is mostly outside belongs to another scope.
    """
    scope = json.dumps(list(surts))
    found = f"{seeds.inside:,} of the {seeds.total:,} seeds in {path} are in scope (SCOPE_SURTS is {scope})"
    if seeds.outside > seeds.inside or not (seeds.inside or seeds.covered):
        return (
            f"only {found}: give seeds of that scope with -s SEEDS=FILE, "
            "or a line +PREFIX in it for pages to fetch without adding them to the graph."
        )
    if seeds.outside > MAX_DIRECTORIES:
        return (
            f"{seeds.outside:,} seeds in {path} are outside the scope (SCOPE_SURTS is {scope}), and at most "
            f"{MAX_DIRECTORIES:,} may be: remove them, or cover them with lines +PREFIX."
        )
    return ""


# -- the seeds ------------------------------------------------------------------------------------------------


def read_batches(
    path: str | PathLike[str], start: Place | None = None, lines_at_once: int = LINES_AT_ONCE
) -> Iterator[Batch]:
    """The seeds from `start` on; SeedsError if the file cannot be read."""
    offset, number = start or Place()
    try:
        for lines in _lines(path, offset):
            for first in range(0, len(lines), lines_at_once):
                some = lines[first : first + lines_at_once]
                found, complaints = _named(some, str(path), number + 1)
                number += len(some)
                offset += sum(map(len, some))
                yield Batch(found, complaints, Place(offset, number))
    except OSError as error:
        raise _unreadable(path, error) from error


def _named(lines: list[bytes], origin: str, number: int) -> tuple[list[names.Name], list[str]]:
    found: list[names.Name] = []
    complaints: list[str] = []
    plain, digest = _PLAIN_DOMAIN.fullmatch, names.digest
    for line_number, line in enumerate(lines, number):
        if domain := plain(line):
            host = domain[1].decode()
            key = f"{','.join(host.split('.')[::-1])})/"
            found.append(names.Name(f"http://{host}/", key, digest(key)))
            continue
        text = _text(line)
        try:
            if text.startswith(("+", "-")):
                surt.parse(text[1:])
            elif text:
                found.append(_seed(text))
        except ValueError as error:
            complaints.append(f"{origin}:{line_number}: {error}")
    return found, complaints


def _seed(text: str) -> names.Name:
    found = names.name(f"http://{text}" if _BARE_DOMAIN.fullmatch(text) else text)
    if isinstance(found, names.Refusal):
        shown = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
        raise ValueError(f"{shown!r} is not an http(s) URL or domain ({found.value})")
    return found


def _text(line: bytes) -> str:
    return without_comment(line.decode("utf-8", "replace"))


def without_comment(text: str) -> str:
    """A line without its comment, and without the spaces around it."""
    return (_COMMENT.sub("", text) if "#" in text else text).strip()


# -- the file -------------------------------------------------------------------------------------------------


def md5_of(path: str | PathLike[str]) -> str:
    """The checksum of the whole file, in hex; SeedsError if it cannot be read."""
    checksum = md5(usedforsecurity=False)
    try:
        with open_regular(Path(path)) as file:
            while block := file.read(1 << 20):
                checksum.update(block)
    except InputError as error:
        raise _no_file(error) from None
    except OSError as error:
        raise _unreadable(path, error) from error
    return checksum.hexdigest()


def _lines(path: str | PathLike[str], offset: int) -> Iterator[list[bytes]]:
    """Whole lines with their ends, a block at a time. Their lengths add up to the size of the file."""
    with open_regular(Path(path)) as file:
        file.seek(offset)
        first = True
        for block in _blocks(file, path):
            lines = block.splitlines(keepends=True)
            if first and offset == 0 and block.startswith(_BYTE_ORDER_MARK):
                lines[0] = lines[0].replace(_BYTE_ORDER_MARK, b"   ", 1)
            first = False
            yield lines


def _blocks(file: BinaryIO, path: str | PathLike[str]) -> Iterator[bytes]:
    """The file in blocks that end at the end of a line. A carriage return alone ends a line, too."""
    rest = b""
    while more := file.read(BLOCK_BYTES):
        block = rest + more
        end = block.rfind(b"\n") + 1 or block.rfind(b"\r", 0, -1) + 1
        if not end and len(block) > BLOCK_BYTES:
            raise SeedsError(
                f"seed file {path} has a line of more than {BLOCK_BYTES:,} bytes: give one URL or domain a line"
            )
        if end:
            yield block[:end]
        rest = block[end:]
    if rest:
        yield rest


def _no_file(error: InputError) -> SeedsError:
    return SeedsError(f"seed file {error} Give one URL or domain a line with -s SEEDS=FILE.")


def _unreadable(path: str | PathLike[str], error: OSError) -> SeedsError:
    reason = error.strerror or type(error).__name__
    return SeedsError(
        f"seed file {path} cannot be read ({reason}): give one URL or domain a line with -s SEEDS=FILE"
    )
