"""`webgraph-it recrawl plan`: which pages of a crawl to visit again. See docs/recrawl.md."""

import os
import shlex
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
    add("--policy", choices=sorted(POLICIES), help="which pages come first (smoothed)")
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
    if options.lists and (options.budget is not None or options.policy):
        raise Mistake(
            "--budget and --policy belong to webgraph-it cluster priorities, which made the lists of --from; "
            "expected: recrawl plan --from without them."
        )
    progress = Progress()
    with mistakes(ConvertError, ShardError, PlanError), compiling_is_told(progress):
        made = (
            import_lists(options.jobdir, options.lists)
            if options.lists
            else make_plan(
                options.jobdir,
                options.policy or "smoothed",
                options.budget,
                time.time(),
                options.memory,
                options.threads,
                progress,
            )
        )
        where, who = made.path, "The crawl"
        if here := members(options.jobdir):
            where, who = options.jobdir, "Each member"
            print("\n".join(map(str, give(made.path, here.values()))))
            shutil.rmtree(made.path)
    planned = f"{_count(made.revisits, 're-visit')}, {_count(made.untried, 'untried URL')}"
    checkpoint = f"webgraph-it control {shlex.quote(str(options.jobdir))} checkpoint"
    print(
        f"{where}: {planned}. {who} takes the plan over when it is resumed, or at its next checkpoint: {checkpoint}"
    )
    return 0


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


VERB = Verb(
    name="recrawl plan",
    summary="Choose the pages of a crawl that are visited again, and hand the list to the crawl.",
    examples=("webgraph-it recrawl plan crawls/italy-1 --budget 1000",),
    add_options=add_options,
    run=run,
    interrupted="Interrupted: there is no new plan.",
)
