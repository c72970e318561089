"""Does a crawl's result match the truth? `webgraph-it simweb compare TRUTH_DIR JOBDIR` prints the answer.

Every kind of difference is one sentence with the number of cases and the first few of them. Hosts without a single
right answer (traps, hostile ones) are compared with their bounds (see truth.py).
"""

from webgraph_it.simweb.crawl_files import CrawledGraph
from webgraph_it.simweb.truth import Truth, listed


def differences(truth: Truth, crawled: CrawledGraph) -> list[str]:
    """Every difference between a crawl and the truth, in sentences. Empty if there is none."""
    states = crawled.states()
    reasons = {key: crawled.reason(key) for key in states}
    return [*listed("faults of the files", crawled.faults), *truth.differences(states, crawled.arcs, reasons)]


def counts(truth: Truth, crawled: CrawledGraph) -> str:
    """The number of nodes and arcs compared one by one, and the number of nodes in traps."""
    words = f"{len(truth.nodes):,} nodes, {len(truth.arcs):,} arcs"
    beside = len(crawled.urls) - len(truth.nodes)
    return f"{words}; {beside:,} more nodes in traps, within their bounds" if beside else words
