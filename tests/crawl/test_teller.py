"""A terminal gets a live line a second, a log a line a minute; a terminal that is gone stops nothing."""

import asyncio
import io
import logging

import pytest

from tests.crawl.test_progress import snapshot
from webgraph_it.crawl.progress import LiveLine, Moment
from webgraph_it.crawl.teller import Teller


class Gone(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")


def take(last: Moment | None) -> Moment:
    return Moment(1.0, snapshot(pages=last.snapshot.pages + 1 if last else 1))


def tell(teller: Teller, times: int) -> None:
    for _ in range(times):
        asyncio.run(teller.tell())
    teller.end()


def test_a_terminal_has_a_live_line_and_the_log_none(caplog: pytest.LogCaptureFixture) -> None:
    stream = io.StringIO()
    teller = Teller(LiveLine(stream, 8), take)
    assert teller.interval_seconds == 1
    with caplog.at_level(logging.INFO):
        tell(teller, 2)
    assert stream.getvalue() == "\r\x1b[2K1 pages\r\x1b[2K2 pages\n"
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("live", "lines"), [(None, ["1 pages", "2 pages"]), (LiveLine(Gone(), 80), ["2 pages"])]
)
def test_without_a_terminal_the_log_has_the_line(
    caplog: pytest.LogCaptureFixture, live: LiveLine | None, lines: list[str]
) -> None:
    with caplog.at_level(logging.INFO):
        tell(Teller(live, take), 2)
    assert [message.partition(" |")[0] for message in caplog.messages] == lines
