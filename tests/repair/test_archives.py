"""Without a commit, an archive counts as far as the page log does."""

from pathlib import Path

import pytest

from tests.warc.exchanges import exchange
from tests.warc.witnesses import records
from webgraph_it.items import Page, State
from webgraph_it.repair.archives import archive_length
from webgraph_it.shards.encode import page_line
from webgraph_it.shards.formats import Part
from webgraph_it.warc.capture import Capture, capture_of
from webgraph_it.warc.stream import WarcStream

PAGES = [
    Page(f"http://a.it/{n}", f"it,a)/{n}", bytes(16), 1.0, State.FETCHED, 200, 0, "", exchange=exchange(f"http://a.it/{n}"))
    for n in range(4)
]  # fmt: skip
ROBOTS = Capture(exchange("http://a.it/robots.txt"), None)


def parts(folder: Path, number: int, lines: int) -> tuple[Part, Part]:
    """A WARC file with robots.txt and four pages, and a page log with some of their lines."""
    stream = WarcStream([("software", "x")])
    stream.begin_file(f"{number:06d}.warc.gz")
    captures = [ROBOTS, *(capture_of(exchange(page.url), page) for page in PAGES), ROBOTS]
    archive, log = folder / f"{number:06d}.warc.gz", folder / f"{number:06d}.jsonl"
    archive.write_bytes(stream.members(captures))
    cut = Page("http://b.it/", "it,b)/", bytes(16), 0.0, State.QUOTA_CUT, 0, 0, "")
    log.write_text("".join(page_line(page, 0) for page in [cut, *PAGES[:lines]]))
    return Part(archive, archive.stat().st_size), Part(log, log.stat().st_size)


def pages_in(part: Part, length: int) -> int:
    return sum(record.kind == "metadata" for record in records(part.path.read_bytes()[:length]))


@pytest.mark.parametrize("lines", range(5))
def test_the_last_file_is_cut_after_the_last_page_that_counts(lines: int, tmp_path: Path) -> None:
    archive, log = parts(tmp_path, 1, lines)
    length = archive_length(archive, [log])
    assert pages_in(archive, length) == lines
    assert (length == 0) == (lines == 0)


def test_a_torn_file_counts_as_far_as_its_records_are_whole(tmp_path: Path) -> None:
    archive, log = parts(tmp_path, 1, 4)
    whole = archive_length(archive, [log])
    length = archive_length(Part(archive.path, whole - 1), [log])
    assert pages_in(archive, length) == 3


def test_an_earlier_file_counts_as_a_whole_and_a_later_one_not_at_all(tmp_path: Path) -> None:
    (first, first_log), (second, second_log), (third, _) = (
        parts(tmp_path, number, 4) for number in (1, 2, 3)
    )
    logs = [first_log, second_log]
    assert archive_length(first, logs) == first.length
    assert 0 < archive_length(second, logs) < second.length
    assert archive_length(third, logs) == 0
