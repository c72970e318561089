"""`webgraph-it simweb compare`: does a crawl's result match the truth? See docs/simweb.md."""

from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.mistakes import mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb


def add_options(parser: Parser) -> None:
    parser.add_argument("truth", type=Path, metavar="TRUTH_DIR", help="written by simweb --truth")
    parser.add_argument("jobdir", type=Path, metavar="JOBDIR", help="the crawl directory")


def run(options: Namespace) -> int:
    """0 if equal, 1 if different."""
    from webgraph_it.simweb.compare import counts, differences
    from webgraph_it.simweb.crawl_files import NotACrawl, read_crawl
    from webgraph_it.simweb.truth import NotATruth, Truth

    with mistakes(NotATruth, NotACrawl):
        truth, crawled = Truth.read(options.truth), read_crawl(options.jobdir)
    found = differences(truth, crawled)
    print("\n".join(["different:", *found]) if found else f"equal: {counts(truth, crawled)}")
    return 1 if found else 0


VERB = Verb(
    name="simweb compare",
    summary="Compare a finished crawl of a simulated web with its truth.",
    examples=("webgraph-it simweb compare truth crawls/italy-1",),
    add_options=add_options,
    run=run,
)
