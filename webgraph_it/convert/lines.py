"""Lines of URL lists and page logs → rows of a table, sorted by key.

Guarantees: a malformed line raises one ShardError that names the file and the line. The error does not show the
content of the line, because the file may not be what it seems.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json

from webgraph_it.files.received import is_count
from webgraph_it.items import NODE_STATES, REVISIT_STATES, State
from webgraph_it.shards.formats import LINK_FIELDS, LINK_MARKS, LINK_OUTSIDE, Part, ShardError
from webgraph_it.urls import Refusal, key

STATES = [state.value for state in NODE_STATES]
REVISITS = [state.value for state in REVISIT_STATES]
NEVER_TRIED, ERROR = STATES.index(State.NEVER_TRIED), STATES.index(State.ERROR)
PARENT_STATES = (STATES.index(State.FETCHED), STATES.index(State.REDIRECT))
UNCHANGED, GONE, REVISIT_FAILED = range(len(STATES), len(STATES) + len(REVISITS))
"""Of a row. A node has none of these."""
NO_DEPTH = 0xFFFFFFFF
LISTED, TRIED, LINKED = 0, 1, 2
"""Kinds of pieces: of a URL list, a page log, a link log. A row is LISTED or TRIED."""
CONTROL = "[\\x00-\\x1f\\x7f]"
"""Characters that no URL contains. A line end would break the URL map's lines."""

