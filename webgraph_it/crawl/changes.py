"""What may change when a crawl is resumed. Pure.

The names, the scope and the kinds of links define the graph, so changing them would make another crawl. A change that
only adds is allowed: more seeds, or a limit that is raised or removed (0 means no limit). Nodes that the old limit cut
are reconsidered under the new one (crawl/reconsider.py). Which setting may change how is in settings_table.py.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from webgraph_it.settings_table import TABLE, OnResume, Unrecorded

SETTINGS = "settings"
"""Member of crawl.json with the settings that were given and do not shape the graph."""


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
        before = recorded(found, name)
        if before == now or (name == "SEEDS" and same_seeds(before, now)):
            continue
        row = TABLE.get(name)
        if row is None:
            adds = False
        elif before is None:
            adds = name not in found and row.unrecorded is not Unrecorded.DAMAGE
        elif row.on_resume is OnResume.MAY_RISE:
            adds = only_raised(before, now)
        else:
            adds = row.on_resume is OnResume.MAY_GROW and seeds_only_added(wanted)
        (allowed if adds else refused).append(Change(name, before, now))
    return allowed, refused


def recorded(found: Mapping[str, Any], name: str) -> Any:
    """The value that a crawl started with, from its crawl.json; None if the file does not have it.

    Earlier versions recorded LINK_KINDS_FOLLOWED, which creates nodes, among the other settings, and only if it was
    given.
    """
    row = TABLE.get(name)
    if name in found or row is None or row.unrecorded is not Unrecorded.ELSEWHERE or SETTINGS not in found:
        return found.get(name)
    return found[SETTINGS].get(name, row.default_value)


def only_raised(before: Any, now: Any) -> bool:
    """Whether the new limit admits everything that the old one did; 0 means no limit."""
    if not isinstance(before, int) or not isinstance(now, int):
        return False
    return now == 0 or 0 < before <= now


def same_seeds(before: Any, now: Any) -> bool:
    """Compared by content: the path does not matter."""
    return isinstance(before, dict) and isinstance(now, dict) and before.get("md5") == now.get("md5")


def _short(value: Any, most: int = 80) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else text[: most - 1] + "…"
