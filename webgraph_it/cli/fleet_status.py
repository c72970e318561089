"""`webgraph-it fleet status`: the members of a fleet, one on each line. See docs/fleet.md."""

import time
from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.mistakes import Mistake, mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb


def add_options(parser: Parser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the directory of the fleet")


def run(options: Namespace) -> int:
    from webgraph_it.fleet.local import board_of
    from webgraph_it.fleet.words import Row, table
    from webgraph_it.shards.fleet import fleet_size, is_running, members
    from webgraph_it.shards.formats import ShardError

    with mistakes(ShardError):
        size, here = fleet_size(options.directory), members(options.directory)
    if not size:
        raise Mistake(f"{options.directory} is not the directory of a fleet; expected: one with member-01/.")
    statuses = board_of(options.directory)

    rows = [
        Row(number, number in here and is_running(here[number]), statuses.get(number))
        for number in range(1, size + 1)
    ]
    print(table(rows, time.time()))
    return 0


VERB = Verb(
    name="fleet status",
    summary="Show the members of a fleet: state, pages, rate, queued, links to send and to receive.",
    examples=("webgraph-it fleet status crawls/italy-2",),
    add_options=add_options,
    run=run,
)
