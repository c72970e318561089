"""python -m webgraph_it.repair JOBDIR: a crawl directory without a usable frontier gets one from its files."""

import argparse
import sys
from pathlib import Path

from webgraph_it.crawl.directory import DirectoryError
from webgraph_it.files.own import NotOursError
from webgraph_it.frontier.records import FrontierError
from webgraph_it.repair.repair import repair
from webgraph_it.shards.formats import ShardError


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m webgraph_it.repair", description=__doc__)
    parser.add_argument(
        "jobdir", type=Path, metavar="JOBDIR", help="the directory of a crawl that does not run"
    )
    path: Path = parser.parse_args(arguments).jobdir
    try:
        outcome = repair(path, lambda sentence: print(sentence, flush=True))
    except (DirectoryError, NotOursError, FrontierError, ShardError) as error:
        print(error, file=sys.stderr)
        return 2
    if outcome.was_sound:
        print(f"{path} needs no repair: its frontier is there and agrees with its files.")
    elif outcome.counts is not None:
        counts = outcome.counts
        print(
            f"Rebuilt: {counts.seen:,} URLs seen, {counts.done:,} done, {counts.cut:,} cut, {counts.queued:,} queued."
        )
        if outcome.cut_off_bytes:
            print(f"{outcome.cut_off_bytes:,} bytes that no commit counts were moved to {path / 'cut-off'}*.")
        if outcome.kept_frontier:
            print(
                f"The frontier before is kept in {outcome.kept_frontier}; remove it when the crawl runs again."
            )
    print(f"To resume: scrapy crawl italy -s JOBDIR={path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
