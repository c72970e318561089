"""`webgraph-it init`: a folder to crawl in, for whoever installed the package and has no source tree."""

from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.mistakes import Failure, Mistake
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb

CONFIGURATION = "[settings]\ndefault = webgraph_it.settings\n"


def add_options(parser: Parser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that is new or empty")


def run(options: Namespace) -> int:
    folder: Path = options.folder
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise Mistake(f"{folder} exists and is not an empty folder; give another DIR.")
    try:
        lists = fill(folder)
    except OSError as error:
        raise Failure(f"{folder} cannot be filled ({error.strerror}); give another DIR.") from error
    print(f"{folder}/ is ready: edit {' or '.join(lists)} there, or leave them as they are. Then:")
    print(f"    cd {folder}\n    scrapy list\n    scrapy crawl SPIDER -s CONTACT_URL=https://your.site/crawl")
    return 0


def fill(folder: Path) -> list[str]:
    """scrapy.cfg, and every list of seeds that is shipped; the names of these."""
    from importlib.resources import files

    shipped = files("webgraph_it.spiders") / "seeds"
    seeds = folder / "seeds"
    seeds.mkdir(parents=True)
    (folder / "scrapy.cfg").write_text(CONFIGURATION, encoding="ascii")
    lists = sorted(each.name for each in shipped.iterdir() if each.name.endswith(".txt"))
    for name in lists:
        (seeds / name).write_bytes((shipped / name).read_bytes())
    return [f"seeds/{name}" for name in lists]


VERB = Verb(
    name="init",
    summary="Make a folder to crawl in: a scrapy.cfg, and lists of seeds to edit.",
    examples=("webgraph-it init mycrawl",),
    add_options=add_options,
    run=run,
)
