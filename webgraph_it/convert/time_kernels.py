"""The inner loops of a graph through time: sequences and visits of nodes → lists with days.

Pure functions of arrays. `values` are sequences of ids (see kernels.py). `nodes`, `whats`, `times` and `days` are the
visits of the same nodes (see visits.py), in order of node. The n-th visit SEQUENCE of a node belongs to its n-th
sequence. Among the visits of a node, the time decides which is later.
"""

import numpy as np

from webgraph_it.convert.kernels import FLAG
from webgraph_it.convert.visits import ENDED, OTHER, SAME, SEQUENCE
from webgraph_it.graph.compiled import compiled, inlined, signed
from webgraph_it.graph.csr import Array

NO_DAY = 0


@compiled
def find_sequences(values: Array, low: int, rows: int) -> tuple[Array, Array, Array]:
    """Where the sequences of each row are: (places, begins, ends). Row r has begins[places[r] : places[r+1]]."""
    places = np.zeros(rows + 1, np.int64)
    for value in values:
        if value & np.uint32(FLAG):
            places[signed(value & np.uint32(FLAG - 1)) - low + 1] += 1
    places = np.cumsum(places)
    begins, ends, free = np.empty(places[-1], np.int64), np.empty(places[-1], np.int64), places.copy()
    last = -1
    for i in range(len(values)):
        if values[i] & np.uint32(FLAG):
            if last >= 0:
                ends[last] = i
            row = signed(values[i] & np.uint32(FLAG - 1)) - low
            last = free[row]
            free[row] += 1
            begins[last] = i + 1
    if last >= 0:
        ends[last] = len(values)
    return places, begins, ends


