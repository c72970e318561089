"""`python -m webgraph_it.simweb compare TRUTH_DIR JOBDIR`: is what a crawl found the truth?

Standard output says `equal: N nodes, M arcs`, or every kind of difference in a sentence with its number and the
first few of them. Exit code 0 equal, 1 different, 2 one of the folders is not what it should be. Hosts without a single
right answer (traps, hostile ones) are compared with their bounds: see truth.py.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from webgraph_it.simweb.crawl_files import CrawledGraph, NotACrawl, read_crawl
from webgraph_it.simweb.truth import NotATruth, Truth, listed


def differences(truth: Truth, crawled: CrawledGraph) -> list[str]:
    """Every way in which a crawl is not the truth, in sentences; empty if it is right."""
    states = crawled.states()
    reasons = {key: crawled.reason(key) for key in states}
    return [*listed("faults of the files", crawled.faults), *truth.differences(states, crawled.arcs, reasons)]


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        truth, crawled = Truth.read(options.truth), read_crawl(options.jobdir)
    except (NotATruth, NotACrawl) as error:
        print(f"simweb compare: {error}.", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"simweb compare: {error.filename} cannot be read: {error.strerror}.", file=sys.stderr)
        return 2
    found = differences(truth, crawled)
    print("\n".join(["different:", *found]) if found else f"equal: {_counts(truth, crawled)}")
    return 1 if found else 0


def _counts(truth: Truth, crawled: CrawledGraph) -> str:
    """What was compared one by one, and what lies in traps beside it."""
    words = f"{len(truth.nodes):,} nodes, {len(truth.arcs):,} arcs"
    beside = len(crawled.urls) - len(truth.nodes)
    return f"{words}; {beside:,} more nodes in traps, within their bounds" if beside else words


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without repeating its usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"simweb compare: {message}.\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m webgraph_it.simweb compare",
        description="Compare a finished crawl of a simulated web with its truth.",
    )
    parser.add_argument("truth", type=Path, metavar="TRUTH_DIR", help="written by --truth")
    parser.add_argument("jobdir", type=Path, metavar="JOBDIR", help="the crawl directory")
    return parser
