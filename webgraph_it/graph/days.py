"""The days of the arcs of a graph through time (`convert --history`), and questions about them.

`first.u16`, `last.u16`, `ended.u16`: one little-endian 16-bit number per arc, in the order of `targets.u32`, days since
1970 (UTC). `first` is the day of the first visit that saw the arc, `last` that of the last visit that saw it, `ended`
that of the first visit after it, which no longer saw it (0 if there was none).

An arc is there on a day if first <= day < ended, or first <= day and it did not end. An arc that disappeared and came
back is one arc, from its first day to its last end: the gap is not in these files. `convert --as-of` knows it.

Guarantees: answers are lists of all nodes as two arrays, like `offsets` and `targets` of the graph. They are read in
blocks, so memory is needed for the answer only.
"""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import numpy as np

from webgraph_it.files.received import shown
from webgraph_it.graph.csr import OFFSET_TYPE, Array
from webgraph_it.graph.damage import GraphError, damaged
from webgraph_it.graph.lists import Lists, open_sized

FIRST_FILE, LAST_FILE, ENDED_FILE = "first.u16", "last.u16", "ended.u16"
DAY_TYPE = np.dtype("<u2")
EPOCH = date(1970, 1, 1).toordinal()
ARCS_AT_A_TIME = 1 << 20

Chosen = Callable[[Array, Array], Array]
"""(first, ended) of some arcs → which of them are meant."""


def date_of(number: int) -> date:
    """The day with that number."""
    return date.fromordinal(EPOCH + number)


def day_number(day: date | str) -> int:
    """Days since 1970. A text is an ISO date: 2026-11-17."""
    try:
        found = date.fromisoformat(day) if isinstance(day, str) else day
        return found.toordinal() - EPOCH
    except (ValueError, AttributeError):
        raise GraphError(f"{shown(day)} is not a day: give a date, or a text such as 2026-11-17.") from None


class Days:
    """The three files of a graph directory."""

    def __init__(self, folder: Path, arcs: int) -> None:
        self.first, self.last, self.ended = (
            open_sized(folder / name, DAY_TYPE, arcs) for name in (FIRST_FILE, LAST_FILE, ENDED_FILE)
        )
        self._folder = folder

    def blocks(self, lists: Lists) -> Iterator[tuple[Array, Array, Array, Array, Array]]:
        """(offsets, targets, first, last, ended) of some nodes at a time. Impossible days are a GraphError."""
        for _, offsets, targets in lists.blocks(ARCS_AT_A_TIME):
            here = slice(int(offsets[0]), int(offsets[-1]))
            first, last, ended = (np.array(each[here]) for each in (self.first, self.last, self.ended))
            if (last < first).any() or ((ended > 0) & (ended < last)).any():
                raise damaged(self._folder / LAST_FILE, "has an arc whose days are not in order")
            yield offsets, targets, first, last, ended

    def chosen(self, lists: Lists, meant: Chosen) -> tuple[Array, Array]:
        """(offsets, targets) of the arcs that are meant."""
        degrees, found = [np.zeros(1, np.int64)], [np.empty(0, np.uint32)]
        for offsets, targets, first, _, ended in self.blocks(lists):
            mask = meant(first, ended)
            counts = np.concatenate([[0], np.cumsum(mask)])
            degrees.append(np.diff(counts[offsets - offsets[0]]))
            found.append(targets[mask])
        return np.cumsum(np.concatenate(degrees)).astype(OFFSET_TYPE), np.concatenate(found)


def there_between(first_day: int, last_day: int) -> Chosen:
    """Arcs that were there on some day from the first to the last."""
    return lambda first, ended: (first <= last_day) & ((ended == 0) | (ended > first_day))


def there_on(day: int) -> Chosen:
    return there_between(day, day)


def added_between(before: int, day: int) -> Chosen:
    """Arcs that were not there on the day before, and are there on the day."""
    return lambda first, ended: ~there_on(before)(first, ended) & there_on(day)(first, ended)


def removed_between(before: int, day: int) -> Chosen:
    """Arcs that were there on the day before, and are not there on the day."""
    return added_between(day, before)
