"""`webgraph-it repair`: rebuilds the frontier of a crawl directory from its files."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from webgraph_it.cli.shell.mistakes import mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.progress import Progress

if TYPE_CHECKING:
    from webgraph_it.repair.repair import Outcome


def add_options(parser: Parser) -> None:
    text = "the directory of a crawl that is not running"
    parser.add_argument("jobdir", type=Path, metavar="JOBDIR", help=text)


def run(options: Namespace) -> int:
    from webgraph_it.crawl.directory import DirectoryError, JobDirectory
    from webgraph_it.crawl.resuming import resume_command
    from webgraph_it.files.own import NotOursError
    from webgraph_it.frontier.records import FrontierError
    from webgraph_it.repair.repair import repair
    from webgraph_it.shards.formats import ShardError

    path: Path = options.jobdir
    with mistakes(DirectoryError, NotOursError, FrontierError, ShardError):
        outcome = repair(path, Progress(sys.stdout).note)
    print(
        "\n".join([*_told(path, outcome), f"To resume: {resume_command(JobDirectory(path).spider(), path)}"])
    )
    return 0


def _told(path: Path, outcome: "Outcome") -> list[str]:
    """The result in sentences."""
    if outcome.was_sound:
        return [f"{path} needs no repair: its frontier is there and agrees with its files."]
    said, counts = [], outcome.counts
    if counts is not None:
        found = (
            f"{counts.seen:,} URLs seen, {counts.done:,} done, {counts.cut:,} cut, {counts.queued:,} queued"
        )
        said.append(f"Rebuilt: {found}.")
    if outcome.cut_off_bytes:
        moved = f"{outcome.cut_off_bytes:,} bytes that no commit counts"
        said.append(f"{moved} were moved to {path / 'cut-off'}*.")
    if kept := outcome.kept_frontier:
        said.append(f"The old frontier is kept in {kept}. Remove it when the crawl runs again.")
    return said


VERB = Verb(
    name="repair",
    summary="Rebuild the frontier of a crawl directory from its files, if it is lost, damaged or too old.",
    examples=("webgraph-it repair crawls/italy-1",),
    add_options=add_options,
    run=run,
    interrupted="Interrupted. Nothing that counts was changed. The same command repairs the directory.",
)
