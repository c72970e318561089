"""`webgraph-it fleet resize`: change the number of members of a fleet that is stopped. See docs/fleet.md."""

from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.mistakes import mistakes, tell
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import count
from webgraph_it.cli.shell.verb import Verb


def add_options(parser: Parser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the directory of the fleet")
    parser.add_argument("--to", type=count, required=True, metavar="N", help="the new number of members")


def run(options: Namespace) -> int:
    from webgraph_it.crawl.directory import DirectoryError
    from webgraph_it.crawl.resuming import fleet_command
    from webgraph_it.files.own import NotOursError
    from webgraph_it.fleet.slices import TableError
    from webgraph_it.frontier.records import FrontierError
    from webgraph_it.repair.resize import resize
    from webgraph_it.shards.formats import ShardError

    with mistakes(DirectoryError, ShardError, FrontierError, NotOursError, TableError):
        resize(options.directory, options.to, tell)
    print(f"To resume: {fleet_command(options.directory, options.to)}")
    return 0


VERB = Verb(
    name="fleet resize",
    summary="Change the number of members of a fleet that is stopped.",
    examples=("webgraph-it fleet resize crawls/italy-2 --to 8",),
    add_options=add_options,
    run=run,
    interrupted="The change of size is not finished: give the same command again.",
)
