"""Lists that a cluster made (`webgraph-it cluster priorities`) become a plan.

    lists.json           written last: policy, made
    revisits/*.parquet   priority, key, url, depth, host_depth, via, in order of key
    untried/*.parquet    digest, in_degree, in order of digest

Guarantees: the plan appears whole or not at all. Memory does not grow with the lists. A page that the crawl has not
fetched is skipped at the import, so every member of a fleet may get the same lists.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet

from webgraph_it.files.received import InputError, read_json_object
from webgraph_it.recrawl.plan_files import PlanError, Planned, new_plan, popularity
from webgraph_it.recrawl.planning import Made
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.fleet import members

LISTS_FILE = "lists.json"
REVISITS, UNTRIED = "revisits", "untried"


def import_lists(jobdir: Path, folder: Path) -> Made:
    """Make a plan for the crawl from the lists in `folder`. ShardError if `jobdir` is no crawl directory."""
    if not members(jobdir):
        CrawlDirectory(jobdir).recipe_version()
    try:
        said = read_json_object(folder / LISTS_FILE)
    except (OSError, InputError):
        raise PlanError(
            f"{folder} has no {LISTS_FILE}: give a finished folder of webgraph-it cluster priorities."
        ) from None
    policy, made = said.get("policy"), said.get("made")
    if not isinstance(policy, str) or not isinstance(made, (int, float)):
        raise PlanError(f"{folder / LISTS_FILE} does not say its policy and when it was made.")
    with new_plan(jobdir, policy, float(made)) as plan:
        for row in _rows(folder / REVISITS, [*Planned._fields]):
            plan.revisit(Planned(*row))
        for digest, in_degree in _rows(folder / UNTRIED, ["digest", "in_degree"]):
            plan.put_untried(digest, popularity(in_degree))
    return Made(plan.path, plan.revisits, plan.untried)


def _rows(folder: Path, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    for file in sorted(folder.glob("*.parquet")):
        with pyarrow.parquet.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(65_536, columns=columns):
                yield from zip(*(batch[name].to_pylist() for name in columns), strict=True)
