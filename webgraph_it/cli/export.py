"""`webgraph-it export`: a compact graph in the formats of other tools. See docs/export.md."""

from argparse import Namespace
from contextlib import nullcontext

from webgraph_it.cli.shell.compiling import compiling_is_told
from webgraph_it.cli.shell.mistakes import mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.progress import Progress


def add_options(parser: Parser) -> None:
    from webgraph_it.convert.export import add_export_arguments

    add_export_arguments(parser)


def run(options: Namespace) -> int:
    from webgraph_it.convert.export import COMPILED, export, format_of
    from webgraph_it.convert.sources import ConvertError
    from webgraph_it.files.received import InputError
    from webgraph_it.graph import GraphError

    progress = Progress()
    with mistakes(ConvertError, GraphError, InputError):
        name = options.format or format_of(options.to)
        with (
            compiling_is_told(progress) if name in COMPILED else nullcontext()
        ):  # it loads numba: half a second
            return export(options, name, progress)


VERB = Verb(
    name="export",
    summary="Write a compact graph in the formats of other tools.",
    examples=(
        "webgraph-it export italy --to italy.sqlite",
        "webgraph-it export italy --format url-arcs --to -",
        "webgraph-it export italy --format cc --to common-crawl",
        "webgraph-it export italy --format gexf --level hosts --to hosts.gexf",
    ),
    add_options=add_options,
    run=run,
    interrupted="Interrupted: what was half written is removed.",
)
