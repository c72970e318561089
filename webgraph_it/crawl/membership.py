"""Which member of which fleet a crawl is: from its settings and its crawl.json. Decides nothing else.

`JOBDIR` is the directory of the fleet. The member's own directory is `member-01/` in it, and everything else in the
crawl knows only that one. crawl.json of each member has FLEET_SIZE, and under `fleet` the member's number, the table of
slices, the kind of transport and the checksum of the public suffix list. A start that contradicts it is refused.
"""

import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any

from webgraph_it.crawl.directory import DirectoryError, JobDirectory
from webgraph_it.crawl.identity import SHAPING, Values
from webgraph_it.crawl.remembered import COMMAND_LINE
from webgraph_it.crawl.resuming import FLEET, LOCAL, fleet_command, resume_command, unfinished_change
from webgraph_it.crawl.values import Settings, SettingsError, check_one
from webgraph_it.files.own import refuse_folder
from webgraph_it.files.received import shown
from webgraph_it.fleet.redis.link import place_of
from webgraph_it.fleet.slices import Table, TableError, as_text, balanced, from_text
from webgraph_it.settings_table import CrawlSettings
from webgraph_it.shards.directory import CRAWL_FILE, CrawlDirectory
from webgraph_it.shards.fleet import BOARD_FOLDER, fleet_size, member_folder, member_number
from webgraph_it.urls.domains import suffixes_checksum
from webgraph_it.urls.names import RECIPE_VERSION
from webgraph_it.urls.seeds import md5_of

FLEET_DIRECTORY = "FLEET_DIRECTORY"
"""The setting in which the directory of the fleet is kept, once JOBDIR is that of the member."""
SHARED = ("MAX_TCP_CONNECTIONS", "ADDRESS_DELAY")
"""What the members share, besides what shapes the graph: each must count with the same numbers."""
LONGEST_VALUE = 40


@dataclass(frozen=True, slots=True)
class Membership:
    """A member of a fleet."""

    directory: Path
    """Of the fleet."""
    number: int
    size: int
    transport: str
    """The setting FLEET."""
    table: Table
    common: Mapping[str, str]
    """What all members must have in common, each as a short text."""

    @property
    def path(self) -> Path:
        """The member's own directory."""
        return self.directory / member_folder(self.number)


def enter(settings: Settings) -> None:
    """If the settings name a member, let JOBDIR be its directory. Raises SettingsError."""
    if settings.get(FLEET_DIRECTORY):
        return
    number = check_one(settings, CrawlSettings.FLEET_MEMBER)
    size = check_one(settings, CrawlSettings.FLEET_SIZE)
    jobdir = str(settings.get("JOBDIR") or "").strip()
    if not number:
        _refuse_whole_fleet(Path(jobdir) if jobdir else None, size)
        return
    if not jobdir:
        raise SettingsError(
            f"FLEET_MEMBER is {number} and JOBDIR is missing; expected: the directory of the fleet, the same for all "
            "of its members."
        )
    directory = Path(jobdir)
    if other := misplaced(directory):
        raise SettingsError(f"FLEET_MEMBER is {number} and JOBDIR {other}")
    if change := unfinished_change(directory):
        raise SettingsError(f"JOBDIR {change}")
    settings.set(FLEET_DIRECTORY, jobdir, priority="cmdline")
    settings.set("JOBDIR", str(directory / member_folder(number)), priority=COMMAND_LINE + 2)


def misplaced(directory: Path) -> str:
    """What a directory is that cannot be a fleet's, and what was expected. Empty if it can be."""
    if not (directory / CRAWL_FILE).exists():
        return ""
    if member_number(directory):
        return f"{directory} is the directory of one member; expected: that of the fleet, {directory.parent}."
    return f"{directory} is the directory of a single crawl; expected: that of a fleet, or a new one."


def _refuse_member(directory: Path) -> None:
    """As JOBDIR: what it fetched alone would be in the graph twice, and outside the fleet's budget."""
    job = JobDirectory(directory)
    if FLEET in job.record():
        raise SettingsError(
            f"JOBDIR {directory} is the directory of one member of a fleet; expected: that of the fleet, "
            f"{directory.parent}. To resume: {resume_command(job.spider(), directory)}"
        )


def _refuse_whole_fleet(directory: Path | None, size: int) -> None:
    if directory is not None and (found := fleet_size(directory)):
        raise SettingsError(
            f"JOBDIR {directory} is the directory of a fleet of {found} members. To resume all of them: "
            f"{fleet_command(directory, found)}. To resume one: add -s FLEET_MEMBER=1."
        )
    if size:
        raise SettingsError(
            f"FLEET_SIZE is {size} and FLEET_MEMBER is missing; expected: which of the {size} members this process is. "
            f"To start all of them on this machine: {fleet_command(directory or Path('DIR'), size)}"
        )


