"""The commands of analysis.

python -m webgraph_it.analyse GRAPH_DIR                       measure everything, write files and the report
python -m webgraph_it.analyse compare GRAPH_DIR RATINGS.csv   the rankings against human judgements
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from webgraph_it import __version__
from webgraph_it.analyse.problem import Problem


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake of the user's is one sentence and exit code 2."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _compare(given[1:]) if given[:1] == ["compare"] else _analyse(given)
    except Problem as problem:
        print(f"analyse: {problem}", file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"analyse: {problem.filename}: {problem.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "analyse: stopped; files that are there are whole, run the same command again for the others",
            file=sys.stderr,
        )
        return 130


def _analyse(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m webgraph_it.analyse",
        description="Degrees, PageRank, HITS, components, bow-tie of a compact graph, as files and a report.",
        epilog="Also: python -m webgraph_it.analyse compare GRAPH_DIR RATINGS.csv",
    )
    parser.add_argument("--version", action="version", version=f"webgraph_it {__version__}")
    parser.add_argument("graph", type=Path, metavar="GRAPH_DIR", help="made by python -m webgraph_it.convert")
    parser.add_argument("-o", "--output", type=Path, help="folder for the results (GRAPH_DIR/analysis)")
    parser.add_argument(
        "--crawl", type=Path, action="append", default=[], metavar="JOBDIR",
        help="crawl directory for the report (those that graph.json names)",
    )  # fmt: skip
    options = parser.parse_args(given)
    from webgraph_it.analyse.command import run

    started = time.monotonic()

    def say(words: str) -> None:
        print(f"{time.monotonic() - started:7.1f} s  {words}", file=sys.stderr, flush=True)

    report = run(options.graph, options.output or options.graph / "analysis", options.crawl, time.time(), say)
    print(report)
    return 0


def _compare(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m webgraph_it.analyse compare",
        description="How far each ranking agrees with human ratings of URLs.",
    )
    parser.add_argument("graph", type=Path, metavar="GRAPH_DIR", help="analysed before")
    parser.add_argument(
        "ratings", type=Path, metavar="RATINGS.csv", help="columns url and rating; higher is better"
    )
    parser.add_argument("-o", "--output", type=Path, help="the HTML page (GRAPH_DIR/analysis/compare.html)")
    parser.add_argument("--analysis", type=Path, help="folder of the results (GRAPH_DIR/analysis)")
    options = parser.parse_args(given)
    from webgraph_it.analyse.compare import run

    analysis = options.analysis or options.graph / "analysis"
    print(run(options.graph, analysis, options.ratings, options.output or analysis / "compare.html"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
