"""A crawl directory from before there were visits gets its visit rows at the first resume.

The rows follow from the page log and the shards. Only ETag and Last-Modified are in no file, so the first re-visit of
each page is unconditional. The rows are committed like any other change, and the frontier's layout version last. A
crash in between changes nothing else: the next resume begins again. Nothing is fetched meanwhile."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from webgraph_it.crawl.revisit import UNKNOWN_POLICY, first_visit
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.items import PARENTS, Page, State
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.formats import DIGEST_BYTES, GRAPH_FOLDER, PAGES_FOLDER, PARENT_BIT, Part, page_lines
from webgraph_it.shards.writer import Durable
from webgraph_it.urls.names import digest

AT_ONCE = 500
"""Lines between two points where the crawl may commit."""


def migrated(frontier: Frontier, directory: Path, committed: Mapping[str, Durable]) -> Iterator[int]:
    """Make the rows. Yields from time to time how many they are so far; nothing if there is nothing to do."""
    if not frontier.lacks_visits:
        return
    lengths = {name: file.length for name, file in committed.items()}
    parts = CrawlDirectory(directory).parts_within
    shards = {int(part.path.stem): part for part in parts(GRAPH_FOLDER, lengths)}
    rows = 0
    for log in parts(PAGES_FOLDER, lengths):
        shard = shards.get(int(log.path.stem))
        for number, made in enumerate(_rows(frontier, log, shard)):
            rows += made
            if number % AT_ONCE == 0:
                yield rows
    frontier.has_visits()
    yield rows


def _rows(frontier: Frontier, log: Part, shard: Part | None) -> Iterator[bool]:
    """Make the rows of one file of the page log. Yields for each line whether it has one."""
    with (shard.path if shard else Path("/dev/null")).open("rb") as graph:
        number = int(log.path.stem)
        for line in page_lines([log]):
            page = _page(line)
            if page.state in PARENTS:
                offset, children = graph.tell(), _children(graph, page.digest, line["links"])
                row = first_visit(page, children or (), UNKNOWN_POLICY)
                if children is not None:
                    row = row._replace(file_number=number, offset=offset)
                frontier.keep_visit(page.digest, row)
            yield page.state in PARENTS


def _children(graph: BinaryIO, parent: bytes, links: int) -> list[bytes] | None:
    """The sequence of this parent, if it is the next one. A page outside the graph has none."""
    start = graph.tell()
    if graph.read(DIGEST_BYTES) != bytes((parent[0] | PARENT_BIT,)) + parent[1:]:
        graph.seek(start)
        return None
    found = graph.read(links * DIGEST_BYTES)
    return [found[at : at + DIGEST_BYTES] for at in range(0, len(found), DIGEST_BYTES)]


def _page(line: Mapping[str, Any]) -> Page:
    return Page(
        line["url"],
        line["key"],
        digest(line["key"]),
        line["time"],
        State(line["state"]),
        line["status"],
        line["depth"],
        line["via"],
        content_digest=line["digest"],
        body_cut=bool(line["reason"]),
    )