def check_membership(settings: Values) -> None:
    """After the settings are typed: the numbers fit each other, and the members that are here. Raises SettingsError."""
    number, size = settings["FLEET_MEMBER"], settings["FLEET_SIZE"]
    if not number:
        _refuse_unused_server(settings["FLEET"])
        return
    if not size:
        raise SettingsError(
            f"FLEET_MEMBER is {number} and FLEET_SIZE is missing; expected: the number of members of the fleet."
        )
    if number > size:
        raise SettingsError(
            f"FLEET_MEMBER is {number} and FLEET_SIZE is {size}; expected: a member from 1 to {size}."
        )
    if settings["SITEMAPS"]:
        raise SettingsError(
            "SITEMAPS is true; expected: false in a fleet, because a sitemap may be on a site of another member."
        )
    cap = settings["MAX_TCP_CONNECTIONS"]
    if cap < size:
        raise SettingsError(
            f"MAX_TCP_CONNECTIONS is {cap} and FLEET_SIZE is {size}; expected: at least one connection for each member."
        )


def _refuse_unused_server(transport: str) -> None:
    if transport != LOCAL:
        raise SettingsError(
            f"FLEET is {place_of(transport)} and FLEET_SIZE and FLEET_MEMBER are missing; expected: how many members "
            "the fleet has, and which of them this process is. Leave FLEET out for a crawl that is in no fleet."
        )


def refuse_other_fleet(settings: Settings) -> None:
    """Raise SettingsError if JOBDIR belongs to a fleet, and this is no member of it or thinks of another size, and
    NotOursError if the fleet's notice board is no folder of ours."""
    directory = Path(str(settings.get(FLEET_DIRECTORY) or ""))
    if not settings.get(FLEET_DIRECTORY):
        if settings.get("JOBDIR"):
            _refuse_member(Path(str(settings["JOBDIR"])))
        return
    if settings["FLEET"] == LOCAL and os.path.lexists(directory / BOARD_FOLDER):
        refuse_folder(directory / BOARD_FOLDER)
    size = settings["FLEET_SIZE"]
    if (found := fleet_size(directory)) and found != size:
        raise SettingsError(
            f"FLEET_SIZE is {size} and {directory} is the directory of a fleet of {found} members. Give {found}, or "
            f"stop the fleet and change it: webgraph-it fleet resize {shlex.quote(str(directory))} --to {size}"
        )


def fleet_identity(settings: Values, own: CrawlDirectory) -> dict[str, Any]:
    """What crawl.json says about the fleet; empty if there is none. DirectoryError if it contradicts that of `own`."""
    number = settings["FLEET_MEMBER"]
    if not number:
        return {}
    found = own.record().get(FLEET)
    now = {
        "member": number,
        "transport": settings["FLEET"].partition(":")[0].replace("rediss", "redis"),
        "suffixes": suffixes_checksum(),
        "slices": as_text(balanced(settings["FLEET_SIZE"])),
    }
    if found is None:
        return {FLEET: now}
    if not isinstance(found, dict):
        raise DirectoryError(
            f"crawl.json of {own.path} has {shown(found)} as {FLEET!r}, expected an object. "
            "Restore the file from a copy."
        )
    now["slices"] = found.get("slices")
    for name, remedy in _REMEDIES.items():
        if found.get(name) != now[name]:
            raise DirectoryError(
                f"{own.path} was begun with {name} {shown(found.get(name))}, and now it is "
                f"{shown(now[name])}. {remedy}"
            )
    return {FLEET: now}


_REMEDIES = {
    "member": "The directory was renamed: give it its old name.",
    "transport": "Give FLEET as it was, to all members.",
    "suffixes": "With another public suffix list some sites would change their owners: use the version of tldextract "
    "that the crawl was begun with.",
}


def membership_of(settings: Values) -> Membership | None:
    """The member that this crawl is; None if it is in no fleet. Call it once crawl.json is written."""
    number = settings["FLEET_MEMBER"]
    if not number:
        return None
    directory = Path(settings[FLEET_DIRECTORY])
    own = CrawlDirectory(directory / member_folder(number))
    try:
        table = from_text(own.record().get(FLEET, {}).get("slices"))
    except TableError as error:
        raise DirectoryError(
            f"crawl.json of {own.path} is damaged: {error} Restore the file from a copy."
        ) from None
    return Membership(
        directory, number, settings["FLEET_SIZE"], settings["FLEET"], table, _common(settings, table)
    )


def _common(settings: Values, table: Table) -> dict[str, str]:
    values = {
        "recipe_version": RECIPE_VERSION,
        "SEEDS": md5_of(Path(settings["SEEDS"])),
        "public suffix list": suffixes_checksum(),
        "table of slices": as_text(table),
        **{name: settings[name] for name in SHAPING},
        **{name: settings[name] for name in SHARED},
    }
    return {name: _short(value) for name, value in values.items()}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= LONGEST_VALUE else md5(text.encode(), usedforsecurity=False).hexdigest()[:12]
