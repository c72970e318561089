"""`webgraph-it fleet`: start, watch and restart all members of a fleet on this machine. See docs/fleet.md."""

import os
import shlex
import shutil
import sys
import time
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webgraph_it.cli.shell.mistakes import Mistake, mistakes, tell
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import count, folder
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.shards.directory import UNNAMED

if TYPE_CHECKING:
    from webgraph_it.fleet.exchange import Status

MEMBERS_PER_CORE, LEAST_LIMIT = 4, 16
"""More members on one machine only slow each other down."""
OWN_SETTINGS = {
    "FLEET_SIZE": "-n N, the number of members",
    "FLEET_MEMBER": "nothing, because all members are started. One member is started with scrapy crawl",
    "JOBDIR": "--jobdir DIR, the directory of the fleet",
}
"""What the members are told about themselves, and how to give it."""
LINE_SECONDS = 10.0
"""How often the progress line is printed if standard error is no terminal."""


class _Settings(Action):
    """What scrapy crawl is given. It begins with an option of it, so another word is a mistake, whatever else is."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option: str | None = None
    ) -> None:
        if values and not values[0].startswith("-"):
            raise Mistake(
                f"{values[0]!r} was not expected; expected: -- and then settings such as -s NAME=value, or "
                "a verb: fleet status, fleet resize or fleet give-up."
            )
        setattr(namespace, self.dest, values)


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("-n", type=count, metavar="N", help="number of members (in a resume: as before)")
    add("--jobdir", type=folder, required=True, metavar="DIR", help="directory of the fleet")
    add("--spider", metavar="NAME", help=f"the spider ({UNNAMED}, or in a resume the same as before)")
    add(
        "settings",
        nargs="*",
        action=_Settings,
        metavar="SETTINGS",
        help="after --: what scrapy crawl is given, such as -s NAME=value",
    )


def run(options: Namespace) -> int:
    from webgraph_it.crawl.directory import DirectoryError, JobDirectory
    from webgraph_it.crawl.resuming import LOCAL, fleet_command
    from webgraph_it.fleet.supervisor import Supervisor, given_settings, scrapy_command
    from webgraph_it.settings_table import CrawlSettings, SettingsError
    from webgraph_it.shards.fleet import members
    from webgraph_it.shards.formats import ShardError

    given = given_settings(options.settings)
    _refuse_own(given)
    transport = given.get("FLEET")
    with mistakes(ShardError, SettingsError, DirectoryError):
        CrawlSettings.FLEET.read(LOCAL if transport is None else transport)
        _refuse_directory(options.jobdir)
        size, spider = _known(options)
    directory, is_new = JobDirectory(options.jobdir), not members(options.jobdir)
    settings = [*(_workers(options.settings, size) if is_new else ()), *options.settings]
    show, end = _shown()
    supervisor = Supervisor(
        options.jobdir,
        size,
        scrapy_command(options.jobdir, size, spider, settings),
        tell,
        show,
        _board_at(transport, size),
        directory.lock,
    )
    try:
        with mistakes(DirectoryError):
            code = supervisor.run()
    finally:
        directory.unlock()
        end()
    if supervisor.refusal:
        raise Mistake(supervisor.refusal)
    if code == 0:
        tell("Finished.")
        print(f"To convert: webgraph-it convert {shlex.quote(str(options.jobdir))} --out GRAPH_DIR")
    else:
        tell("Stopped.")
        print(f"To resume: {fleet_command(options.jobdir, size, transport)}")
    return code


def _board_at(transport: str | None, size: int) -> "Callable[[], Mapping[int, Status]] | None":
    """The notice board of a server; None if the fleet's directory has it."""
    if transport is None or "://" not in transport or find_spec("redis") is None:
        return None
    from webgraph_it.fleet.redis.board import WatchedBoard  # its library is loaded only for such a fleet

    return WatchedBoard(transport, size, tell)


def _refuse_own(given: Mapping[str, str]) -> None:
    """Raise Mistake if a setting is given that this command gives each member itself."""
    for name, instead in OWN_SETTINGS.items():
        if name in given:
            raise Mistake(f"{name}={given[name]} is given after --; expected: {instead}.")


def _refuse_directory(directory: Path) -> None:
    """Raise Mistake or DirectoryError if no fleet may be started in this directory."""
    from webgraph_it.crawl.directory import refuse_unusable
    from webgraph_it.crawl.membership import misplaced
    from webgraph_it.crawl.resuming import unfinished_change
    from webgraph_it.crawl.stopped_status import lost_member
    from webgraph_it.crawl.survey import refuse_occupied_fleet
    from webgraph_it.shards.fleet import lacks

    if other := misplaced(directory):
        raise Mistake(f"--jobdir {other}")
    if change := unfinished_change(directory):
        raise Mistake(change)
    refuse_unusable(directory)
    refuse_occupied_fleet(directory)
    if lost := lost_member(directory):
        raise Mistake(lacks(directory, lost))


def _known(options: Namespace) -> tuple[int, str]:
    """Number of members and spider: as given, or as in the directory."""
    from webgraph_it.shards.directory import CrawlDirectory
    from webgraph_it.shards.fleet import fleet_size, members

    here = members(options.jobdir)
    found = fleet_size(options.jobdir)
    if options.n is not None and options.n < 1:
        raise Mistake(f"-n is {options.n}; expected: 1 or more members.")
    size = options.n or found
    if not size:
        raise Mistake(
            f"-n is missing, and {options.jobdir} has no members yet; expected: the number of members."
        )
    most = max(LEAST_LIMIT, MEMBERS_PER_CORE * (os.cpu_count() or 1))
    if size > most and not found:
        raise Mistake(
            f"-n is {size}; expected at most {most} members on a machine with {os.cpu_count()} cores. "
            "docs/fleet.md says how to use several machines."
        )
    if found and size != found:
        raise Mistake(
            f"-n is {size} and {options.jobdir} is the directory of a fleet of {found} members. Give -n {found}, or "
            f"change it first: webgraph-it fleet resize {options.jobdir} --to {size}"
        )
    spider = options.spider or next((CrawlDirectory(path).spider() for path in here.values()), UNNAMED)
    return size, spider


def _workers(settings: Sequence[str], size: int) -> list[str]:
    """The members share the cores: by default each extracts with its part of them. A crawl remembers it."""
    if any(word.startswith("EXTRACT_WORKERS=") for word in settings):
        return []
    return ["-s", f"EXTRACT_WORKERS={max(1, ((os.cpu_count() or 1) - size) // size)}"]


def _shown() -> tuple[Callable[[str], None], Callable[[], None]]:
    """Shows the progress line: rewritten on a terminal, now and then a line elsewhere. And ends it."""
    from webgraph_it.crawl.progress import LiveLine

    if sys.stderr.isatty():
        line = LiveLine(sys.stderr, shutil.get_terminal_size().columns)
        return line.show, line.end
    last = time.monotonic()

    def show(text: str) -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            tell(text)

    return show, lambda: None


VERB = Verb(
    name="fleet",
    summary="Crawl with several processes as one crawl: start, watch and restart them.",
    examples=(
        "webgraph-it fleet -n 4 --jobdir crawls/italy-2 -- -s CONTACT_URL=https://example.it/crawl",
        "webgraph-it fleet --jobdir crawls/italy-2",
    ),
    add_options=add_options,
    run=run,
)
