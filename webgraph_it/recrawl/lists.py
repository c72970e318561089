"""Lists that a cluster made (`webgraph-it cluster priorities`) become a plan.

    lists.json           written last: policy, made, crawls (the identity of each), rows of the tables
    revisits/*.parquet   priority, key, url, depth, host_depth, via, in order of key
    untried/*.parquet    digest, in_degree, in order of digest

Guarantees: the plan appears whole or not at all. Memory does not grow with the lists. A page that the crawl has not
fetched is skipped at the import, so every member of a fleet may get the same lists.
"""

import shlex
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from webgraph_it.files.received import InputError, read_json_object
from webgraph_it.files.tables import batches, check_tables
from webgraph_it.recrawl.plan_files import LONGEST_LINE, PlanError, Planned, new_plan, popularity
from webgraph_it.recrawl.planning import Made
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.fleet import members
from webgraph_it.shards.formats import PAGES_FOLDER

LISTS_FILE = "lists.json"
REVISITS, UNTRIED = "revisits", "untried"


def import_lists(jobdir: Path, folder: Path) -> Made:
    """Make a plan for the crawl from the lists in `folder`. ShardError if `jobdir` is no crawl directory."""
    crawls = [CrawlDirectory(path) for path in members(jobdir).values() or [jobdir]]
    for crawl in crawls:
        crawl.recipe_version()
    if not folder.is_dir():
        raise PlanError(f"--from {folder} is not a folder: give that of webgraph-it cluster priorities.")
    try:
        said = read_json_object(folder / LISTS_FILE)
    except (OSError, InputError):
        raise PlanError(
            f"{folder} has no {LISTS_FILE}: give a finished folder of webgraph-it cluster priorities."
        ) from None
    policy, made, of = said.get("policy"), said.get("made"), said.get("crawls")
    if not isinstance(policy, str) or not isinstance(made, (int, float)) or not isinstance(of, list):
        raise PlanError(
            f"{folder / LISTS_FILE} does not say its policy, when it was made and of which crawls: make it again with "
            "webgraph-it cluster priorities."
        )
    known = {identity for crawl in crawls if (identity := _identity(crawl))}
    if not known:
        raise PlanError(f"{jobdir} has fetched no page yet: there is nothing to visit again.")
    if not known & {*of}:
        raise PlanError(
            f"{folder} has the lists of another crawl than {jobdir}: make them with webgraph-it cluster priorities "
            f"{shlex.quote(str(jobdir))}."
        )
    try:
        check_tables(folder, said.get("rows"), (REVISITS, UNTRIED), "cluster priorities")
        with new_plan(jobdir, policy, float(made)) as plan:
            for row in _rows(folder / REVISITS, Planned._fields):
                plan.revisit(Planned(*row))
            for digest, in_degree in _rows(folder / UNTRIED, ("digest", "in_degree")):
                plan.put_untried(digest, popularity(in_degree))
    except InputError as error:
        raise PlanError(str(error)) from None
    return Made(plan.path, plan.revisits, plan.untried)


def identity_of(log: IO[bytes]) -> str:
    """What a crawl has in common with its copies only: a hash of the first line of its page log, which has a time."""
    return sha256(log.read(LONGEST_LINE).partition(b"\n")[0]).hexdigest()


def _identity(crawl: CrawlDirectory) -> str | None:
    """None if nothing was fetched."""
    part = next(iter(crawl.parts(PAGES_FOLDER)), None)
    if part is None or not part.length:
        return None
    with part.path.open("rb") as log:
        return identity_of(log)


def _rows(table: Path, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for batch in batches(table, columns):
        yield from zip(*(batch[name].to_pylist() for name in columns), strict=True)
