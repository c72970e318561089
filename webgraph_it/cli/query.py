"""`webgraph-it query`: questions about a compact graph, for people without Python. See docs/query.md."""

import json
from argparse import Namespace
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webgraph_it.cli.shell.compiling import compiling_is_told
from webgraph_it.cli.shell.mistakes import Failure, Mistake, mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import count
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.progress import Progress

if TYPE_CHECKING:
    from webgraph_it.graph import WebGraph

LEVELS = ("pages", "hosts", "domains")
Row = dict[str, Any]
"""A line of an answer: name → value."""


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("graph", type=Path, metavar="GRAPH_DIR", help="made by webgraph-it convert")
    add(
        "question",
        choices=QUESTIONS,
        help="url ID; id URL; out URL: what it links to; in URL: what links to it; path URL URL: a shortest way; stats",
    )
    add("nodes", nargs="*", metavar="NODE", help="an id, a URL in any spelling, a key, or the name of a host")
    add("--level", choices=LEVELS, default="pages", help="which graph (pages)")
    add("--limit", type=count, default=1_000_000, metavar="N", help="nodes that path looks at (1000000)")
    add("--json", action="store_true", help="one JSON object a line")


def run(options: Namespace) -> int:
    from webgraph_it.graph import GraphError, WebGraph
    from webgraph_it.graph.finding import UnknownNodeError, find_node

    ask, expected = QUESTIONS[options.question]
    if len(options.nodes) != expected:
        raise Mistake(
            f"{options.question} takes {_times(expected)} and was given {len(options.nodes)}: "
            f"write for instance {_example(options.question)}."
        )
    by_name = not all(text.isdecimal() for text in options.nodes)
    told = compiling_is_told(Progress()) if by_name else nullcontext()  # a search loads numba: half a second
    with mistakes(GraphError, UnknownNodeError), told:
        level = options.level
        graph = WebGraph(options.graph if level == "pages" else options.graph / level)
        for row in ask(graph, [find_node(graph, text) for text in options.nodes], options):
            print(json.dumps(row, ensure_ascii=False) if options.json else _line(row))
    return 0


def _times(expected: int) -> str:
    return ("nothing", "one NODE", "two NODEs")[expected]


def _example(question: str) -> str:
    return next(line for line in VERB.examples if f" {question} " in f"{line} ")


def _line(row: Row) -> str:
    return "\t".join(str(value) for value in row.values())


def _url(graph: "WebGraph", nodes: list[int], options: Namespace) -> Iterable[Row]:
    yield {"url": graph.url(nodes[0])}


def _id(graph: "WebGraph", nodes: list[int], options: Namespace) -> Iterable[Row]:
    yield {"id": nodes[0]}


def _out(graph: "WebGraph", nodes: list[int], options: Namespace) -> Iterable[Row]:
    return _named(graph, graph.successors(nodes[0]).tolist())


def _in(graph: "WebGraph", nodes: list[int], options: Namespace) -> Iterable[Row]:
    return _named(graph, graph.predecessors(nodes[0]).tolist())


def _path(graph: "WebGraph", nodes: list[int], options: Namespace) -> Iterable[Row]:
    from webgraph_it.graph.paths import TooFarError, shortest_path

    source, target = nodes
    try:
        found = shortest_path(graph, source, target, options.limit)
    except TooFarError:
        raise Failure(
            f"No path was found among the {options.limit} nodes nearest to both ends: raise --limit to look further."
        ) from None
    if found is None:
        raise Failure(f"No path leads from {graph.url(source)} to {graph.url(target)}.")
    return _named(graph, found)


def _stats(graph: "WebGraph", nodes: list[int], options: Namespace) -> Iterable[Row]:
    from webgraph_it.graph.stats import stats

    return ({"name": name, "value": value} for name, value in stats(graph))


def _named(graph: "WebGraph", nodes: Iterable[int]) -> Iterable[Row]:
    return ({"id": node, "url": graph.url(node)} for node in nodes)


QUESTIONS: dict[str, tuple[Callable[["WebGraph", list[int], Namespace], Iterable[Row]], int]] = {
    "url": (_url, 1),
    "id": (_id, 1),
    "in": (_in, 1),
    "out": (_out, 1),
    "path": (_path, 2),
    "stats": (_stats, 0),
}
"""Question → its answer, and of how many nodes it asks."""

VERB = Verb(
    name="query",
    summary="Ask a compact graph: the URL of an id and its id, links in and out, shortest paths.",
    examples=(
        "webgraph-it query italy stats",
        "webgraph-it query italy url 0",
        "webgraph-it query italy id www.anno-camera.it",
        "webgraph-it query italy out http://anno-camera.it/",
        "webgraph-it query italy in anno-camera.it --level hosts",
        "webgraph-it query italy path http://anno-camera.it/ http://giardino-premio.it/",
    ),
    add_options=add_options,
    run=run,
)
