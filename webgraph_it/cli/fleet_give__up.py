"""`webgraph-it fleet give-up`: let a member of a stopped fleet crawl its pages again. See docs/fleet.md."""

from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.mistakes import mistakes, tell
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import count
from webgraph_it.cli.shell.verb import Verb


def add_options(parser: Parser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the directory of the fleet")
    parser.add_argument("member", type=count, metavar="MEMBER", help="the number of the member")


def run(options: Namespace) -> int:
    from webgraph_it.crawl.directory import DirectoryError
    from webgraph_it.crawl.resuming import fleet_command
    from webgraph_it.files.own import NotOursError
    from webgraph_it.fleet.log import LogError
    from webgraph_it.fleet.slices import TableError
    from webgraph_it.frontier.records import FrontierError
    from webgraph_it.repair.give_up import give_up
    from webgraph_it.shards.fleet import fleet_size
    from webgraph_it.shards.formats import ShardError

    with mistakes(DirectoryError, ShardError, FrontierError, NotOursError, TableError, LogError):
        give_up(options.directory, options.member, tell)
    print(f"To resume: {fleet_command(options.directory, fleet_size(options.directory))}")
    return 0


VERB = Verb(
    name="fleet give-up",
    summary="Let a member of a stopped fleet start again with the URLs that are known.",
    examples=("webgraph-it fleet give-up crawls/italy-2 3",),
    add_options=add_options,
    run=run,
    interrupted="It is not finished: give the same command again.",
)
