"""`webgraph-it fleet status`: the members of a fleet, one on each line. See docs/fleet.md."""

import time
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from webgraph_it.cli.shell.mistakes import Mistake, mistakes, tell
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.crawl.resuming import LOCAL, transport_of

if TYPE_CHECKING:
    from webgraph_it.fleet.exchange import Status

ALIVE_SECONDS = 10.0
"""A member on another machine that has put its status within this time is running."""


def add_options(parser: Parser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the directory of the fleet")
    parser.add_argument(
        "--fleet", metavar="URL", help="the server of a fleet on several machines, as in FLEET"
    )


def run(options: Namespace) -> int:
    from webgraph_it.crawl.stopped_status import stopped_status
    from webgraph_it.fleet.transport import NoLibraryError, TransportError
    from webgraph_it.fleet.words import Row, table
    from webgraph_it.settings_table import CrawlSettings, SettingsError
    from webgraph_it.shards.fleet import fleet_size, is_running, members
    from webgraph_it.shards.formats import ShardError

    with mistakes(SettingsError):
        transport = CrawlSettings.FLEET.read(LOCAL if options.fleet is None else options.fleet)
    with mistakes(ShardError):
        size, here = fleet_size(options.directory), members(options.directory)
    if not size:
        raise Mistake(f"{options.directory} is not the directory of a fleet; expected: one with member-01/.")
    now = time.time()
    try:
        statuses = _statuses(options.directory, transport, size)
    except NoLibraryError as error:
        raise Mistake(str(error)) from None
    except TransportError as error:
        raise Mistake(
            f"The server does not answer: {error}. Start it, or give --fleet as the members have FLEET."
        ) from None
    rows = []
    for number in range(1, size + 1):
        is_here = number in here and is_running(here[number])
        status = statuses.get(number)
        is_alive = is_here or (transport != LOCAL and _is_alive(status, now))
        if status is None and number in here and not is_alive:
            status = stopped_status(here[number], number)
        rows.append(Row(number, is_alive, status))
    print(table(rows, now))
    if transport == LOCAL and transport_of(options.directory) != LOCAL:
        tell("The members of this fleet meet at a server. To see all of them: add --fleet URL, as in FLEET.")
    return 0


def _statuses(directory: Path, transport: str, size: int) -> "dict[int, Status]":
    if transport == LOCAL:
        from webgraph_it.fleet.local import board_of

        return board_of(directory)
    from webgraph_it.fleet.redis.board import read_board  # its library is loaded only for such a fleet

    return read_board(transport, size)


def _is_alive(status: "Status | None", now: float) -> bool:
    return status is not None and now - status.facts.get("time", 0.0) < ALIVE_SECONDS


VERB = Verb(
    name="fleet status",
    summary="Show the members of a fleet: state, pages, rate, queued, links to send and to receive.",
    examples=("webgraph-it fleet status crawls/italy-2",),
    add_options=add_options,
    run=run,
)
