"""`webgraph-it demo`, which is also `make demo`: a simulated web is crawled, compared, converted and analysed."""

from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.mistakes import Failure
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import count
from webgraph_it.cli.shell.verb import Verb


def add_options(parser: Parser) -> None:
    from webgraph_it.demo import HOSTS, PAGES

    add = parser.add_argument
    add("--hosts", type=count, default=HOSTS, metavar="N", help="number of ordinary hosts (%(default)s)")
    add("--pages", type=count, default=PAGES, metavar="N", help="number of ordinary pages (%(default)s)")
    add("--folder", type=Path, default=Path("demo"), metavar="DIR", help="results; emptied first (demo)")


def run(options: Namespace) -> int:
    from webgraph_it.demo import StageFailed, demo

    try:
        demo(options.hosts, options.pages, options.folder)
    except StageFailed as failure:
        raise Failure(f"The demo stops here: {failure}") from failure
    except OSError as error:
        raise Failure(f"The demo stops here: {error.filename or 'a file'}: {error.strerror}.") from error
    return 0


VERB = Verb(
    name="demo",
    summary="Crawl a small Italian internet on this machine, then compare, convert and analyse. Takes a minute.",
    examples=("webgraph-it demo --hosts 15 --pages 120 --folder demo-small",),
    add_options=add_options,
    run=run,
    interrupted="Interrupted. Nothing is left running. To start again: `make demo`.",
)
