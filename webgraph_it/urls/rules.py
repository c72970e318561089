"""Rules for parts of the web: what is blocked or accepted, and which delay, quota, depth or priority holds there.

The first rule that matches a URL decides; later ones are not asked. A rule matches when every condition it has holds:
`surt` (a prefix, see surt.py), `match` (a regular expression, searched in the URL), `extension` (of the path) and
`mime` (of the reply, so it never matches a link). `delay` and `max_pages` belong to whole hosts, so a rule that sets
them has no other condition than a prefix without a path.

Pure. `Rules.first` takes less than a microsecond with 10,000 prefixes: what can match on a host is looked up once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from webgraph_it.urls.surt import SurtError, parse, starts

MAX_HOSTS_KEPT = 50_000
"""Hosts whose candidates are remembered: about 10 MB."""
CONDITIONS = ("surt", "match", "extension", "mime")
EFFECTS = ("block", "accept", "delay", "max_pages", "max_depth", "priority")
OF_HOSTS = ("delay", "max_pages")
PRIORITIES = range(-100, 101)
MAX_PATTERN_LENGTH = 500


class RuleError(ValueError):
    """What is wrong with a rule, in one sentence."""


class Rule(NamedTuple):
    """One rule. An empty condition holds always; an effect that is None leaves the crawl's own setting in force."""

    surt: str = ""
    match: re.Pattern[str] | None = None
    extension: str = ""
    mime: str = ""
    block: bool = False
    accept: bool = False
    delay: float | None = None
    """Seconds between two fetches of a host, unless its robots.txt asks for more."""
    max_pages: int | None = None
    """URLs accepted of each host."""
    max_depth: int | None = None
    """Links from a seed."""
    priority: int | None = None
    """Lower is fetched earlier; 0 is the usual one."""

    @property
    def is_of_hosts(self) -> bool:
        """Whether it covers hosts as a whole, whatever the path and the port."""
        path_or_port = self.surt.partition(")")[2]
        return bool(self.surt) and not (path_or_port or self.match or self.extension or self.mime)

    def is_all_of(self, surt: str) -> bool:
        """Whether it covers every URL under a prefix."""
        others = self.match or self.extension or self.mime
        return not others and bool(self.surt) and surt.startswith(starts(self.surt))

    def covers(self, key: str, url: str, mime: str) -> bool:
        if self.surt and not key.startswith(starts(self.surt)):
            return False
        if self.mime and mime != self.mime:
            return False
        if self.extension and not _has_extension(key, self.extension):
            return False
        return self.match is None or self.match.search(url) is not None

    def written(self) -> dict[str, Any]:
        """As in a rules file: only what it says."""
        unsaid = self._field_defaults
        said = {
            name: value for name, value in self._asdict().items() if value is not unsaid[name] and value != ""
        }
        if self.match is not None:
            said["match"] = self.match.pattern
        return said


