"""A member's link log, as its frontier and its committed files tell: its starts, its begin and its end."""

import json
from collections.abc import Mapping
from typing import Protocol

from webgraph_it.fleet.exchange import Run, Span
from webgraph_it.shards.formats import LINKS_FOLDER, number_of
from webgraph_it.shards.writer import Durable

RUNS, LOG_START = "fleet-runs", "fleet-log-start"
"""Names of what the frontier keeps."""


class Kept(Protocol):
    """A frontier, as far as it keeps metadata for its caller."""

    def get_meta(self, name: str) -> bytes | None: ...


def runs_of(frontier: Kept) -> tuple[Run, ...]:
    """The starts of this member, as far as they are committed."""
    return tuple(Run(*run) for run in json.loads(frontier.get_meta(RUNS) or b"[]"))


def log_start_of(frontier: Kept) -> int:
    """Where the oldest file of the link log begins."""
    return int(frontier.get_meta(LOG_START) or b"0")


def spans_of(files: Mapping[str, Durable], start: int) -> tuple[Span, ...]:
    """The files of the link log, the first of which begins at `start`."""
    spans = []
    for name in sorted(each for each in files if each.startswith(f"{LINKS_FOLDER}/")):
        spans.append(Span(number_of(name), start, start + files[name].length))
        start = spans[-1].end
    return tuple(spans)
