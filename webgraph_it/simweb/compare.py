"""Is what a crawl found the truth? `webgraph-it simweb compare TRUTH_DIR JOBDIR` prints the answer.

Every kind of difference is a sentence with its number and the first few of them. Hosts without a single right answer
(traps, hostile ones) are compared with their bounds: see truth.py.
"""

from webgraph_it.simweb.crawl_files import CrawledGraph
from webgraph_it.simweb.truth import Truth, listed


def differences(truth: Truth, crawled: CrawledGraph) -> list[str]:
    """Every way in which a crawl is not the truth, in sentences; empty if it is right."""
    states = crawled.states()
    reasons = {key: crawled.reason(key) for key in states}
    return [*listed("faults of the files", crawled.faults), *truth.differences(states, crawled.arcs, reasons)]


def counts(truth: Truth, crawled: CrawledGraph) -> str:
    """What was compared one by one, and what lies in traps beside it."""
    words = f"{len(truth.nodes):,} nodes, {len(truth.arcs):,} arcs"
    beside = len(crawled.urls) - len(truth.nodes)
    return f"{words}; {beside:,} more nodes in traps, within their bounds" if beside else words
