"""`export`: a compact graph in the formats of other tools.

    cc        Common Crawl's layout: vertices and edges as gzipped text, hosts and domains, names reversed
    parquet   an edge list: source, target (and weight)
    npz       scipy's sparse matrix
    graphml   for small graphs: one XML document, nodes with their attributes (node_attributes.py)
    gexf      the same for Gephi

Guarantees: a file appears under its name only when it is complete and on disk. GraphML and GEXF are refused above
--most-arcs, and the error says how large the file would be. Common Crawl's edges leave out the links of a host to
itself, and so do ours.
"""

import argparse
import gzip
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np

from webgraph_it.convert.node_attributes import Attributes, node_attributes, xml_text
from webgraph_it.convert.sources import ConvertError
from webgraph_it.files.own import SHARED_MODE, whole_file
from webgraph_it.graph.csr import Array
from webgraph_it.graph.webgraph import WebGraph

LEVELS = ("pages", "hosts", "domains")
NODES_AT_A_TIME = 1 << 16
XML_BYTES_PER_ARC, XML_BYTES_PER_NODE = 50, 120


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `export`."""
    parser.add_argument("graph", type=Path, metavar="DIR", help="a compact graph directory")
    parser.add_argument(
        "--format",
        required=True,
        choices=sorted([*FORMATS, *XML_FORMATS]),
        help="; ".join(__doc__.splitlines()[2:7]),
    )
    parser.add_argument(
        "--level", choices=LEVELS, help="which graph (default: pages; for cc: hosts and domains)"
    )
    parser.add_argument(
        "--to", type=Path, required=True, metavar="PATH", help="the file, or for cc the folder, to write"
    )
    parser.add_argument(
        "--analysis",
        type=Path,
        metavar="DIR",
        help="results of analyse for graphml and gexf (default: DIR/analysis, if it is there)",
    )
    parser.add_argument(
        "--most-arcs", type=int, default=1_000_000, help="limit for graphml and gexf (1000000)"
    )


def export(options: argparse.Namespace) -> int:
    """Run `export`; returns the exit code."""
    if options.format == "cc":
        for level in [options.level] if options.level else LEVELS[1:]:
            _common_crawl(open_level(options.graph, level), level, options.to)
        return 0
    if options.to.is_dir():
        raise ConvertError(f"--to {options.to} is a folder: give the name of the file to write.")
    graph = open_level(options.graph, options.level or "pages")
    if options.format in XML_FORMATS:
        _guard(graph, options.most_arcs, options.format)
        level, analysis = options.level or "pages", options.analysis or options.graph / "analysis"
        if options.analysis and not options.analysis.is_dir():
            raise ConvertError(f"--analysis {options.analysis} is not a folder: give the results of analyse.")
        attributes = node_attributes(graph, level, analysis if level == "pages" else analysis / level)
        with _finished(options.to) as file:
            XML_FORMATS[options.format](graph, attributes, file)
    else:
        with _finished(options.to) as file:
            FORMATS[options.format](graph, file)
    print(options.to)
    return 0


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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise ConvertError(f"--to {path}: {path.parent} is not a folder and cannot be created.") from None
    return whole_file(path, SHARED_MODE)


def _lists(graph: WebGraph) -> Iterator[tuple[Array, Array, Array | None]]:
    """(sources, targets, weights) for one run of nodes at a time."""
    for first in range(0, len(graph), NODES_AT_A_TIME):
        offsets = graph.offsets[first : first + NODES_AT_A_TIME + 1].astype(np.int64)
        nodes = np.arange(first, first + len(offsets) - 1, dtype=np.uint32)
        here = slice(int(offsets[0]), int(offsets[-1]))
        weights = None if graph.weights is None else np.asarray(graph.weights[here])
        yield np.repeat(nodes, np.diff(offsets)), np.asarray(graph.targets[here]), weights


def _common_crawl(graph: WebGraph, level: str, folder: Path) -> None:
    """Vertices: id TAB reversed name (domains: TAB number of hosts). Edges: id TAB id."""
    name = {"hosts": "host", "domains": "domain", "pages": "page"}[level]
    with _finished(folder / f"{name}-vertices.txt.gz") as whole, _gzipped(whole) as file:
        _vertices(graph, level, file)
    with _finished(folder / f"{name}-edges.txt.gz") as whole, _gzipped(whole) as file:
        _edges(graph, file)
    print(folder / f"{name}-edges.txt.gz")


def _vertices(graph: WebGraph, level: str, file: gzip.GzipFile) -> None:
    if level == "pages":
        file.writelines(f"{node}\t{url}\n".encode() for node, url in enumerate(graph.urls))
        return
    table = graph.nodes().to_pydict()
    sizes = [f"\t{count}" for count in table["hosts"]] if level == "domains" else [""] * len(graph)
    for node, key, size in zip(table["id"], table["key"], sizes, strict=True):
        file.write(f"{node}\t{key.replace(',', '.')}{size}\n".encode())


def _edges(graph: WebGraph, file: gzip.GzipFile) -> None:
    for sources, targets, _ in _lists(graph):
        between = sources != targets
        pairs = zip(sources[between].tolist(), targets[between].tolist(), strict=True)
        file.write("".join(f"{a}\t{b}\n" for a, b in pairs).encode())


def _gzipped(file: BinaryIO) -> gzip.GzipFile:
    """The gzip header has no name and no time, so that the same graph gives the same bytes."""
    return gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)


def _parquet(graph: WebGraph, file: BinaryIO) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    fields = {"source": pa.uint32(), "target": pa.uint32()}
    schema = pa.schema(fields if graph.weights is None else fields | {"weight": pa.uint32()})
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for sources, targets, weights in _lists(graph):
            columns = [sources, targets] if weights is None else [sources, targets, weights]
            writer.write_table(pa.Table.from_arrays([pa.array(c) for c in columns], schema=schema))


def _npz(graph: WebGraph, file: BinaryIO) -> None:
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
    for sources, targets, weights in _lists(graph):
        values = [None] * len(targets) if weights is None else weights.tolist()
        yield from zip(sources.tolist(), targets.tolist(), values, strict=True)


FORMATS: dict[str, Callable[[WebGraph, BinaryIO], None]] = {
    "cc": lambda graph, file: None,
    "parquet": _parquet,
    "npz": _npz,
}
XML_FORMATS: dict[str, Callable[[WebGraph, Attributes, BinaryIO], None]] = {
    "graphml": _graphml,
    "gexf": _gexf,
}
