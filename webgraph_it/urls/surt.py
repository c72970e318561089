"""SURT prefixes: which part of the web a key belongs to.

A prefix is written like the beginning of a key (see names.py) and comes in three kinds:

    it,                            every host under .it, and `it` itself
    it,unipd)                      exactly the host unipd.it, on all its ports
    com,esempio)/directory/italia/ what that host has under that path (on the default port)

`parse` also accepts other common forms: Heritrix's `http://(it,unipd,)/`, a bare domain (`unipd.it` is
`it,unipd,`), one with a port (`unipd.it:8080` is `it,unipd):8080/`), a URL (`http://esempio.com/a/b.html` is
`com,esempio)/a/`). `www` is dropped, as in keys. In a list of prefixes a `-` in front excludes what the prefix covers
(`by_sign`).
"""

import re
from bisect import bisect_right
from collections.abc import Iterable

from webgraph_it.urls import names

_HERITRIX = re.compile(r"(?:https?://)?\((.*)", re.IGNORECASE)
_ADDRESS = r"[0-9]+(?:\.[0-9]+){3}|\[[0-9a-f:.]+\]"
_SURT = re.compile(
    rf"(?P<host>[a-z0-9_-]+(?:,[a-z0-9_-]+)*|{_ADDRESS})(?:,|,?\)(?P<path>(?::[0-9]+)?(?:/.*)?))?",
    re.IGNORECASE,
)
_ADDRESS_AS_PREFIX = re.compile(rf"({_ADDRESS}),")
_PORT = re.compile(r":[0-9]+$")
_WWW_LABEL = re.compile(r",www[0-9]*$")


class SurtError(ValueError):
    """The text is not a SURT prefix; the message says what was found and what was expected."""


class SurtPrefixes:
    """A set of prefixes, as `parse` accepts them. Raises SurtError if a text is not a prefix.

    `match` finds the longest prefix that covers a key, in time logarithmic in their number.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.prefixes = tuple(sorted({parse(text) for text in texts}))
        domains_first = self.prefixes[::-1]  # so that a host's own prefix overrides its domain's
        self._named = {start: prefix for prefix in domains_first for start in starts(prefix)}
        self._starts = sorted(self._named)
        self._shorter = _shorter(self._starts)

    def __repr__(self) -> str:
        return f"SurtPrefixes({list(self.prefixes)})"

    def __bool__(self) -> bool:
        return bool(self.prefixes)

    def __contains__(self, key: str) -> bool:
        return self.match(key) is not None

    @property
    def starts(self) -> tuple[str, ...]:
        """The beginnings of covered keys, for str.startswith: faster than `match` for a few prefixes."""
        return tuple(self._starts)

    def match(self, key: str) -> str | None:
        """The longest prefix that covers the key.

        Every string that sorts between a string and one of its continuations is also a continuation of it. So each
        start that the key begins with is the last start that sorts before the key, or a beginning of that one.
        """
        place = bisect_right(self._starts, key) - 1
        while place >= 0:
            if key.startswith(self._starts[place]):
                return self._named[self._starts[place]]
            place = self._shorter[place]
        return None


def starts(prefix: str) -> tuple[str, ...]:
    """The beginnings of keys that the prefix covers: a domain's hosts, and the domain as a host."""
    return (prefix, prefix[:-1] + ")") if prefix.endswith(",") else (prefix,)


def _shorter(ordered: list[str]) -> list[int]:
    """For each string of a sorted list, the index of the longest other one that it begins with, or -1."""
    places: list[int] = []
    open_places: list[int] = []
    for place, text in enumerate(ordered):
        while open_places and not text.startswith(ordered[open_places[-1]]):
            open_places.pop()
        places.append(open_places[-1] if open_places else -1)
        open_places.append(place)
    return places


def parse(text: str) -> str:
    """The prefix that a user's line means. Raises SurtError if there is none."""
    text = text.strip()
    if heritrix := _HERITRIX.fullmatch(text):
        return _from_surt(heritrix[1], text)
    if "://" in text:
        return prefix_of_url(text)
    if "," in text or ")" in text or "." not in text:
        return _from_surt(text, text)
    if "/" in text or _PORT.search(text):
        return prefix_of_url(f"http://{text}")
    return _domain(_of_key(f"http://{text}/", text).partition(")")[0])


def by_sign(texts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The including prefixes, and the excluding ones without their `-`. Raises SurtError if one is not a prefix."""
    signed = [signed_prefix(text) for text in texts]
    return (
        tuple(text for text in signed if not text.startswith("-")),
        tuple(text[1:] for text in signed if text.startswith("-")),
    )


def signed_prefix(text: str) -> str:
    """As `parse`, for a text that may begin with `-`: the prefix with its sign."""
    text = text.strip()
    return f"-{parse(text[1:])}" if text.startswith("-") else parse(text)


def prefix_of_url(url: str) -> str:
    """What a URL stands for as a prefix: its host, and its path up to the last slash."""
    host, _, path = _of_key(url, url).partition(")")
    directory = path.partition("?")[0].rpartition("/")[0]
    return f"{host}){directory}/" if directory else f"{host})"


def _of_key(url: str, text: str) -> str:
    key = names.key(url)
    if isinstance(key, names.Refusal):
        raise _error(text)
    return key


def _from_surt(surt: str, text: str) -> str:
    parts = _SURT.fullmatch(surt)
    if not parts:
        raise _error(text)
    host, path = _without_www(parts["host"].lower()), parts["path"]
    if path is None and host == parts["host"].lower():
        return _domain(host)
    return f"{host})" if path in (None, "/") else f"{host}){path}"


def _domain(host: str) -> str:
    """The prefix of all hosts under this name. There are none under an address."""
    return _ADDRESS_AS_PREFIX.sub(r"\1)", f"{host},")


def _without_www(host: str) -> str:
    while (shorter := _WWW_LABEL.sub("", host)) != host and "," in shorter:
        host = shorter
    return host


def _error(text: str) -> SurtError:
    return SurtError(
        f"{text!r} is not a SURT prefix: expected for instance it, or it,unipd) or a domain or a URL"
    )
