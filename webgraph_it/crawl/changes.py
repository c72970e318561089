"""What may change when a crawl is resumed: pure.

The names, the scope and the kinds of links make a graph what it is: other ones are another crawl. A change that
only adds is welcome: more seeds, and a limit that is raised or removed (0 is no limit). What an old limit had cut
is reconsidered under the new one (crawl/reconsider.py).
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

LIMITS = ("MAX_DEPTH", "MAX_PAGES_PER_HOST")
"""Limits whose cuts are in the page log as `quota-cut`, so that they can be taken back."""


ADDED_LATER = ("ALLOWED_PORTS", "MAX_HOSTS_PER_DOMAIN")
"""Settings that a directory of an earlier version does not know: they count from its resume on."""


class Change(NamedTuple):
    """One setting, before and now."""

    name: str
    before: Any
    now: Any

    def __str__(self) -> str:
        before = "unknown to this crawl" if self.before is None else _short(self.before)
        return f"{self.name} was {before} and is now {_short(self.now)}"


def judged(
    found: Mapping[str, Any],
    wanted: Mapping[str, Any],
    seeds_only_added: Callable[[Mapping[str, Any]], bool],
) -> tuple[list[Change], list[Change]]:
    """The differences between two identities: those that only add, and those that are refused."""
    allowed: list[Change] = []
    refused: list[Change] = []
    for name, now in wanted.items():
        before = found.get(name)
        if before == now or (name == "SEEDS" and same_seeds(before, now)):
            continue
        if name in LIMITS:
            adds = only_raised(before, now)
        elif name in ADDED_LATER:
            adds = name not in found
        else:
            adds = name == "SEEDS" and seeds_only_added(wanted)
        (allowed if adds else refused).append(Change(name, before, now))
    return allowed, refused


def only_raised(before: Any, now: Any) -> bool:
    """Whether a limit, where 0 is none, lets through all that it did."""
    if not isinstance(before, int) or not isinstance(now, int):
        return False
    return now == 0 or 0 < before <= now


def same_seeds(before: Any, now: Any) -> bool:
    """By content: where the file lies does not matter."""
    return isinstance(before, dict) and isinstance(now, dict) and before.get("md5") == now.get("md5")


def _short(value: Any, most: int = 80) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else text[: most - 1] + "…"
