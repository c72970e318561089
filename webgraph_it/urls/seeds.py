"""Where the crawl begins: the seed file.

One URL a line, or a bare domain (`comune.padova.it`); `#` starts a comment, at the start of a line or after a
space; `+` starts an extra SURT prefix, as in Heritrix (`+com,esempio)/italia/`: fetched, not in the graph).
Each node is a seed once, in the order of the file. A line that says nothing usable is skipped, with a
complaint that names file and line.
"""

import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from webgraph_it.regular_files import InputError, read_regular
from webgraph_it.urls import names, surt

MAX_SEEDS_BYTES = 1 << 30

_COMMENT = re.compile(r"(?:^|\s)#.*")
_BARE_DOMAIN = re.compile(r"[^\s/:?#@]+\.[^\s/:?#@]+(?::[0-9]+)?(?:/\S*)?")


class SeedsError(Exception):
    """No crawl can begin; the message is one sentence for the user."""


class Seeds(NamedTuple):
    """What a seed file says."""

    urls: tuple[str, ...]
    """Normal URLs, one a node."""
    extra_prefixes: tuple[str, ...] = ()
    """From the `+` lines."""
    complaints: tuple[str, ...] = ()
    """One sentence for each line that was skipped."""


def read_seeds(path: str | PathLike[str]) -> Seeds:
    """The seeds of a file; SeedsError if it cannot be read or has no usable seed."""
    try:
        text = read_regular(Path(path), MAX_SEEDS_BYTES).decode("utf-8-sig", "replace")
    except InputError as error:
        raise SeedsError(f"seed file {error} Give one URL or domain a line with -s SEEDS=FILE.") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SeedsError(
            f"seed file {path} cannot be read ({reason}): give one URL or domain a line with -s SEEDS=FILE"
        ) from error
    seeds = parse_seeds(text.splitlines(), str(path))
    if not seeds.urls:
        lines = f"; none of its {len(seeds.complaints)} lines is one" if seeds.complaints else ""
        raise SeedsError(f"seed file {path} has no usable seed: give one URL or domain a line{lines}")
    return seeds


def parse_seeds(lines: Iterable[str], origin: str) -> Seeds:
    """The seeds of these lines; `origin` is the file's name in complaints."""
    urls: dict[str, str] = {}
    prefixes: dict[str, None] = {}
    complaints = []
    for number, line in enumerate(lines, 1):
        text = _COMMENT.sub("", line).strip()
        try:
            if text.startswith("+"):
                prefixes[surt.parse(text[1:])] = None
            elif text:
                found = _seed(text)
                urls.setdefault(found.key, found.url)
        except ValueError as error:
            complaints.append(f"{origin}:{number}: {error}")
    return Seeds(tuple(urls.values()), tuple(prefixes), tuple(complaints))


def _seed(text: str) -> names.Name:
    found = names.name(f"http://{text}" if _BARE_DOMAIN.fullmatch(text) else text)
    if isinstance(found, names.Refusal):
        raise ValueError(f"{text!r} is no http(s) URL or domain ({found.value})")
    return found
