"""`webgraph-it ingest`: a crawl directory from archives."""

import asyncio
import os
import subprocess
import sys
from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from webgraph_it import spiders
from webgraph_it.cli.shell.mistakes import Failure, Mistake, mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.progress import Progress
from webgraph_it.shards.directory import CRAWL_FILE

if TYPE_CHECKING:
    from webgraph_it.ingest.ingest import Outcome


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "files",
        type=Path,
        nargs="*",
        metavar="FILE",
        help="WARC files (gzip, zstd or plain), ARC or WAT files",
    )
    parser.add_argument(
        "--jobdir",
        type=Path,
        required=True,
        metavar="DIR",
        help="the crawl directory to make, or to continue",
    )
    text = "a setting of the crawl, such as SCOPE_SURTS or SEEDS; see docs/settings.md"
    parser.add_argument(
        "-s", dest="settings", type=setting, action="append", default=[], metavar="NAME=value", help=text
    )
    text = "queue what the pages link to and no archive has, so that a crawl can continue in the directory"
    parser.add_argument("--continue", dest="hand_over", action="store_true", help=text)
    text = "the spider that continues in it (default: that of Italy)"
    parser.add_argument("--spider", default="", metavar="NAME", help=text)


def setting(text: str) -> tuple[str, str]:
    """`NAME=value`."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise ArgumentTypeError(f"{text!r} is not NAME=value")
    return name, value


def refuse_unknown_spider(name: str) -> None:
    """Raise Mistake if no spider has this name: neither one of ours, nor one of the project in this folder."""
    ours = sorted(each.name for each in iter_modules(spiders.__path__) if each.name != "national")
    if not name or name in ours:
        return
    listed = subprocess.run([sys.executable, "-m", "scrapy", "list"], capture_output=True, text=True)
    known = listed.stdout.split() if listed.returncode == 0 else ours
    if name not in known:
        raise Mistake(f"There is no spider {name!r}; expected: {', '.join(known)}")


def run(options: Namespace) -> int:
    if not options.files and not options.hand_over:
        raise Mistake("No file was given; expected WARC, ARC or WAT files, or --continue")
    if not options.files and not (options.jobdir / CRAWL_FILE).exists():
        raise Mistake(
            f"{options.jobdir} holds nothing that was ingested, so there is nothing to continue; "
            "expected: the --jobdir of an earlier ingest, or files"
        )
    refuse_unknown_spider(options.spider)
    try:
        import fastwarc  # noqa: F401
    except ImportError:
        raise Mistake(
            "fastwarc is not installed, and reads the archives; install it with pip install 'webgraph_it[ingest]'"
        ) from None
    from webgraph_it.crawl.preflight import PROBLEMS
    from webgraph_it.extract.workers import WorkersBroken
    from webgraph_it.files.received import InputError
    from webgraph_it.ingest.ahead import ReaderBroken
    from webgraph_it.ingest.ingest import ingest

    with mistakes(*PROBLEMS, InputError, ValueError):
        try:
            outcome = asyncio.run(
                ingest(
                    options.files,
                    options.jobdir,
                    dict(options.settings),
                    Progress(),
                    spider=options.spider,
                    hand_over=options.hand_over,
                )
            )
        except (WorkersBroken, ReaderBroken) as error:
            raise Failure(str(error)) from error
    print("\n".join(_told(options.jobdir, outcome, handed_over=options.hand_over)))
    given = {os.path.abspath(path) for path in options.files}
    if barren := [taken.path for taken in outcome.files if taken.path in given and taken.is_barren]:
        raise Failure(f"Nothing could be read of {', '.join(barren)}, because every record is damaged")
    return 0


def _told(jobdir: Path, outcome: "Outcome", *, handed_over: bool) -> list[str]:
    """The result in sentences, and what to do next."""
    from webgraph_it.crawl.directory import JobDirectory
    from webgraph_it.crawl.resuming import resume_command

    tally, frontier = outcome.tally, outcome.frontier
    said = [
        f"{tally.pages:,} pages of {frontier.hosts:,} hosts, {tally.links:,} links, {frontier.seen:,} URLs."
    ]
    others = [(name, count) for name, count in outcome.counts.most_common() if name not in ("pages", "-")]
    said += [f"  {count:>12,}  {name}" for name, count in others]
    said += [f"{taken.path}: {taken.failure}." for taken in outcome.files if taken.failure]
    if handed_over:
        said.append(f"{frontier.queued:,} URLs are queued. To crawl them:")
        said.append(f"  {resume_command(JobDirectory(jobdir).spider(), jobdir)}")
    else:
        said.append(f"Next: webgraph-it convert {jobdir}")
    return said


VERB = Verb(
    name="ingest",
    summary="Make a crawl directory from archives: WARC files of any crawler, ARC, or Common Crawl's WAT.",
    examples=("webgraph-it ingest archive.warc.gz --jobdir crawls/archive",),
    add_options=add_options,
    run=run,
    interrupted="Interrupted. The same command continues where the last commit left off.",
)
