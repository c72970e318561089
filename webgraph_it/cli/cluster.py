"""`webgraph-it cluster`: degrees, ranks and graphs of crawl directories on Apache Spark. See docs/cluster.md."""

import time
from argparse import Namespace

from webgraph_it.cli.shell.mistakes import Failure, Mistake, mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import count, number, size
from webgraph_it.cli.shell.verb import Verb


def add_options(parser: Parser) -> None:
    from webgraph_it.cluster.commands import COMMANDS
    from webgraph_it.recrawl.policies import POLICIES

    add = parser.add_argument
    summaries = "; ".join(f"{name}: {command.summary}" for name, command in COMMANDS.items())
    add("command", metavar="COMMAND", help=summaries)
    add(
        "directories",
        nargs="+",
        metavar="DIR",
        help="crawl directories or fleets: paths, hdfs:, s3:, gs:, abfs:",
    )
    add("--out", required=True, metavar="DIR", help="folder for the result; all workers must reach it")
    add(
        "--master",
        default="local[*]",
        metavar="URL",
        help="spark://host:7077, yarn, k8s://…, or local[2] (local[*])",
    )
    add(
        "--policy",
        choices=sorted(POLICIES),
        help="of priorities: which pages first (smoothed)",
    )
    add("--budget", type=count, metavar="N", help="of priorities: maximum number of re-visits (all pages)")
    add("--at", type=number, metavar="SECONDS", help="of priorities: the time, in seconds since 1970 (now)")
    add("--split", type=size, default="64MiB", metavar="SIZE", help="bytes per task (64MiB)")
    add(
        "--set",
        action="append",
        default=[],
        dest="settings",
        metavar="NAME=VALUE",
        help="a setting of Spark, such as spark.executor.memory=8g; may be repeated",
    )


def run(options: Namespace) -> int:
    from webgraph_it.cluster import commands
    from webgraph_it.cluster.failures import ClusterError, ClusterFailure
    from webgraph_it.cluster.priorities import Choice
    from webgraph_it.shards.formats import ShardError

    if options.command not in commands.COMMANDS:
        known = ", ".join(commands.COMMANDS)
        raise Mistake(f"cluster has no command {options.command!r}; expected one of {known}.")
    pairs = [word.partition("=") for word in options.settings]
    if wrong := [name for name, equals, _ in pairs if not (equals and name.startswith("spark."))]:
        raise Mistake(f"--set {wrong[0]} is not a setting of Spark; expected spark.NAME=VALUE.")
    chosen = [each for each in (options.policy, options.budget, options.at) if each is not None]
    if options.command != "priorities" and chosen:
        raise Mistake(
            f"--policy, --budget and --at are of priorities; expected: cluster {options.command} without them."
        )
    if options.budget is not None and options.budget < 0:
        raise Mistake(f"--budget is {options.budget}; expected 0 or more.")
    if options.split < 16 or options.split % 16:
        raise Mistake(
            f"--split is {options.split} bytes; expected a multiple of 16, at least 16, such as 64MiB."
        )
    settings = {name: value for name, _, value in pairs}
    now = time.time() if options.at is None else options.at
    choice = Choice(options.policy or Choice().policy, options.budget, now)
    with mistakes(ShardError, ClusterError):
        try:
            commands.run(
                options.command,
                options.directories,
                options.out,
                options.master,
                settings,
                options.split,
                choice,
            )
        except ClusterFailure as error:
            raise Failure(str(error)) from error
    print(options.out)
    return 0


VERB = Verb(
    name="cluster",
    summary="Compute degrees, PageRank and graphs of crawl directories on Apache Spark.",
    examples=("webgraph-it cluster pagerank crawls/italy-1 --out ranks --master 'local[2]'",),
    add_options=add_options,
    run=run,
    interrupted="Interrupted: the same command resumes from its last checkpoint.",
)
