"""The visits of pages, from the page log and the shards: what a rebuilt frontier knows for their next visit."""

from collections.abc import Iterator

from webgraph_it.crawl.revisit import UNKNOWN_POLICY, first_visit, revisited
from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier.rebuild import Rebuild
from webgraph_it.frontier.visits import Visit
from webgraph_it.items import PARENTS
from webgraph_it.repair.streams import Logged, Sequence16
from webgraph_it.shards.formats import DIGEST_BYTES, Part


def visited(
    pairs: Iterator[tuple[Logged, Sequence16 | None]], rebuild: Rebuild, tally: Tally, graph: list[Part]
) -> Iterator[tuple[Logged, Sequence16 | None]]:
    """The same; restores the visits and the tally on the way. The crawl's time is from the first fetch to the last."""
    first = 0.0
    for line, sequence in pairs:
        first = first or line.page.time
        before = rebuild.visit(line.page.digest)
        children = sequence.children if sequence is not None else []
        if before is None:
            tally.count(line.page, line.links, is_parent=sequence is not None)
            row = first_visit(line.page, children, UNKNOWN_POLICY) if line.page.state in PARENTS else None
        else:
            again = revisited(line.page, before, children, UNKNOWN_POLICY, lambda: None)
            tally.count_revisit(line.page, again.name, again.more_links)
            row = again.row._replace(changes=before.changes + line.change)
        if row is not None:
            rebuild.visited(line.page, row if sequence is None else _placed(row, sequence, graph))
        yield line, sequence
    tally.seconds = max(0.0, tally.seconds - first) if first else 0.0


def _placed(row: Visit, sequence: Sequence16, graph: list[Part]) -> Visit:
    """The row, with the place of its sequence."""
    start = sequence.end.offset - DIGEST_BYTES * (1 + len(sequence.children))
    return row._replace(file_number=int(graph[sequence.end.part].path.stem), offset=start)
