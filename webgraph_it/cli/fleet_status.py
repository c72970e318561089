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
    from webgraph_it.fleet.words import Row

WATCH_SECONDS = 0.5
"""How often to look at a server whether a member puts another status."""


def add_options(parser: Parser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the directory of the fleet")
    parser.add_argument(
        "--fleet", metavar="URL", help="the server of a fleet on several machines, as in FLEET"
    )


def run(options: Namespace) -> int:
    from webgraph_it.fleet.transport import NoLibraryError, TransportError
    from webgraph_it.fleet.words import table
    from webgraph_it.settings_table import CrawlSettings, SettingsError
    from webgraph_it.shards.fleet import fleet_size
    from webgraph_it.shards.formats import ShardError

    with mistakes(SettingsError):
        transport = CrawlSettings.FLEET.read(LOCAL if options.fleet is None else options.fleet)
    with mistakes(ShardError):
        size = fleet_size(options.directory)
    if not size:
        raise Mistake(f"{options.directory} is not the directory of a fleet; expected: one with member-01/.")
    try:
        is_local = transport == LOCAL
        rows = (
            _rows_here(options.directory, size) if is_local else _rows_at(transport, options.directory, size)
        )
    except NoLibraryError as error:
        raise Mistake(str(error)) from None
    except TransportError as error:
        reason = str(error).rstrip(".")
        raise Mistake(
            f"The server does not answer: {reason}. Start it, or give --fleet as the members have FLEET."
        ) from None
    print(table(rows, time.time()))
    if is_local and transport_of(options.directory) != LOCAL:
        tell("The members of this fleet meet at a server. To see all of them: add --fleet URL, as in FLEET.")
    return 0


def _rows_here(directory: Path, size: int) -> "list[Row]":
    """The members of one machine: their clock is ours, and the system knows which processes are alive."""
    from webgraph_it.crawl.stopped_status import last_status
    from webgraph_it.fleet.exchange import ENDED, TIME, TWIN_SECONDS
    from webgraph_it.fleet.local import board_of
    from webgraph_it.fleet.words import Row
    from webgraph_it.shards.fleet import members, running_since

    rows, here, board = [], members(directory), board_of(directory)
    for number in range(1, size + 1):
        status = board.get(number)
        since = running_since(here[number]) if number in here else None
        if since is None:
            status = last_status(here[number], number, status) if number in here else status
            rows.append(Row(number, False, status))
            continue
        put_at = status.facts.get(TIME, since) if status is not None else since
        is_starting = put_at < since or (status is not None and ENDED in status.facts)
        age = time.time() - put_at
        rows.append(Row(number, True, status, age if age >= TWIN_SECONDS else 0.0, is_starting))
    return rows


def _rows_at(server: str, directory: Path, size: int) -> "list[Row]":
    """The members that meet at a server. Their clocks may differ from ours, so they are watched: each that runs puts
    another status soon. TransportError if the server does not answer."""
    from webgraph_it.crawl.stopped_status import stopped_status
    from webgraph_it.fleet.exchange import ENDED, TIME, TWIN_SECONDS
    from webgraph_it.fleet.redis.board import read_board  # its library is loaded only for such a fleet
    from webgraph_it.fleet.words import Row
    from webgraph_it.shards.fleet import members, running_since

    statuses, end = read_board(server, size), time.monotonic() + TWIN_SECONDS
    silent = {number: status for number, status in statuses.items() if ENDED not in status.facts}
    while silent and time.monotonic() < end:
        time.sleep(WATCH_SECONDS)
        statuses = read_board(server, size)
        silent = {number: status for number, status in silent.items() if statuses.get(number) == status}
    rows, here = [], members(directory)
    for number in range(1, size + 1):
        status, now = statuses.get(number), time.time()
        is_here = number in here and running_since(here[number]) is not None
        if status is None:
            status = stopped_status(here[number], number) if number in here and not is_here else None
            rows.append(Row(number, is_here, status))
            continue
        has_ended = ENDED in status.facts
        age = max(TWIN_SECONDS, now - status.facts.get(TIME, now)) if number in silent else 0.0
        rows.append(Row(number, is_here or not has_ended, status, age, is_here and has_ended))
    return rows


VERB = Verb(
    name="fleet status",
    summary="Show the members of a fleet: state, pages, rate, queued, links to send and to receive.",
    examples=("webgraph-it fleet status crawls/italy-2",),
    add_options=add_options,
    run=run,
)
