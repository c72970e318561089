"""`webgraph-it recrawl plan`: which pages of a crawl to visit again. See docs/recrawl.md."""

import os
import shutil
import time
from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.compiling import compiling_is_told
from webgraph_it.cli.shell.mistakes import Mistake, mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import check_memory, count, size
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.progress import Progress


def add_options(parser: Parser) -> None:
    from webgraph_it.recrawl.policies import POLICIES

    add = parser.add_argument
    add("jobdir", type=Path, metavar="JOBDIR", help="the directory of the crawl; it may be running")
    add("--budget", type=count, metavar="N", help="maximum number of re-visits (all pages that were fetched)")
    add("--policy", choices=sorted(POLICIES), default="smoothed", help="which pages come first (smoothed)")
    add("--from", dest="lists", type=Path, metavar="DIR", help="take over what cluster priorities made")
    add("--memory", type=size, default="2G", metavar="SIZE", help="memory for sorting, such as 512M (2G)")
    add("--threads", type=count, default=os.cpu_count() or 1, metavar="N", help="threads (one per core)")


def run(options: Namespace) -> int:
    from webgraph_it.convert.sources import ConvertError
    from webgraph_it.recrawl.lists import import_lists
    from webgraph_it.recrawl.plan_files import PlanError, give
    from webgraph_it.recrawl.planning import make_plan
    from webgraph_it.shards.fleet import members
    from webgraph_it.shards.formats import ShardError

    if options.budget is not None and options.budget < 0:
        raise Mistake(f"--budget is {options.budget}; expected 0 or more.")
    if options.threads < 1:
        raise Mistake(f"--threads is {options.threads}; expected 1 or more.")
    check_memory(options.memory)
    progress = Progress()
    with mistakes(ConvertError, ShardError, PlanError), compiling_is_told(progress):
        made = (
            import_lists(options.jobdir, options.lists)
            if options.lists
            else make_plan(
                options.jobdir,
                options.policy,
                options.budget,
                time.time(),
                options.memory,
                options.threads,
                progress,
            )
        )
        if here := members(options.jobdir):
            give(made.path, here.values())
            shutil.rmtree(made.path)
            print(f"{options.jobdir} is a fleet: each of its {len(here)} members has this plan.")
    print(
        f"{made.path}: {made.revisits:,} re-visits, {made.untried:,} untried URLs. The crawl takes it over when it is "
        f"resumed, or at its next checkpoint: webgraph-it control {options.jobdir} checkpoint"
    )
    return 0


VERB = Verb(
    name="recrawl plan",
    summary="Choose the pages of a crawl that are visited again, and hand the list to the crawl.",
    examples=("webgraph-it recrawl plan crawls/italy-1 --budget 1000",),
    add_options=add_options,
    run=run,
    interrupted="Interrupted: there is no new plan.",
)
