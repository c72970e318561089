"""Whether the directories beside each other are members of one fleet, by their crawl.json. Nothing is written.

All members have the same seeds, scope, transport, public suffix list, size and table of slices. What a resume may
change may differ: a member that is lost has not learnt of it. So limits are not compared, and of two lists of seeds one
may contain the other.
"""

import json
from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path

from webgraph_it.crawl.changes import recorded
from webgraph_it.crawl.directory import SPIDER, DirectoryError, JobDirectory
from webgraph_it.crawl.identity import SHAPING
from webgraph_it.crawl.resuming import FLEET
from webgraph_it.crawl.survey import UNCHANGED
from webgraph_it.files.received import shown
from webgraph_it.settings_table import TABLE, OnResume
from webgraph_it.urls.seed_changes import contains_all_seeds

FIXED = tuple(name for name in SHAPING if TABLE[name].on_resume is OnResume.FIXED)
SEEDS = "SEEDS"
OF_FLEET = {"transport": "transport", "suffixes": "public suffix list", "slices": "table of slices"}
"""Members of `fleet` in crawl.json that do not differ, and their names in a sentence."""


def refuse_strangers(here: Mapping[int, Path]) -> None:
    """Raise DirectoryError if a member differs from most of the others; of two, the second is named."""
    directories = {number: JobDirectory(path) for number, path in here.items()}
    facts = {number: _facts(number, directory) for number, directory in directories.items()}
    for name in next(iter(facts.values()), ()):
        values = {number: each[name] for number, each in facts.items()}
        usual = Counter(values.values()).most_common(1)[0][0]
        model = next(number for number, value in values.items() if value == usual)
        for number, value in values.items():
            if value == usual or (name == SEEDS and _same_seeds(directories[number], directories[model])):
                continue
            raise DirectoryError(
                f"{here[number]} is not of the same fleet as {here[model].name}: its {name} is {shown(value)}, and "
                f"that of {here[model].name} is {shown(usual)}. Restore the right directory.{UNCHANGED}"
            )


def _facts(number: int, directory: JobDirectory) -> dict[str, Hashable]:
    """What all members have in common: a number or a text for each name. A table is a text, too."""
    record = directory.record()
    fleet, seeds = record.get(FLEET), record.get(SEEDS)
    if not isinstance(fleet, dict):
        raise DirectoryError(
            f"{directory.crawl_file} has {shown(fleet)} as {FLEET!r}, expected an object. Restore the file from a copy."
        )
    if fleet.get("member") != number:
        raise DirectoryError(
            f"{directory.path} was begun as member {shown(fleet.get('member'))}: give it its old name.{UNCHANGED}"
        )
    found = {
        "FLEET_SIZE": record.get("FLEET_SIZE"),
        **{words: fleet.get(name) for name, words in OF_FLEET.items()},
        SEEDS: seeds.get("md5") if isinstance(seeds, dict) else seeds,
        **{name: recorded(record, name) for name in ("recipe_version", SPIDER, *FIXED)},
    }
    return {
        name: json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value
        for name, value in found.items()
    }


def _same_seeds(one: JobDirectory, other: JobDirectory) -> bool:
    """Whether seeds were only added."""
    mine, theirs = one.seeds_copy(), other.seeds_copy()
    if mine is None or theirs is None:
        return False
    return contains_all_seeds(mine, theirs) or contains_all_seeds(theirs, mine)
