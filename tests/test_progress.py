import io

import pytest

from webgraph_it.progress import Progress, describe, seconds


@pytest.mark.parametrize(
    ("value", "words"), [(0.44, "0.4 s"), (12.3, "12 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_durations_in_words(value: float, words: str) -> None:
    assert seconds(value) == words


@pytest.mark.parametrize(
    ("done", "total", "text"),
    [(0, 10, "…"), (5, 0, "…"), (5, 10, "50 %, 4.0 s left"), (10, 10, "100 %, 0.0 s left")],
)
def test_time_left(done: int, total: int, text: str) -> None:
    assert describe(done, total, 4.0) == text


def test_a_log_gets_one_line_per_step() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    progress.begin("csr", 10)
    progress.at(5)
    progress.end("9 bytes")
    assert stream.getvalue() == "csr: 9 bytes (0.0 s)\n"


def test_a_terminal_sees_the_line_change() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    progress = Progress(stream)
    progress.begin("csr", 10)
    progress.end("9 bytes")
    assert stream.getvalue() == "\rcsr: …\x1b[K\rcsr: 9 bytes (0.0 s)\x1b[K\n"


def test_a_note_does_not_stand_behind_a_live_line() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    progress = Progress(stream)
    progress.begin("names", 10)
    progress.note("compiling")
    assert stream.getvalue() == "\rnames: …\x1b[K\rcompiling\x1b[K\n"


def test_what_was_said_has_the_time_since_the_line_before(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 103.0, 108.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    stream = io.StringIO()
    progress = Progress(stream)
    progress.said("PageRank: 41 iterations")
    progress.said("HITS: 9 iterations")
    assert stream.getvalue() == "PageRank: 41 iterations (3.0 s)\nHITS: 9 iterations (5.0 s)\n"
