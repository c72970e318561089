"""How much of an archive counts if no commit tells: the captures of pages whose lines count.

The metadata records of a WARC file are in the order of the lines of the page log with the same number. So the file is
cut after the one that belongs to the last line. What the crawl had not yet written of the archive is lost.
"""

from collections.abc import Sequence

from webgraph_it.repair.streams import logged
from webgraph_it.shards.formats import Part, ShardError, number_of
from webgraph_it.warc.reading import members

_METADATA = b"WARC/1.1\r\nWARC-Type: metadata\r\n"
_OF_A_RESPONSE = b"\r\nWARC-Concurrent-To: "
"""A note (warc/note.py) has none."""


def archive_length(part: Part, pages: Sequence[Part]) -> int:
    """`pages`: the files of the page log that count, up to the lengths that count."""
    number = number_of(part.path.name)
    kept = [each for each in pages if number_of(each.path.name) == number]
    if kept and kept != list(pages[-1:]):  # the crawl went on after it, so all of it was committed
        return part.length
    return _end_of(part, sum(1 for line in logged(kept) if line.page.status))


def _end_of(part: Part, pages: int) -> int:
    """Where the captures of so many pages end, or the whole records of the file, if there are fewer."""
    end = 0
    found = members(part)
    while pages:
        try:
            member = next(found, None)
        except ShardError:  # torn by the crash
            break
        if member is None:
            break
        head = member.record.partition(b"\r\n\r\n")[0]
        if head.startswith(_METADATA) and _OF_A_RESPONSE in head:
            pages -= 1
            end = member.offset + member.length
    return end