@inlined
def _in_time(times: Array, first: int, beyond: int, order: Array) -> None:
    """order[:beyond-first] = the visits by time; those at the same time stay in their order."""
    for i in range(first, beyond):
        place = i - first
        while place > 0 and times[order[place - 1]] > times[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i


@inlined
def _unique(values: Array, out: Array) -> int:
    """Sort into `out` without repetitions. Returns how many are left."""
    out[: len(values)] = values
    out[: len(values)].sort()
    kept = 0
    for i in range(len(values)):
        if i == 0 or out[i] != out[kept - 1]:
            out[kept] = out[i]
            kept += 1
    return kept


@compiled
def lists_at(
    values: Array,
    low: int,
    nodes: Array,
    whats: Array,
    times: Array,
    until: float,
    parents: Array,
    degrees: Array,
    out: Array,
) -> tuple[int, int]:
    """The lists that rows low, low+1 … had before the time `until`. Returns (arcs, a row whose visits and sequences do
    not agree, or -1)."""
    rows = len(parents)
    places, begins, ends = find_sequences(values, low, rows)
    order, at, first = np.empty(len(nodes), np.int64), 0, 0
    for row in range(rows):
        beyond = first
        while beyond < len(nodes) and signed(nodes[beyond]) == low + row:
            beyond += 1
        number = _sequence_at(whats, times, first, beyond, until, order)
        written = _count_sequences(whats, first, beyond)
        first = beyond
        if written != places[row + 1] - places[row]:
            return at, row
        parents[row], degrees[row] = number >= 0, 0
        if number >= 0:
            place = places[row] + number
            degrees[row] = _unique(values[begins[place] : ends[place]], out[at:])
            at += degrees[row]
    return at, -1


@inlined
def _count_sequences(whats: Array, first: int, beyond: int) -> int:
    count = 0
    for i in range(first, beyond):
        count += signed(whats[i] == SEQUENCE)
    return count


@inlined
def _sequence_at(whats: Array, times: Array, first: int, beyond: int, until: float, order: Array) -> int:
    """The number of the sequence that holds before `until`, or -1."""
    numbers = np.empty(beyond - first, np.int64)
    written = 0
    for i in range(first, beyond):
        numbers[i - first] = written
        written += signed(whats[i] == SEQUENCE)
    _in_time(times, first, beyond, order)
    now = -1
    for i in order[: beyond - first]:
        if times[i] < until:
            if whats[i] == SEQUENCE:
                now = numbers[i - first]
            elif whats[i] == ENDED:
                now = -1
    return now


@compiled
def histories(
    values: Array,
    low: int,
    nodes: Array,
    whats: Array,
    times: Array,
    days: Array,
    degrees: Array,
    out: Array,
    firsts: Array,
    lasts: Array,
    ends_on: Array,
    counts: Array,
) -> tuple[int, int]:
    """All arcs that rows low, low+1 … ever had, each with three days: `firsts`, the first visit that saw it; `lasts`,
    the last one; `ends_on`, the first visit after that one, which no longer saw it (NO_DAY if there was none).

    counts[row] = (visits, visits that found a change, first day, whether it is gone, whether it ever was a parent). The
    times of last visits are not here. Returns (arcs, a row whose visits and sequences do not agree, or -1).
    """
    rows = len(degrees)
    places, begins, ends = find_sequences(values, low, rows)
    order, numbers = np.empty(len(nodes), np.int64), np.empty(len(nodes), np.int64)
    is_there, seen = np.empty(0, np.bool_), np.empty(0, np.int64)
    at, first = 0, 0
    for row in range(rows):
        beyond, written = first, 0
        while beyond < len(nodes) and signed(nodes[beyond]) == low + row:
            numbers[beyond] = places[row] + written
            written += signed(whats[beyond] == SEQUENCE)
            beyond += 1
        if written != places[row + 1] - places[row]:
            return at, row
        count = 0
        for place in range(places[row], places[row + 1]):
            for i in range(begins[place], ends[place]):
                out[at + count] = values[i]
                count += 1
        count = _unique(out[at : at + count].copy(), out[at:]) if count else 0
        targets = out[at : at + count]
        if count > len(seen):
            is_there, seen = np.empty(2 * count, np.bool_), np.empty(2 * count, np.int64)
        is_there[:count] = False
        seen[:count] = -1
        firsts[at : at + count] = NO_DAY
        ends_on[at : at + count] = NO_DAY
        visits, changes, first_day, gone = 0, 0, NO_DAY, False
        _in_time(times, first, beyond, order)
        for i in order[: beyond - first]:
            what, day = whats[i], days[i]
            if what == OTHER:
                continue
            if what == ENDED and visits == 0:
                continue
            changed = gone != (what == ENDED)
            if what == SEQUENCE:
                for j in range(begins[numbers[i]], ends[numbers[i]]):
                    seen[np.searchsorted(targets, values[j])] = i
            for arc in range(count):
                stays = is_there[arc] if what == SAME else seen[arc] == i and what == SEQUENCE
                if stays:
                    changed = changed or not is_there[arc]
                    if firsts[at + arc] == NO_DAY:
                        firsts[at + arc] = day
                    lasts[at + arc], ends_on[at + arc], is_there[arc] = day, NO_DAY, True
                elif is_there[arc]:
                    ends_on[at + arc], is_there[arc], changed = day, False, True
            first_day = day if visits == 0 else first_day
            changes += signed(changed and visits > 0)
            gone = what == ENDED
            visits += 1
        counts[row, 0], counts[row, 1], counts[row, 2] = visits, changes, first_day
        counts[row, 3], counts[row, 4] = signed(gone), signed(written > 0)
        degrees[row] = count
        at += count
        first = beyond
    return at, -1


@compiled
def reach(offsets: Array, targets: Array, reached: Array) -> None:
    """Mark all nodes that can be reached from those that are marked."""
    waiting = np.empty(len(reached), np.uint32)
    count = 0
    for node in range(len(reached)):
        if reached[node]:
            waiting[count] = node
            count += 1
    while count:
        count -= 1
        node = signed(waiting[count])
        for arc in range(offsets[node], offsets[node + 1]):
            target = targets[arc]
            if not reached[target]:
                reached[target] = 1
                waiting[count] = target
                count += 1
