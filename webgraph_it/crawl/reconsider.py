"""When a limit is raised, the nodes it had cut are judged again, so that the graph becomes that of the larger limit.

The page log names every node that a quota cut, with its depth and the page that found it; the frontier knows
which of them are still cut. So the log is read once after a limit is raised. When that is done, the
frontier notes the limits. After a crash in between, the next run reads the log again, which does not change what was
already queued. A queued node keeps its line in the log; when it is fetched, its last line counts.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webgraph_it.crawl.known_pages import DELTAFETCH
from webgraph_it.crawl.steering import OPERATOR_BLOCK
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
"""Lines of the log between two points where the crawl may commit."""


def reconsidered(
    frontier: Frontier,
    tally: Tally,
    directory: Path,
    committed: Mapping[str, Durable],
    limits: Limits,
    now: float,
) -> Iterator[int]:
    """Queue the nodes that the current limits admit. Yields from time to time how many they are so far."""
    quotas = [limits.max_depth, limits.max_pages_per_host]
    if limits.max_pages_per_domain:  # crawls from before there was this limit have two numbers
        quotas.append(limits.max_pages_per_domain)
    wanted = json.dumps(quotas).encode()
    if frontier.get_meta(META_NAME) == wanted:
        return
    queued = 0
    for number, line in enumerate(page_lines(page_parts(directory, committed))):
        if _is_cut(line, of_block=False):
            link, place = _cut_node(line)
            if frontier.reconsider(link, *place, line["reason"], now):
                queued += 1
                tally.take_back_cut(State.QUOTA_CUT, line["reason"])
        if number % AT_ONCE == 0:
            yield queued
    frontier.put_meta(META_NAME, wanted)
    yield queued


def taken_back(
    directory: CrawlDirectory, frontier: Frontier, tally: Tally, starts: tuple[str, ...], now: float
) -> Iterator[int]:
    """Queue again what rules cut among keys with these starts and would not cut now, by the committed page log.

    Yields as above. A node that a block cut may have an older line, of the quota that cut it before. So blocks are
    taken back first: what is queued then is not cut any more, and the older line does nothing.
    """
    queued = 0
    for of_block in (True, False):
        for number, line in enumerate(page_lines(directory.parts(PAGES_FOLDER))):
            if _is_cut(line, of_block=of_block) and line["key"].startswith(starts):
                link, place = _cut_node(line)
                if of_block:
                    was_cut = frontier.unblock(link, *place, now, mime=line.get("type", ""))
                else:
                    was_cut = frontier.reconsider(link, *place, line["reason"], now)
                if was_cut:
                    queued += 1
                    tally.take_back_cut(State.QUOTA_CUT, line["reason"])
            if number % AT_ONCE == 0:
                yield queued
    yield queued


def _is_cut(line: Mapping[str, Any], *, of_block: bool) -> bool:
    if line["state"] != State.QUOTA_CUT or line["reason"] == DELTAFETCH:
        return False
    return bool((line["reason"] == OPERATOR_BLOCK) == of_block)


def _cut_node(line: Mapping[str, Any]) -> tuple[Link, tuple[int, int, str]]:
    """The node of a line of the page log, and its place: depth, depth on its host, the page that found it."""
    link = Link(line["url"], line["key"], digest(line["key"]), "")
    return link, (line["depth"], line.get("host_depth", 0), line["via"])


def page_parts(directory: Path, committed: Mapping[str, Durable]) -> list[Part]:
    """The committed part of the page log, in order."""
    lengths = {name: file.length for name, file in committed.items()}
    return CrawlDirectory(directory).parts_within(PAGES_FOLDER, lengths)
