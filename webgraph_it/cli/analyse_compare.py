"""`webgraph-it analyse compare`: rankings against human judgements. See docs/analyse.md."""

from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.compiling import compiling_is_told
from webgraph_it.cli.shell.mistakes import mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.progress import Progress


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("graph", type=Path, metavar="GRAPH_DIR", help="a graph that has been analysed")
    add("ratings", type=Path, metavar="RATINGS.csv", help="columns url and rating; higher is better")
    add("-o", "--output", type=Path, metavar="FILE", help="the HTML page (GRAPH_DIR/analysis/compare.html)")
    add("--analysis", type=Path, metavar="DIR", help="folder of the results (GRAPH_DIR/analysis)")


def run(options: Namespace) -> int:
    from webgraph_it.analyse.compare import run as compare
    from webgraph_it.analyse.problem import Problem

    analysis = options.analysis or options.graph / "analysis"
    with mistakes(Problem), compiling_is_told(Progress()):
        print(compare(options.graph, analysis, options.ratings, options.output or analysis / "compare.html"))
    return 0


VERB = Verb(
    name="analyse compare",
    summary="Measure how far each ranking agrees with human ratings of URLs.",
    examples=("webgraph-it analyse compare italy ratings.csv",),
    add_options=add_options,
    run=run,
)
