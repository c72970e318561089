"""The days of a graph through time as LAW's arc labels, for Java's ArcLabelledImmutableGraph.

    NAME-days.properties     the class, the underlying graph NAME, the kind of label
    NAME-days.labels         for each arc, in the order of the lists: gamma(3), then first, last and ended, 16 bits each
    NAME-days.labeloffsets   n+1 gamma codes: 0, then the number of bits of each node's labels

A label is a FixedWidthIntListLabel of width 16, so 53 bits. Bits are as in the BV files (see bv.py).

Guarantees: `ArcLabelledImmutableGraph.load("NAME-days")` opens them if NAME.graph is beside them.
"""

from pathlib import Path

import numpy as np

from webgraph_it.graph.bv import BitFile
from webgraph_it.graph.csr import CsrFiles
from webgraph_it.graph.days import DAY_TYPE, ENDED_FILE, FIRST_FILE, LAST_FILE

SUFFIXES = ("properties", "labels", "labeloffsets")
LABEL_BITS = 53
GAMMA_OF_3 = 0b00100 << 48
ARCS_AT_ONCE = 1 << 20
PROPERTIES = """#BitStreamArcLabelledImmutableGraph properties
graphclass = it.unimi.dsi.webgraph.labelling.BitStreamArcLabelledImmutableGraph
underlyinggraph = {name}
labelspec = it.unimi.dsi.webgraph.labelling.FixedWidthIntListLabel(days,16)
"""


def write_labels(base: Path, graph: CsrFiles, days: Path, name: str) -> None:
    """Write BASE.properties, .labels and .labeloffsets from the files of days in a folder."""
    with BitFile(Path(f"{base}.labels")) as labels, BitFile(Path(f"{base}.labeloffsets")) as offsets:
        offsets.gammas(np.zeros(1, np.int64))
        for first, beyond in graph.blocks(ARCS_AT_ONCE):
            starts = graph.offsets(first, beyond)
            offsets.gammas(LABEL_BITS * np.diff(starts))
            start, count = int(starts[0]), int(starts[-1] - starts[0])
            first_day, last_day, ended = (
                np.fromfile(days / file, DAY_TYPE, count, offset=start * DAY_TYPE.itemsize).astype(np.int64)
                for file in (FIRST_FILE, LAST_FILE, ENDED_FILE)
            )
            labels.words(GAMMA_OF_3 | first_day << 32 | last_day << 16 | ended, LABEL_BITS)
    Path(f"{base}.properties").write_text(PROPERTIES.format(name=name))