RUN = pa.schema(
    {
        "key": pa.string(),
        "url": pa.string(),
        "kind": pa.uint8(),
        "state": pa.uint8(),
        "status": pa.uint16(),
        "depth": pa.uint32(),
    }
)
"""A row of a sorted run: a line of a URL list or of a page log. Its state is a place in STATES, or of a re-visit."""
TIMED_RUN = pa.schema(
    [
        *RUN,
        pa.field("time", pa.float64()),
        pa.field("change", pa.float32()),
        pa.field("host_depth", pa.uint32()),
        pa.field("via", pa.string()),
    ]
)
"""The same with what a re-crawl and a graph through time need of a page log."""
LISTING = pa.schema({"key": pa.string(), "url": pa.string()})
"""A line of a URL list."""
PAGE = pa.schema(
    {
        "key": pa.string(),
        "url": pa.string(),
        "status": pa.int32(),
        "depth": pa.int64(),
        "state": pa.string(),
    }
)
"""The fields that are read from a line of a page log."""
TIMED_PAGE = pa.schema(
    [
        *PAGE,
        pa.field("time", pa.float64()),
        pa.field("change", pa.float32()),
        pa.field("host_depth", pa.int64()),
        pa.field("via", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a part, from about start to about stop."""

    part: Part
    start: int
    stop: int
    kind: int
    timed: bool = False
    """Whether the rows are those of TIMED_RUN."""

    @property
    def schema(self) -> pa.Schema:
        return TIMED_RUN if self.timed else RUN


def sorted_piece(piece: Piece) -> pa.Table:
    """The rows of a piece, sorted by key."""
    table = rows_of(piece, _lines(piece))
    return table.take(pc.array_sort_indices(table["key"].combine_chunks()))


def rows_of(piece: Piece, lines: bytes) -> pa.Table:
    """The rows of these lines of a piece, in their order."""
    if piece.kind == LINKED:
        lines = _nodes_of_links(piece, lines)
    return _tried(piece, lines) if piece.kind == TRIED else _listed(piece, lines)


def _lines(piece: Piece) -> bytes:
    """The lines that start within the piece."""
    with piece.part.path.open("rb") as file:
        file.seek(max(piece.start - 1, 0))
        if piece.start:
            file.readline()
        data = file.read(max(piece.stop - file.tell(), 0))
        return data + file.readline() if data and not data.endswith(b"\n") else data


def _listed(piece: Piece, lines: bytes) -> pa.Table:
    """A table of the URL list's lines. If the lines hold only URLs, the keys are computed."""
    given = lines
    if b"\t" not in lines[: lines.find(b"\n") + 1]:
        lines = _with_keys(piece, lines)
    try:
        table = _read_tsv(lines) if lines else LISTING.empty_table()
        sound = pc.min(pc.find_substring(table["key"], ")")).as_py()
        if sound is not None and sound < 1:
            raise pa.ArrowInvalid("a key without a host")
    except pa.ArrowException:
        where = _first_bad(piece, given, _is_listed)
        raise ShardError(
            f"{piece.part.path} is not a URL list: {where} is wrong, expected key TAB url on each line."
        ) from None
    rows = table.num_rows
    fixed = [np.full(rows, LISTED, np.uint8), np.full(rows, NEVER_TRIED, np.uint8), np.zeros(rows, np.uint16)]
    fixed.append(np.full(rows, NO_DEPTH, np.uint32))
    columns = [table["key"], table["url"], *map(pa.array, fixed)]
    if piece.timed:
        columns += [pa.nulls(rows, field.type) for field in TIMED_RUN if field.name not in RUN.names]
    return pa.Table.from_arrays(columns, schema=piece.schema)


def _nodes_of_links(piece: Piece, lines: bytes) -> bytes:
    """The nodes of a link log as lines of a URL list: their owner has perhaps not written them yet."""
    fields = [line.split(b"\t") for line in lines.split(b"\n")[:-1]]
    if any(len(each) != LINK_FIELDS for each in fields):
        raise ShardError(f"{piece.part.path} is not a link log: expected {LINK_FIELDS} fields on each line.")
    urls = [each[-1] for each in fields if LINK_OUTSIDE.encode() not in each[LINK_MARKS].split(b",")]
    return _with_keys(piece, b"".join(url + b"\n" for url in urls))


def _with_keys(piece: Piece, lines: bytes) -> bytes:
    urls = lines.decode(errors="replace").split("\n")[:-1]
    pairs = [(key(url), url.strip()) for url in urls]
    refused = [row for row, (name, _) in enumerate(pairs) if isinstance(name, Refusal)]
    if refused:
        where = _line_number(piece, refused[0])
        raise ShardError(f"{piece.part.path}: {len(refused)} lines are not URLs. The first is {where}.")
    return "".join(f"{name}\t{url}\n" for name, url in pairs).encode()


def _tried(piece: Piece, lines: bytes) -> pa.Table:
    """A table of the page log's lines."""
    try:
        fields = TIMED_PAGE if piece.timed else PAGE
        table = _read_jsonl(lines, fields) if lines else fields.empty_table()
        if not lines.isascii():
            table.validate(full=True)  # the reader accepts bytes that are not UTF-8
        state = pc.index_in(table["state"].combine_chunks(), value_set=pa.array(STATES + REVISITS))
        if state.null_count or table["key"].null_count or table["url"].null_count:
            raise pa.ArrowInvalid("a line without a key, a URL or a known state")
        if b"\\" in lines and any(
            _has_control(table[name]) for name in ("url", "via") if name in fields.names
        ):
            raise pa.ArrowInvalid("a URL that would end its line")
        depth = pc.fill_null(table["depth"], NO_DEPTH).cast(pa.uint32())
        status = pc.fill_null(table["status"], 0).cast(pa.uint16())
        timed = _timed(table) if piece.timed else []
    except pa.ArrowException:
        where = _first_bad(piece, lines, _is_tried)
        raise ShardError(
            f"{piece.part.path} is not a page log: {where} is wrong, expected one JSON object on each line with a "
            f"key, a url and one of the states {', '.join(STATES + REVISITS)}."
        ) from None
    kind = pa.array(np.full(table.num_rows, TRIED, np.uint8))
    columns = [table["key"], table["url"], kind, state.cast(pa.uint8()), status, depth, *timed]
    return pa.Table.from_arrays(columns, schema=piece.schema)


def _has_control(column: pa.ChunkedArray) -> bool:
    return bool(pc.any(pc.match_substring_regex(column, CONTROL)).as_py())


def _timed(table: pa.Table) -> list[pa.ChunkedArray]:
    """The further columns of TIMED_RUN. A line of an older crawl may lack them."""
    return [
        pc.fill_null(table["time"], 0.0),
        pc.fill_null(table["change"], 0.0),
        pc.fill_null(table["host_depth"], 0).cast(pa.uint32()),
        pc.fill_null(table["via"], ""),
    ]


def _read_tsv(lines: bytes) -> pa.Table:
    return pyarrow.csv.read_csv(
        pa.BufferReader(lines),
        pyarrow.csv.ReadOptions(use_threads=False, column_names=LISTING.names, block_size=len(lines) + 1),
        pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False, double_quote=False),
        pyarrow.csv.ConvertOptions(column_types=LISTING),
    )


def _read_jsonl(lines: bytes, fields: pa.Schema) -> pa.Table:
    return pyarrow.json.read_json(
        pa.BufferReader(lines),
        pyarrow.json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        pyarrow.json.ParseOptions(explicit_schema=fields, unexpected_field_behavior="ignore"),
    )


def _first_bad(piece: Piece, lines: bytes, is_sound: Callable[[bytes], bool]) -> str:
    """Says which line is wrong. Its content is not shown, because the file may not be what it seems."""
    rows = lines.split(b"\n")[:-1]
    return _line_number(piece, next((row for row, line in enumerate(rows) if not is_sound(line)), 0))


def _line_number(piece: Piece, row: int) -> str:
    """`line 7` for a row of the piece, counted from the start of the file."""
    with piece.part.path.open("rb") as file:
        before = file.read(max(piece.start - 1, 0)).count(b"\n")
        return f"line {before + bool(piece.start) + row + 1}"


def _is_listed(line: bytes) -> bool:
    name, tab, url = line.partition(b"\t")
    return not line or (bool(tab) and name.find(b")") > 0 and not {*b"\t\r"} & {*url})


def _is_tried(line: bytes) -> bool:
    try:
        found = json.loads(line)
        numbers = [(found.get("status") or 0, 0xFFFF), (found.get("depth") or 0, NO_DEPTH)]
        texts = [found["key"], found["url"]]
    except (ValueError, RecursionError, KeyError, AttributeError):
        return False
    return (
        found.get("state") in STATES + REVISITS
        and all(isinstance(text, str) for text in texts)
        and not re.search(CONTROL, texts[1])
        and all(is_count(value, most) for value, most in numbers)
    )
