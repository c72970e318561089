"""`export`: a compact graph in the formats of other tools.

    cc        Common Crawl's layout: vertices and edges as gzipped text, hosts and domains, names reversed
    parquet   an edge list: source, target (and weight, or nofollow)
    npz       scipy's sparse matrix
    graphml   for small graphs: one XML document, nodes with their attributes (node_attributes.py)
    gexf      the same for Gephi
    duckdb    a DuckDB file: tables of nodes and arcs, of pages, hosts and domains
    sqlite    the same as an SQLite file
    postgres  the same in a PostgreSQL database
    csv       the same as a folder of CSV files
    arcs      lines of text: id TAB id (TAB weight)
    url-arcs  lines of text: URL TAB URL (of hosts and domains: name TAB name TAB weight)

The format follows from --to where its ending says it: SUFFIXES and ADDRESSES.

Guarantees: a file appears under its name only when it is complete and on disk. GraphML and GEXF are refused above
--most-arcs, and the error says how large the file would be. Common Crawl's edges leave out the links of a host to
itself, and so do ours. A database that exists is replaced only with --replace. All formats but npz, graphml and gexf
take memory that does not grow with the number of arcs.
"""

import argparse
import gzip
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

from webgraph_it.convert.node_attributes import Attributes, node_attributes, xml_text
from webgraph_it.convert.sources import ConvertError
from webgraph_it.convert.to.arcs import write_arcs
from webgraph_it.convert.to.csv import write_csv
from webgraph_it.convert.to.duckdb import write_duckdb
from webgraph_it.convert.to.postgres import write_postgres
from webgraph_it.convert.to.sqlite import write_sqlite
from webgraph_it.convert.to.tables import arc_columns, tables
from webgraph_it.files.own import SHARED_MODE, whole_file
from webgraph_it.graph.csr import Array
from webgraph_it.graph.summary import SUMMARY, listed_files, read_summary
from webgraph_it.graph.webgraph import WebGraph
from webgraph_it.progress import Progress

