"""What a frontier and committed files tell of a member's log."""

import json

from webgraph_it.crawl.link_log import LOG_START, RUNS, log_start_of, runs_of, spans_of
from webgraph_it.fleet.exchange import Run, Span
from webgraph_it.shards.writer import Durable


class Kept:
    def __init__(self, found: dict[str, bytes]) -> None:
        self._found = found

    def get_meta(self, name: str) -> bytes | None:
        return self._found.get(name)


def test_a_new_member_has_no_starts_and_an_empty_log() -> None:
    assert (runs_of(Kept({})), log_start_of(Kept({})), spans_of({}, 0)) == ((), 0, ())


def test_starts_and_the_begin_of_the_log_are_those_that_were_kept() -> None:
    kept = Kept({RUNS: json.dumps([Run(5, 0), Run(9, 120)]).encode(), LOG_START: b"120"})
    assert runs_of(kept) == (Run(5, 0), Run(9, 120))
    assert log_start_of(kept) == 120


def test_files_of_the_log_follow_each_other_in_the_order_of_their_numbers() -> None:
    lengths = {"links/000010.tsv": 5, "graph/000002.g16": 16, "links/000009.tsv": 30}
    files = {name: Durable(length, 0) for name, length in lengths.items()}
    assert spans_of(files, 100) == (Span(9, 100, 130), Span(10, 130, 135))
