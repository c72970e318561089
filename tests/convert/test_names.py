"""Which line of the page log decides about a node."""

from pathlib import Path

import pyarrow.parquet

from tests.convert.visited_crawls import Visit, write_visits
from tests.verbs import convert
from webgraph_it.convert import names

LOGS = {
    "it,a)/": (["fetched", "unchanged"], "fetched", 200),
    "it,b)/": (["redirect", "revisit-failed"], "redirect", 301),
    "it,c)/": (["fetched", "gone"], "error", 404),
    "it,d)/": (["fetched", "gone", "fetched"], "fetched", 200),
    "it,e)/": (["fetched", "redirect"], "redirect", 301),
    "it,f)/": (["error"], "error", 404),
    "it,g)/": (["fetched", "gone", "revisit-failed"], "error", 404),
    "it,h)/": (["fetched", "gone", "gone"], "error", 404),
}
"""Key → the states of its lines, then the state and the status of the node."""


def test_state_of_a_node_follows_from_its_lines(tmp_path: Path) -> None:
    crawl = write_visits(tmp_path, [Visit(1, key, state) for key, (log, *_) in LOGS.items() for state in log])
    assert convert([str(crawl), "--only", "nodes"]) == 0
    table = pyarrow.parquet.read_table(crawl / "compact" / "nodes.parquet").to_pydict()
    found = dict(zip(LOGS, zip(table["state"], table["status"], strict=True), strict=True))
    assert found == {key: (state, status) for key, (_, state, status) in LOGS.items()}


def test_nodes_have_more_columns_if_time_matters(tmp_path: Path) -> None:
    crawl = write_visits(
        tmp_path, [Visit(1, "it,a)/", "fetched", ("it,b)/",)), Visit(1, "it,b)/", "fetched")]
    )
    assert convert([str(crawl), "--history", "--only", "names"]) == 0
    (batch,) = names.batches(crawl / "history" / ".work" / "nodes.arrow")
    assert batch.schema.equals(names.TIMED_NODE)
    assert batch["via"].to_pylist() == ["", ""]
