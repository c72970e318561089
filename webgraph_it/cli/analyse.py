"""`webgraph-it analyse`: compact graph → numbers and a report. See docs/analyse.md."""

import time
from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.compiling import compiling_is_told
from webgraph_it.cli.shell.mistakes import mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.progress import Progress


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("graph", type=Path, metavar="GRAPH_DIR", help="made by webgraph-it convert")
    add("-o", "--output", type=Path, metavar="DIR", help="folder for the results (GRAPH_DIR/analysis)")
    add(
        "--crawl", type=Path, action="append", default=[], metavar="JOBDIR",
        help="crawl directory for the report (those that graph.json names)",
    )  # fmt: skip


def run(options: Namespace) -> int:
    from webgraph_it.analyse.command import run as analyse
    from webgraph_it.analyse.problem import Problem

    progress = Progress()
    output = options.output or options.graph / "analysis"
    with mistakes(Problem), compiling_is_told(progress):
        print(analyse(options.graph, output, options.crawl, time.time(), progress.said))
    return 0


VERB = Verb(
    name="analyse",
    summary="Measure a compact graph: degrees, PageRank, HITS, components, bow-tie, as files and a report.",
    examples=("webgraph-it analyse italy",),
    add_options=add_options,
    run=run,
    interrupted="Interrupted. The files that exist are complete. The same command makes the others.",
)