LEVELS = ("pages", "hosts", "domains")
STDOUT = "-"
ADDRESSES = ("postgresql://", "postgres://")
SUFFIXES = {
    ".parquet": "parquet", ".npz": "npz", ".graphml": "graphml", ".gexf": "gexf", ".csv": "csv",
    ".duckdb": "duckdb", ".sqlite": "sqlite", ".sqlite3": "sqlite",
}  # fmt: skip
XML_BYTES_PER_ARC, XML_BYTES_PER_NODE = 50, 120


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `export`."""
    parser.add_argument("graph", type=Path, metavar="DIR", help="a compact graph directory")
    parser.add_argument(
        "--to",
        required=True,
        metavar="PATH",
        help="the file, or for cc and csv the folder, to write; postgresql://USER@HOST/DATABASE; - is standard "
        "output, for arcs and url-arcs",
    )
    parser.add_argument(
        "--format",
        choices=sorted([*FORMATS, *XML_FORMATS, *TABLE_FORMATS, *ARC_FORMATS]),
        help=f"if the ending of --to does not say it; {'; '.join(__doc__.splitlines()[2:13])}",
    )
    parser.add_argument(
        "--level",
        choices=LEVELS,
        help="which graph (default: pages; for cc: hosts and domains; for duckdb, sqlite, postgres and csv: all)",
    )
    parser.add_argument("--replace", action="store_true", help="replace a database or its tables")
    parser.add_argument("--schema", metavar="NAME", help="for postgres: where the tables go; made if missing")
    parser.add_argument(
        "--analysis",
        type=Path,
        metavar="DIR",
        help="results of analyse for graphml and gexf (default: DIR/analysis, if it is there)",
    )
    parser.add_argument(
        "--most-arcs", type=int, default=1_000_000, help="limit for graphml and gexf (1000000)"
    )


def export(options: argparse.Namespace, name: str, progress: Progress) -> int:
    """Write the format of that name; returns the exit code."""
    if options.to == STDOUT and name not in ARC_FORMATS:
        raise ConvertError(
            f"{name} cannot go to standard output: only arcs and url-arcs can. Give a name with --to."
        )
    if options.to != STDOUT and name != "postgres":
        _refuse_own(options.graph, Path(options.to))
    if name in TABLE_FORMATS:
        print(TABLE_FORMATS[name](options, progress))
    elif name in ARC_FORMATS:
        _arcs_as_text(options, name, progress)
    elif name == "cc":
        for level in [options.level] if options.level else LEVELS[1:]:
            _common_crawl(open_level(options.graph, level), level, Path(options.to), progress)
    else:
        _one_file(options, name, progress)
    return 0


def _refuse_own(folder: Path, to: Path) -> None:
    """Refuse to write over the graph that is read."""
    for each in (folder, *(folder / level for level in LEVELS[1:])):
        summary = each / SUMMARY
        files = listed_files(summary, read_summary(each)) if summary.exists() else {}
        if to.resolve() in {path.resolve() for path in (each, summary, *(each / name for name in files))}:
            raise ConvertError(f"--to {to} is part of the graph {folder} itself: give another name.")


def format_of(to: str) -> str:
    """What the end of --to says, or its beginning."""
    if to.startswith(ADDRESSES):
        return "postgres"
    name = SUFFIXES.get(Path(to).suffix.lower())
    if name is None:
        raise ConvertError(
            f"--to {to} does not say which format is meant: give --format, or a name that ends with "
            f"{', '.join(SUFFIXES)}."
        )
    return name


def _one_file(options: argparse.Namespace, name: str, progress: Progress) -> None:
    """Of one level, for the tools that read a file."""
    to, level = _file(options.to), options.level or "pages"
    graph = open_level(options.graph, level)
    if name in XML_FORMATS:
        _guard(graph, options.most_arcs, name)
        analysis = options.analysis or options.graph / "analysis"
        if options.analysis and not options.analysis.is_dir():
            raise ConvertError(f"--analysis {options.analysis} is not a folder: give the results of analyse.")
        attributes = node_attributes(graph, level, analysis if level == "pages" else analysis / level)
        with _finished(to) as file:
            XML_FORMATS[name](graph, attributes, file)
    else:
        with _finished(to) as file:
            FORMATS[name](graph, file, progress)
    print(to)


def _arcs_as_text(options: argparse.Namespace, name: str, progress: Progress) -> None:
    graph = open_level(options.graph, options.level or "pages")
    if options.to == STDOUT:
        sys.stdout.flush()
        # sys.stdout.buffer may have no buffer (python -u), and would then write a part and say nothing
        with open(sys.stdout.fileno(), "wb", closefd=False) as file:
            write_arcs(graph, file, ARC_FORMATS[name], None)
        return
    to = _file(options.to)
    with _finished(to) as file:
        write_arcs(graph, file, ARC_FORMATS[name], progress)
    print(to)


def _duckdb(options: argparse.Namespace, progress: Progress) -> str:
    found, to = tables(options.graph, options.level), _new_file(options)
    write_duckdb(found, to, progress)
    return str(to)


def _sqlite(options: argparse.Namespace, progress: Progress) -> str:
    found, to = tables(options.graph, options.level), _new_file(options)
    write_sqlite(found, to, progress)
    return str(to)


def _postgres(options: argparse.Namespace, progress: Progress) -> str:
    found = tables(options.graph, options.level)
    return write_postgres(found, options.to, options.schema, options.replace, progress)


def _csv(options: argparse.Namespace, progress: Progress) -> str:
    found, folder = tables(options.graph, options.level), Path(options.to)
    _make_folder(folder, options.to)
    write_csv(found, folder, progress)
    return str(folder)


def _file(to: str) -> Path:
    if Path(to).is_dir():
        raise ConvertError(f"--to {to} is a folder: give the name of the file to write.")
    return Path(to)


def _new_file(options: argparse.Namespace) -> Path:
    """Where a database goes: other tables than ours may be in one that exists."""
    to = _file(options.to)
    if to.exists() and not options.replace:
        raise ConvertError(f"--to {to} exists: give another name, or --replace to replace all of it.")
    _make_folder(to.parent, options.to)
    return to


def open_level(path: Path, level: str) -> WebGraph:
    """The page graph of a directory, or its host or domain graph."""
    return WebGraph(path if level == "pages" else path / level)


def _guard(graph: WebGraph, most_arcs: int, name: str) -> None:
    size = graph.arcs * XML_BYTES_PER_ARC + len(graph) * XML_BYTES_PER_NODE
    if graph.arcs > most_arcs:
        raise ConvertError(
            f"{graph.path} has {graph.arcs} arcs: as {name} it would be about {size / 1e9:.1f} GB, "
            f"too large for any viewer. Use --level hosts or domains, or raise --most-arcs (now {most_arcs})."
        )


def _finished(path: Path) -> AbstractContextManager[BinaryIO]:
    """A file that appears when it is complete. Its folder is created if it is missing."""
    _make_folder(path.parent, path)
    return whole_file(path, SHARED_MODE)


def _make_folder(folder: Path, to: Path | str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise ConvertError(f"--to {to}: {folder} is not a folder and cannot be created.") from None


def _lists(graph: WebGraph, progress: Progress) -> Iterator[tuple[Array, Array, Array | None]]:
    """(sources, targets, weights) of some arcs at a time."""
    progress.begin("arcs", graph.arcs)
    done = 0
    for sources, targets, weights in graph.arc_blocks():
        yield sources, targets, weights
        done += len(targets)
        progress.at(done)
    progress.end(f"{done:,} rows")


def _common_crawl(graph: WebGraph, level: str, folder: Path, progress: Progress) -> None:
    """Vertices: id TAB reversed name (domains: TAB number of hosts). Edges: id TAB id."""
    name = {"hosts": "host", "domains": "domain", "pages": "page"}[level]
    with _finished(folder / f"{name}-vertices.txt.gz") as whole, _gzipped(whole) as file:
        _vertices(graph, level, file)
    with _finished(folder / f"{name}-edges.txt.gz") as whole, _gzipped(whole) as file:
        _edges(graph, file, progress)
    print(folder / f"{name}-edges.txt.gz")


def _vertices(graph: WebGraph, level: str, file: gzip.GzipFile) -> None:
    if level == "pages":
        file.writelines(f"{node}\t{url}\n".encode() for node, url in enumerate(graph.urls))
        return
    table = graph.nodes().to_pydict()
    sizes = [f"\t{count}" for count in table["hosts"]] if level == "domains" else [""] * len(graph)
    for node, key, size in zip(table["id"], table["key"], sizes, strict=True):
        file.write(f"{node}\t{key.replace(',', '.')}{size}\n".encode())


def _edges(graph: WebGraph, file: gzip.GzipFile, progress: Progress) -> None:
    for sources, targets, _ in _lists(graph, progress):
        between = sources != targets
        pairs = zip(sources[between].tolist(), targets[between].tolist(), strict=True)
        file.write("".join(f"{a}\t{b}\n" for a, b in pairs).encode())


def _gzipped(file: BinaryIO) -> gzip.GzipFile:
    """The gzip header has no name and no time, so that the same graph gives the same bytes."""
    return gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)


def _parquet(graph: WebGraph, file: BinaryIO, progress: Progress) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    fields = {"source": pa.uint32(), "target": pa.uint32()}
    if graph.weights is not None:
        fields["weight"] = pa.uint32()
    elif graph.labels is not None:
        fields["nofollow"] = pa.bool_()
    schema, done = pa.schema(fields), 0
    progress.begin("arcs", graph.arcs)
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for columns in arc_columns(graph):
            writer.write_table(pa.Table.from_arrays([pa.array(c) for c in columns], schema=schema))
            done += len(columns[0])
            progress.at(done)
    progress.end(f"{done:,} rows")


def _npz(graph: WebGraph, file: BinaryIO, progress: Progress) -> None:
    from scipy.sparse import save_npz

    save_npz(file, graph.to_scipy())


def _graphml(graph: WebGraph, attributes: Attributes, binary: BinaryIO) -> None:
    with _text(binary) as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        )
        for name, kind in attributes.kinds.items():
            file.write(f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n')
        file.write(
            '<key id="weight" for="edge" attr.name="weight" attr.type="long"/>\n'
            '<graph edgedefault="directed">\n'
        )
        for node, row in enumerate(attributes.rows()):
            values = zip(attributes.kinds, row, strict=True)
            data = "".join(f'<data key="{name}">{xml_text(value)}</data>' for name, value in values)
            file.write(f'<node id="{node}">{data}</node>\n')
        for source, target, weight in _arcs(graph):
            data = "" if weight is None else f'<data key="weight">{weight}</data>'
            file.write(f'<edge source="{source}" target="{target}">{data}</edge>\n')
        file.write("</graph>\n</graphml>\n")


def _gexf(graph: WebGraph, attributes: Attributes, binary: BinaryIO) -> None:
    """Version 1.2, because Gephi and networkx read it, and networkx does not read later ones."""
    with _text(binary) as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n'
        )
        file.write(
            '<graph defaultedgetype="directed" mode="static">\n<attributes class="node" mode="static">\n'
        )
        for name, kind in attributes.kinds.items():
            file.write(f'<attribute id="{name}" title="{name}" type="{kind}"/>\n')
        file.write("</attributes>\n<nodes>\n")
        for node, row in enumerate(attributes.rows()):
            values = zip(attributes.kinds, row, strict=True)
            data = "".join(f'<attvalue for="{name}" value="{xml_text(value)}"/>' for name, value in values)
            label = xml_text(row[0])
            file.write(f'<node id="{node}" label="{label}"><attvalues>{data}</attvalues></node>\n')
        file.write("</nodes>\n<edges>\n")
        for number, (source, target, weight) in enumerate(_arcs(graph)):
            file.write(f'<edge id="{number}" source="{source}" target="{target}" weight="{weight or 1}"/>\n')
        file.write("</edges>\n</graph>\n</gexf>\n")


@contextmanager
def _text(file: BinaryIO) -> Iterator[TextIO]:
    """A text wrapper that leaves the file open."""
    text = TextIOWrapper(file, encoding="utf-8", newline="\n")
    yield text
    text.detach()


def _arcs(graph: WebGraph) -> Iterator[tuple[int, int, int | None]]:
    for sources, targets, weights in graph.arc_blocks():
        values = [None] * len(targets) if weights is None else weights.tolist()
        yield from zip(sources.tolist(), targets.tolist(), values, strict=True)


FORMATS: dict[str, Callable[[WebGraph, BinaryIO, Progress], None]] = {
    "cc": lambda graph, file, progress: None,
    "parquet": _parquet,
    "npz": _npz,
}
XML_FORMATS: dict[str, Callable[[WebGraph, Attributes, BinaryIO], None]] = {
    "graphml": _graphml,
    "gexf": _gexf,
}
COMPILED = frozenset({"npz", *XML_FORMATS})
"""They check all lists at once, with a compiled kernel."""
TABLE_FORMATS: dict[str, Callable[[argparse.Namespace, Progress], str]] = {
    "duckdb": _duckdb,
    "sqlite": _sqlite,
    "postgres": _postgres,
    "csv": _csv,
}
"""Write all tables; return where they are."""
ARC_FORMATS = {"arcs": False, "url-arcs": True}
"""Whether the ends of an arc are named, not numbered."""
