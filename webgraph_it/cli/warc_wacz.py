"""`webgraph-it warc wacz`: packs the archive of a crawl for replay. See docs/archives.md."""

import time
from argparse import Namespace
from pathlib import Path

from webgraph_it.cli.shell.mistakes import mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.progress import Progress


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "jobdir", type=Path, metavar="JOBDIR", help="a crawl directory with an archive (WARC=True)"
    )
    parser.add_argument("--to", type=Path, metavar="FILE", help="the new file (default: NAME.wacz)")


def run(options: Namespace) -> int:
    from webgraph_it.shards.directory import CrawlDirectory
    from webgraph_it.shards.formats import ShardError
    from webgraph_it.warc.wacz import archive_of, pack

    progress = Progress()
    with mistakes(ShardError):
        directory = CrawlDirectory(options.jobdir)
        parts = archive_of(directory)
        to: Path = options.to or Path(f"{directory.name()}.wacz")
        progress.begin(str(to), sum(part.length for part in parts))
        packed = pack(directory, to, time.time(), progress.at)
    progress.end(
        f"{packed.files} WARC files, {packed.captures:,} captures, {packed.pages:,} pages, {packed.size_bytes:,} bytes"
    )
    return 0


VERB = Verb(
    name="warc wacz",
    summary="Pack the archive of a crawl in one WACZ file, which ReplayWeb.page and pywb open.",
    examples=("webgraph-it warc wacz crawls/italy-1 --to italy.wacz",),
    add_options=add_options,
    run=run,
    interrupted="Interrupted: what was half written is removed.",
)
