"""A limit was raised: what it had cut is judged again, so that the graph becomes that of the larger limit.

The page log names every node that a quota cut, with its depth and the page that found it; the frontier knows
which of them are still cut. So the log is read through once after a limit was raised. The frontier notes the
limits when that is done: a crash on the way makes the next run read the log again, which changes nothing for what
was queued already. A node that is queued keeps its line in the log; when it is fetched, its last line counts.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.frontier.records import Limits
from webgraph_it.items import Link, State
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.formats import PAGES_FOLDER, Part, page_lines
from webgraph_it.shards.writer import Durable
from webgraph_it.urls.names import digest

META_NAME = "limits"
AT_ONCE = 500
"""Lines of the log between two moments at which the crawl may commit."""


def reconsidered(
    frontier: Frontier,
    tally: Tally,
    directory: Path,
    committed: Mapping[str, Durable],
    limits: Limits,
    now: float,
) -> Iterator[int]:
    """Queue what the limits of today let in; yields, every now and then, how many nodes that were so far."""
    wanted = json.dumps([limits.max_depth, limits.max_pages_per_host]).encode()
    if frontier.get_meta(META_NAME) == wanted:
        return
    queued = 0
    for number, line in enumerate(page_lines(page_parts(directory, committed))):
        if line["state"] == State.QUOTA_CUT:
            link = Link(line["url"], line["key"], digest(line["key"]), "")
            place = (line["depth"], line.get("host_depth", 0), line["via"])
            if frontier.reconsider(link, *place, line["reason"], now):
                queued += 1
                tally.take_back_cut(State.QUOTA_CUT, line["reason"])
        if number % AT_ONCE == 0:
            yield queued
    frontier.put_meta(META_NAME, wanted)
    yield queued


def page_parts(directory: Path, committed: Mapping[str, Durable]) -> list[Part]:
    """The page log as far as it was committed, in order."""
    lengths = {name: file.length for name, file in committed.items()}
    return CrawlDirectory(directory).parts_within(PAGES_FOLDER, lengths)
