"""The measures of one graph as files, for other programs and for people.

- `ranks.parquet`: a row per node in order of id: id, name (`url`, `host` or `domain`), state (pages), all
  measures, their positions (1 is best; equal values in order of id), component labels, bow-tie part.
- `ranks.txt.gz`: the same ranks as text, in the layout of Common Crawl's: a line of column names that start
  with `#`, then tab-separated positions and values, and the name. Host and domain names are reversed
  (`it.unipd.dei`) as in theirs. Domains also have their number of hosts.
- `top-<measure>.txt`: the best 1,000 by each measure: position, value, name.

Guarantees: a file that exists is complete (written under another name, then renamed). The data streams through once,
in order of id, in batches, so memory does not grow with the length of the names.
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from webgraph_it.analyse.components import Part
from webgraph_it.analyse.csr import Ids
from webgraph_it.analyse.levels import Level, reversed_name
from webgraph_it.analyse.measures import Measures, positions, top
from webgraph_it.files.own import SHARED_MODE, whole_file, write_whole

TOP = 1000
PARTS = [part.name.lower() for part in Part]
TEXT_COLUMNS = {
    "harmonic": "harmonicc",
    "pagerank": "pr",
    "authority": "authority",
    "hub": "hub",
    "in_degree": "indegree",
}
"""Name in Parquet → name in the text file, which has two columns, _pos and _val. Harmonic is not for pages."""


@dataclass(frozen=True, slots=True)
class Best:
    """A node in a list of the best."""

    id: int
    value: float
    name: str
    state: str
    """Empty for hosts and domains."""


def write_results(level: Level, measures: Measures, folder: Path) -> dict[str, list[Best]]:
    """Write all files of one graph into `folder`. Returns the best TOP nodes by each measure."""
    folder.mkdir(parents=True, exist_ok=True)
    places = {name: positions(values) for name, values in measures.rankings().items()}
    leaders = {name: top(values, TOP) for name, values in measures.rankings().items()}
    wanted = np.unique(np.concatenate(list(leaders.values())))
    names: dict[int, tuple[str, str]] = {}
    with _parquet(folder / "ranks.parquet") as write_table, _text(folder / "ranks.txt.gz") as lines:
        lines.write(_text_head(level, measures))
        for first, batch in level.batches():
            rows = slice(first, first + batch.num_rows)
            write_table(_table(batch, rows, measures, places))
            shown = batch.column(level.name_column).to_pylist()
            lines.writelines(_text_lines(level, rows, measures, places, batch))
            names |= _picked(wanted, first, shown, batch)
    best = {name: _best(ids, measures.rankings()[name], names) for name, ids in leaders.items()}
    for name, rows_of_best in best.items():
        _write_top(folder / f"top-{name.replace('_', '-')}.txt", name, rows_of_best)
    return best


def _table(batch: Any, rows: slice, measures: Measures, places: dict[str, Ids]) -> Any:
    columns: dict[str, Any] = {"id": np.arange(rows.start, rows.stop, dtype=np.uint32)}
    columns |= {name: batch.column(name) for name in batch.schema.names}
    columns["out_degree"] = measures.out_degree[rows]
    for name, values in measures.rankings().items():
        columns[name] = values[rows]
        columns[f"{name}_position"] = places[name][rows]
    columns["strong_component"], columns["weak_component"] = measures.strong[rows], measures.weak[rows]
    codes = pa.array(measures.part[rows].astype(np.int8))
    columns["bow_tie"] = pa.DictionaryArray.from_arrays(codes, pa.array(PARTS))
    return pa.table(columns)


def _text_head(level: Level, measures: Measures) -> str:
    present = [short for name, short in TEXT_COLUMNS.items() if name in measures.rankings()]
    pairs = [f"#{short}_pos\t#{short}_val" for short in present]
    names = {"pages": ["#url"], "hosts": ["#host_rev"], "domains": ["#domain_rev", "#n_hosts"]}
    return "\t".join([*pairs, *names[level.name]]) + "\n"


def _text_lines(
    level: Level, rows: slice, measures: Measures, places: dict[str, Ids], batch: Any
) -> Iterator[str]:
    values = measures.rankings()
    present = [name for name in TEXT_COLUMNS if name in values]
    columns = [column[rows].tolist() for name in present for column in (places[name], values[name])]
    shown = batch.column(level.name_column).to_pylist()
    names = [_one_line(name if level.name == "pages" else reversed_name(name)) for name in shown]
    if level.name == "domains":
        names = [
            f"{name}\t{hosts}" for name, hosts in zip(names, batch.column("n_hosts").to_pylist(), strict=True)
        ]
    for *numbers, name in zip(*columns, names, strict=True):
        yield "\t".join(map(_number, numbers)) + f"\t{name}\n"


def _number(value: float) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _one_line(name: str) -> str:
    """Escape a name, so that it never breaks the table."""
    return name.replace("\t", "%09").replace("\n", "%0A").replace("\r", "%0D")


def _picked(
    wanted: NDArray[np.int64], first: int, shown: list[str], batch: Any
) -> dict[int, tuple[str, str]]:
    start, end = np.searchsorted(wanted, [first, first + len(shown)])
    states = batch.column("state").to_pylist() if "state" in batch.schema.names else [""] * len(shown)
    return {int(node): (shown[node - first], str(states[node - first])) for node in wanted[start:end]}


def _best(
    ids: NDArray[np.int64], values: NDArray[np.float64] | NDArray[np.int64], names: dict[int, tuple[str, str]]
) -> list[Best]:
    return [Best(int(node), float(values[node]), *names[int(node)]) for node in ids]


def _write_top(path: Path, measure: str, best: list[Best]) -> None:
    rows = (f"{position}\t{row.value:.10g}\t{_one_line(row.name)}\n" for position, row in enumerate(best, 1))
    write_whole(path, "".join([f"#position\t#{measure}\t#name\n", *rows]), SHARED_MODE)


# -- whole files ---------------------------------------------------------------------------------------------


@contextmanager
def _text(path: Path) -> Iterator[IO[str]]:
    with (
        whole_file(path, SHARED_MODE) as file,
        gzip.GzipFile("", "wb", compresslevel=4, fileobj=file, mtime=0) as packed,
        TextIOWrapper(packed, encoding="utf-8", newline="\n") as lines,
    ):
        yield lines


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    writers: list[Any] = []

    def write(table: Any) -> None:
        if not writers:
            writers.append(pq.ParquetWriter(file, table.schema, compression="zstd"))
        writers[0].write_table(table)

    with whole_file(path, SHARED_MODE) as file:
        yield write
        for writer in writers:
            writer.close()
