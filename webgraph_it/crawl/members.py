"""Several crawls of one machine as one: which directories belong together, and their status added up.

A fleet's members are the folders `member-01`, `member-02` … of one directory. Each is a crawl directory of its own,
with its own control socket, so a verb for all of them is the same verb for each.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from webgraph_it.shards.directory import CRAWL_FILE

ALL = "all"
"""Instead of a member's name."""
_MEMBER = re.compile(r"member-\d+")
SUMMED = (
    *("pages", "links", "pages_per_second", "mean_pages_per_second", "wire_bytes", "wire_bytes_per_second"),
    *("bandwidth_cap", "connections", "connections_cap", "queued", "seen", "rss_bytes", "commits"),
    *("hosts_ready", "hosts_waiting", "hosts_parked"),
)
LOWEST, HIGHEST = ("free_disk_bytes",), ("last_commit_seconds_ago",)


def members_of(folder: Path) -> list[Path]:
    """The members of a fleet's directory, in order; none if it is no such directory."""
    if not folder.is_dir() or (folder / CRAWL_FILE).exists():
        return []
    found = (each for each in folder.iterdir() if _MEMBER.fullmatch(each.name))
    return sorted(each for each in found if (each / CRAWL_FILE).is_file())


def crawls_beside(own: Path, others: Sequence[str]) -> dict[str, Path]:
    """The crawls that are shown together with `own`, by name, itself included.

    They are the `others` that were named, or else the members of the fleet that it belongs to.
    """
    own = own.resolve()
    given = [Path(each).resolve() for each in others]
    if not given and _MEMBER.fullmatch(own.name):
        given = members_of(own.parent)
    paths = sorted({own, *given}) if given else [own]
    names = [each.name for each in paths]
    return {each.name if names.count(each.name) == 1 else str(each): each for each in paths}


def totals_of(statuses: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Over the crawls that answered. A sum is None (no limit) if one of its parts is."""
    found: dict[str, Any] = {"running": sum(each["state"] == "running" for each in statuses)}
    for name in SUMMED:
        values = [each[name] for each in statuses]
        found[name] = None if None in values else sum(values)
    for names, chosen in ((LOWEST, min), (HIGHEST, max)):
        for name in names:
            found[name] = chosen((each[name] for each in statuses), default=0)
    return found