class Rules:
    """The rules of a crawl, in order."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self.rules = tuple(rules)
        self._by_start: dict[str, list[int]] = {}
        """Rules whose prefix covers whole hosts, by what the keys of those hosts begin with."""
        self._by_host: dict[str, list[int]] = {}
        """Rules whose prefix has a path or a port, by its host."""
        self._anywhere: list[int] = []
        for place, rule in enumerate(self.rules):
            self._file(place, rule)
        self._candidates: dict[str, tuple[Rule, ...]] = {}

    def _file(self, place: int, rule: Rule) -> None:
        host, parenthesis, path = rule.surt.partition(")")
        if not rule.surt:
            self._anywhere.append(place)
        elif path:
            self._by_host.setdefault(host, []).append(place)
        else:
            for start in starts(host + parenthesis):
                self._by_start.setdefault(start, []).append(place)

    def __repr__(self) -> str:
        return f"<Rules: {len(self.rules)}>"

    def __bool__(self) -> bool:
        return bool(self.rules)

    def first(self, key: str, url: str, mime: str = "") -> Rule | None:
        """The rule that decides about a URL; with `mime`, about a reply."""
        host = key.partition(")")[0]
        candidates = self._candidates.get(host)
        if candidates is None:
            candidates = self._look_up(host)
        for rule in candidates:
            if rule.is_of_hosts or rule.covers(key, url, mime):
                return rule
        return None

    def of_host(self, host: str) -> Rule | None:
        """The rule for a host (`it,unipd`) as a whole."""
        candidates = self._candidates.get(host)
        if candidates is None:
            candidates = self._look_up(host)
        return candidates[-1] if candidates and candidates[-1].is_of_hosts else None

    def _look_up(self, host: str) -> tuple[Rule, ...]:
        """What can match on this host, in order, up to the first that always does."""
        places = set(self._anywhere).union(self._by_host.get(host, ()))
        for start in _starts_of_host(host):
            places.update(self._by_start.get(start, ()))
        found: list[Rule] = []
        for place in sorted(places):
            found.append(self.rules[place])
            if found[-1].is_of_hosts:
                break
        if len(self._candidates) >= MAX_HOSTS_KEPT:
            self._candidates.clear()
        candidates = self._candidates[host] = tuple(found)
        return candidates


def _starts_of_host(host: str) -> Iterator[str]:
    """What a prefix of whole hosts that covers this one begins with: `it,` `it,unipd,` `it,unipd)`."""
    place = host.find(",")
    while place >= 0:
        yield host[: place + 1]
        place = host.find(",", place + 1)
    yield host + ")"


def _has_extension(key: str, extension: str) -> bool:
    path = key.partition("?")[0]
    return path[path.rfind("/") + 1 :].lower().endswith(f".{extension}")


# -- from what people write ------------------------------------------------------------------------------------


def rule_of(said: Mapping[str, Any]) -> Rule:
    """A rule as a TOML table or a JSON object says it; RuleError names the first mistake."""
    for name in said:
        if name not in CONDITIONS + EFFECTS:
            raise RuleError(
                f"{name!r} is unknown; expected: a condition ({', '.join(CONDITIONS)}) "
                f"or an effect ({', '.join(EFFECTS)})"
            )
    values = {name: _READERS[name](name, value) for name, value in said.items()}
    rule = Rule(**values)
    if not any(getattr(rule, name) for name in CONDITIONS):
        raise RuleError(f"it has no condition; expected: one of {', '.join(CONDITIONS)}")
    if rule.block + rule.accept + sum(getattr(rule, name) is not None for name in EFFECTS[2:]) == 0:
        raise RuleError(f"it has no effect; expected: one of {', '.join(EFFECTS)}")
    if rule.block and rule.accept:
        raise RuleError("it blocks and accepts; expected: one of the two")
    of_hosts = [name for name in OF_HOSTS if getattr(rule, name) is not None]
    if of_hosts and not rule.is_of_hosts:
        raise RuleError(
            f"{of_hosts[0]} holds for whole hosts; expected: a surt without a path or a port, and no other condition"
        )
    return rule


def rules_of(tables: object) -> Rules:
    """The rules of a list of tables; RuleError names the rule by its number."""
    if not isinstance(tables, list):
        raise RuleError("[[rule]] tables were expected")
    found: list[Rule] = []
    for number, table in enumerate(tables, 1):
        if not isinstance(table, Mapping):
            raise RuleError(f"rule {number} is not a table; expected: [[rule]] and lines name = value")
        try:
            found.append(rule_of(table))
        except RuleError as error:
            raise RuleError(f"rule {number}: {error}") from None
    return Rules(found)


def _prefix(name: str, value: object) -> str:
    try:
        return parse(_text(name, value))
    except SurtError as error:
        raise RuleError(str(error)) from None


def _pattern(name: str, value: object) -> re.Pattern[str]:
    text = _text(name, value)
    if len(text) > MAX_PATTERN_LENGTH:
        raise RuleError(f"match has {len(text)} characters; expected: at most {MAX_PATTERN_LENGTH}")
    try:
        return re.compile(text)
    except re.error as error:
        raise RuleError(f"match is {text!r}, not a regular expression ({error})") from None


def _extension(name: str, value: object) -> str:
    return _text(name, value).lower().lstrip(".")


def _mime(name: str, value: object) -> str:
    text = _text(name, value).lower()
    if text.count("/") != 1:
        raise RuleError(f"mime is {text!r}; expected: a media type such as application/pdf")
    return text


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise RuleError(f"{name} is {value!r}; expected: a text that is not empty")
    return value.strip()


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise RuleError(f"{name} is {value!r}; expected: true or false")
    return value


def _seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 86_400:
        raise RuleError(f"{name} is {value!r}; expected: seconds, 0 to 86400")
    return float(value)


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RuleError(f"{name} is {value!r}; expected: a whole number, 0 or more")
    return value


def _priority(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value not in PRIORITIES:
        raise RuleError(f"{name} is {value!r}; expected: a whole number from -100 (first) to 100 (last)")
    return value


_READERS: Mapping[str, Any] = {
    "surt": _prefix,
    "match": _pattern,
    "extension": _extension,
    "mime": _mime,
    "block": _flag,
    "accept": _flag,
    "delay": _seconds,
    "max_pages": _count,
    "max_depth": _count,
    "priority": _priority,
}
