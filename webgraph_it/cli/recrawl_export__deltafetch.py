"""`webgraph-it recrawl export-deltafetch`: what a crawl has fetched, for other people's spiders."""

from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.mistakes import Mistake, mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("jobdir", type=Path, metavar="JOBDIR", help="the directory of a crawl")
    add("folder", type=Path, metavar="DIR", help="DELTAFETCH_DIR of the spider")
    add(
        "--spider",
        default="spider",
        metavar="NAME",
        help="name of the spider: the file is DIR/NAME.db (spider)",
    )


def run(options: Namespace) -> int:
    from webgraph_it.files.received import is_name, shown
    from webgraph_it.recrawl.deltafetch_export import export
    from webgraph_it.shards.formats import ShardError

    if not is_name(options.spider):
        raise Mistake(
            f"--spider is {shown(options.spider)}; expected the name of a spider: letters, digits, '.', '_' and '-'."
        )
    with mistakes(ShardError):
        pages = export(options.jobdir, options.folder, options.spider)
    print(f"{options.folder / options.spider}.db has {pages:,} pages. Give the spider:")
    print(f"    -s DELTAFETCH_ENABLED=True -s DELTAFETCH_DIR={options.folder.absolute()}")
    return 0


VERB = Verb(
    name="recrawl export-deltafetch",
    summary="Write the fetched pages of a crawl as a dbm for spiders with scrapy-deltafetch.",
    examples=("webgraph-it recrawl export-deltafetch crawls/italy-1 deltafetch --spider news",),
    add_options=add_options,
    run=run,
)
