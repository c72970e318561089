"""Decides whether the rules of a robots.txt allow a path (RFC 9309, sections 2.2.2 and 2.2.3). Pure.

    allow and disallow lines ──Rules──► allowed(path)

The longest matching rule decides; of two equally long ones, the one that allows. The length of a rule is its length as
written, except that octets outside ASCII count as their escapes. Two spellings of a path are compared as octets: every
escape is decoded, except that `%2F` is not `/` in a path (in a query it is).

We do not use protego for matching, for two reasons. It ranks rules by their length after escaping `?`, `&`, `:` and
others, so a short rule with such characters overrides a longer one. And it tries up to 20,000 rules one by one.

Guarantees: total; a decision costs at most one dictionary lookup for each length of a literal rule, and
MAX_STEPS comparisons of characters for the rules with wildcards. It does not know files, groups and delays.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MAX_STEPS = 10_000_000
"""Maximum of (characters of wildcard rules that may apply) × (characters of the path): 5 ms at worst. If a decision
could take more, the path is not allowed."""

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_ESCAPED_SLASH = "\u0100"
"""`%2F` in a path. Octets are U+0000 to U+00FF, so this is not an octet."""
_INDEX = "/index.htm"


class _Wildcard(NamedTuple):
    """A rule with an asterisk before its end."""

    score: int
    parts: tuple[str, ...]
    """The parts after the asterisks; none is empty."""
    is_anchored: bool
    """Whether the last part must be at the end of the path."""


class _Wildcards(NamedTuple):
    """Wildcard rules that begin with the same literal, longest first."""

    rules: list[_Wildcard]
    size: int
    """Total characters of their parts."""


class Rules:
    """The rules of one group, as written, one character per octet. None is empty.

    Each has a score: twice its length, plus one if it allows.
    """

    __slots__ = ("_exact", "_lengths", "_prefixes", "_wildcards")

    def __init__(self, allows: Sequence[str] = (), disallows: Sequence[str] = ()) -> None:
        self._prefixes: dict[str, int] = {}
        self._exact: dict[str, int] = {}
        prefixes, special = self._prefixes, [(text, 1) for text in _directories(allows)]
        for allow, texts in enumerate((disallows, allows)):
            for text in texts:
                if "%" in text or "*" in text or text[-1] == "$" or not text.isascii():
                    special.append((text, allow))
                else:
                    prefixes[text] = 2 * len(text) + allow
        grouped: dict[str, list[_Wildcard]] = {}
        for text, allow in special:
            self._add(text, allow, grouped)
        self._wildcards = {literal: _sorted(rules) for literal, rules in grouped.items()}
        self._lengths = sorted({*map(len, self._prefixes), *map(len, self._wildcards)})

    def allowed(self, path: str) -> bool:
        """Whether the path, with its query, may be fetched. It must begin with a slash."""
        octets, query = _octets_of_path(path)
        best = self._exact.get(octets, 0)
        candidates: list[tuple[int, _Wildcards]] = []
        for length in self._lengths:
            if length > len(octets):
                break
            literal = octets[:length]
            best = max(best, self._prefixes.get(literal, 0))
            if literal in self._wildcards:
                candidates.append((length, self._wildcards[literal]))
        if len(octets) * sum(group.size for _, group in candidates) > MAX_STEPS:
            return False
        for length, group in candidates:
            best = max(best, _best(group.rules, octets, length, query, best))
        return best % 2 == 1 or best == 0

    def _add(self, text: str, allow: int, grouped: dict[str, list[_Wildcard]]) -> None:
        score = 2 * _length(text) + allow
        is_anchored = text[-1] == "$"
        literal, *others = _parts(text[:-1] if is_anchored else text)
        if not others:
            known = self._exact if is_anchored else self._prefixes
            known[literal] = max(score, known.get(literal, 0))
        elif parts := tuple(part for part in others if part):
            wildcard = _Wildcard(score, parts, is_anchored and bool(others[-1]))
            grouped.setdefault(literal, []).append(wildcard)
        else:  # `/a*` and `/a*$` are `/a`, but longer
            self._prefixes[literal] = max(score, self._prefixes.get(literal, 0))


def _length(text: str) -> int:
    """An octet outside ASCII counts as three, the length of its escape."""
    return len(text) if text.isascii() else 2 * len(text.encode()) - len(text)


def _directories(allows: Sequence[str]) -> Iterator[str]:
    """A rule that allows `/a/index.html` also allows `/a/`, as in the parser of Google, whose authors wrote the RFC."""
    for text in allows:
        if _INDEX in text:
            slash = text.rfind("/")
            if text.startswith(_INDEX, slash):
                yield text[: slash + 1] + "$"


def _sorted(rules: list[_Wildcard]) -> _Wildcards:
    rules.sort(key=lambda rule: rule.score, reverse=True)
    return _Wildcards(rules, sum(len(part) for rule in rules for part in rule.parts))


def _best(rules: list[_Wildcard], octets: str, start: int, query: int, least: int) -> int:
    """The score of the first rule that matches from `start` on, if it is greater than `least`; otherwise 0."""
    for rule in rules:
        if rule.score <= least:
            break
        if _matches(rule, octets, start, query):
            return rule.score
    return 0


def _matches(rule: _Wildcard, octets: str, end: int, query: int) -> bool:
    """Matches each part as early as possible. That leaves the most room for the rest, so there is no backtracking."""
    parts = rule.parts[:-1] if rule.is_anchored else rule.parts
    for part in parts:
        start = _find(part, octets, end, query)
        if start < 0:
            return False
        end = start + len(part)
    if not rule.is_anchored:
        return True
    start = len(octets) - len(rule.parts[-1])
    return start >= end and _find(rule.parts[-1], octets, start, query) == start


def _find(part: str, octets: str, start: int, query: int) -> int:
    found = octets.find(part, start)
    if _ESCAPED_SLASH in part:  # the part may be in the query, where `%2F` is `/`
        in_query = octets.find(part.replace(_ESCAPED_SLASH, "/"), max(start, query))
        return in_query if found < 0 else found if in_query < 0 else min(found, in_query)
    return found


# -- octets -------------------------------------------------------------------------------------------------


def _octets_of_path(path: str) -> tuple[str, int]:
    """The path in comparable form, and where its query begins."""
    if "%" not in path:
        query = path.find("?")
        return path, query if query >= 0 else len(path)
    before, question_mark, query_text = path.partition("?")
    octets = _decoded(before)
    return octets + question_mark + _decoded(query_text).replace(_ESCAPED_SLASH, "/"), len(octets)


def _parts(text: str) -> list[str]:
    """The parts between a rule's asterisks, in comparable form. What follows the first `?` is in a query."""
    if "*" not in text and "?" not in text:
        return [_decoded(text)]
    before, question_mark, query = text.partition("?")
    whole = [_decoded(part) for part in before.split("*")]
    if question_mark:
        first, *others = (_decoded(part).replace(_ESCAPED_SLASH, "/") for part in query.split("*"))
        whole[-1] += question_mark + first
        whole += others
    return whole


def _decoded(text: str) -> str:
    return _ESCAPE.sub(_octet, text) if "%" in text else text


def _octet(escape: re.Match[str]) -> str:
    return _OCTETS[escape[0]]


_DIGITS = "0123456789ABCDEFabcdef"
_OCTETS = {f"%{high}{low}": chr(int(high + low, 16)) for high in _DIGITS for low in _DIGITS}
_OCTETS |= {"%2F": _ESCAPED_SLASH, "%2f": _ESCAPED_SLASH}
