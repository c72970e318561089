"""The last log lines of a crawl: the results, and how to resume. Pure."""

from collections.abc import Iterator
from pathlib import Path

from webgraph_it.crawl.seeding import Loaded
from webgraph_it.crawl.survey import how_to_resume
from webgraph_it.crawl.tally import Tally


def last_words(
    tally: Tally, path: Path, reports: Path, loaded: Loaded | None, left: int, reason: str, *, failed: bool
) -> Iterator[str]:
    """`loaded`: how far the seeds were loaded, None if loading has not started; `left`: URLs still queued. After a
    failure, the error message has already said how to resume."""
    yield f"{tally.pages} pages, {tally.links} links in {path}; reports in {reports}."
    seeds_are_left = loaded is not None and not loaded.finished
    if loaded is not None and seeds_are_left:
        yield f"The seeds are loaded up to line {loaded.line} of the list."
    if (left or seeds_are_left) and not failed:
        yield f"{left} URLs are left ({reason}). To resume: {how_to_resume(path)}"
