"""What an export says about a node: its name first, and results of analyse only if they are of this graph."""

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.convert.crawls import URLS, write_crawl
from tests.verbs import analyse
from tests.verbs import convert as main
from webgraph_it.convert.node_attributes import FOUND, Attributes, node_attributes, xml_text
from webgraph_it.convert.sources import ConvertError
from webgraph_it.graph import WebGraph


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph and what analyse found in it."""
    crawl = write_crawl(tmp_path_factory.mktemp("attributes") / "crawl")
    assert main([str(crawl)]) == 0
    assert analyse([str(crawl / "compact"), "-o", str(crawl / "analysis")]) == 0
    return crawl


@pytest.mark.parametrize(
    ("level", "name", "sizes"),
    [
        ("pages", "url", []),
        ("hosts", "name", ["pages", "fetched"]),
        ("domains", "name", ["pages", "fetched", "hosts"]),
    ],
)
def test_the_name_comes_first_then_the_sizes_then_what_was_found(
    folder: Path, level: str, name: str, sizes: list[str]
) -> None:
    whole = WebGraph(folder / "compact")
    graph = whole if level == "pages" else getattr(whole, level)
    found = folder / "analysis" / ("" if level == "pages" else level)
    plain = node_attributes(graph, level, folder / "nowhere")
    assert list(plain.columns) == [name, *sizes]
    rich = node_attributes(graph, level, found)
    assert list(rich.columns)[: len(sizes) + 1] == [name, *sizes]
    assert {"pagerank", "bow_tie"} <= set(rich.columns) <= {name, *sizes, *FOUND}
    assert rich.kinds[name] == rich.kinds["bow_tie"] == "string"
    assert rich.kinds["pagerank"] == "double"
    assert rich.kinds["in_degree"] == "long"
    assert len(list(rich.rows())) == len(graph)


def test_a_pages_name_is_its_url_in_order_of_id(folder: Path) -> None:
    found = node_attributes(WebGraph(folder / "compact"), "pages", folder / "nowhere")
    assert list(found.rows()) == [(URLS[key],) for key in sorted(URLS)]


@pytest.mark.parametrize("column", ["url", "out_degree"])
def test_results_of_another_graph_are_refused(folder: Path, tmp_path: Path, column: str) -> None:
    """The same nodes with other arcs, or as many nodes of another name."""
    shutil.copytree(folder / "analysis", tmp_path, dirs_exist_ok=True)
    ranks = pq.read_table(tmp_path / "ranks.parquet")
    place = ranks.column_names.index(column)
    pq.write_table(
        ranks.set_column(place, column, ranks[column].take(list(range(len(ranks)))[::-1])),
        tmp_path / "ranks.parquet",
    )
    with pytest.raises(ConvertError, match=r"belongs to another graph .* run webgraph-it analyse again"):
        node_attributes(WebGraph(folder / "compact"), "pages", tmp_path)


def test_no_nodes_have_no_kind_but_text() -> None:
    assert Attributes({"url": [], "pagerank": []}).kinds == {"url": "string", "pagerank": "string"}


@given(st.one_of(st.text(), st.integers(), st.floats(allow_nan=False)))
def test_any_value_can_stand_in_xml(value: str | float) -> None:
    text = xml_text(value)
    parsed = ElementTree.fromstring(f'<a b="{text}">{text}</a>')
    if isinstance(value, str):
        kept = "".join(
            c if c in "\t" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "\ufffd"
            for c in value
        )
        assert parsed.text == (kept or None)
    else:
        assert parsed.get("b") == repr(value)
