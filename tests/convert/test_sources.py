"""What convert starts from, and what it refuses before any work."""

import json
import os
from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from webgraph_it.cli import main
from webgraph_it.convert.sources import ConvertError, from_crawls, from_files, newest_crawl
from webgraph_it.graph import WebGraph
from webgraph_it.graph.bv import BVGraph
from webgraph_it.shards.formats import ShardError
from webgraph_it.urls.names import digest


def test_crawls_are_one_source_in_the_order_given(tmp_path: Path) -> None:
    paths = [write_crawl(tmp_path / name, files=2) for name in ("b", "a")]
    sources = from_crawls(paths)
    assert [part.path.parent.parent.name for part in sources.urls] == ["b", "b", "a", "a"]
    assert [part.path.name for part in sources.graph] == ["000001.g16", "000002.g16"] * 2


def test_the_fingerprint_changes_with_what_is_committed(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    before = from_crawls([tmp_path])
    assert before.fingerprint == from_crawls([tmp_path]).fingerprint
    sizes = {"graph": {"000001.g16": 16}, "urls": {"000001.tsv": before.urls[0].length}, "pages": {}}
    (tmp_path / "committed.json").write_text(json.dumps(sizes))
    assert from_crawls([tmp_path]).fingerprint != before.fingerprint


def test_another_recipe_is_refused(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    (tmp_path / "crawl.json").write_text('{"recipe_version": 2}')
    with pytest.raises(ConvertError, match="by recipe 2, this program by recipe 1"):
        from_crawls([tmp_path])


@pytest.mark.parametrize(
    ("record", "name"), [({"CRAWL_NAME": "francia"}, "francia"), ({}, "italy")], ids=["named", "old"]
)
def test_the_files_of_a_graph_have_the_name_of_the_crawl(
    tmp_path: Path, record: dict[str, str], name: str
) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    (crawl / "crawl.json").write_text(json.dumps({"recipe_version": 1, **record}))
    assert main(["convert", str(crawl)]) == 0
    out = crawl / "compact"
    for folder in (out, out / "hosts", out / "domains"):
        assert sorted(path.name for path in folder.glob("*.graph")) == [f"{name}-t.graph", f"{name}.graph"]
        assert json.loads((folder / "graph.json").read_text())["name"] == WebGraph(folder).name == name
    assert len(BVGraph(out / WebGraph(out).name)) == len(WebGraph(out))


def test_a_graph_made_before_graphs_had_names_opens(tmp_path: Path) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    assert main(["convert", str(crawl)]) == 0
    path = crawl / "compact/graph.json"
    summary = json.loads(path.read_text())
    del summary["name"]
    path.write_text(json.dumps(summary))
    assert WebGraph(path.parent).name == "italy"


@pytest.mark.parametrize("name", ["../x", "", 7, "a/b"])
def test_a_forged_name_is_refused(tmp_path: Path, name: object) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    (crawl / "crawl.json").write_text(json.dumps({"recipe_version": 1, "CRAWL_NAME": name}))
    with pytest.raises(ShardError, match="as its CRAWL_NAME, expected a name"):
        from_crawls([crawl])


def test_the_newest_crawl_is_the_one_begun_last(tmp_path: Path) -> None:
    for age, name in enumerate(("z", "a")):
        write_crawl(tmp_path / name)
        os.utime(tmp_path / name / "crawl.json", (1000 + age, 1000 + age))
    assert newest_crawl(tmp_path) == tmp_path / "a"
    with pytest.raises(ConvertError, match="there is no crawl directory under"):
        newest_crawl(tmp_path / "z")


def test_a_folder_without_shards_is_refused(tmp_path: Path) -> None:
    (tmp_path / "urls").write_text("http://a.it/\n")
    with pytest.raises(ConvertError, match=r"has no \.g16 file"):
        from_files(tmp_path / "urls", tmp_path)


def write_fleet(path: Path) -> None:
    """A fleet that was stopped: member 1 has found a page of member 2 that member 2 has not taken in yet."""
    keys = {"it,a)/": "http://a.it/", "it,b)/": "http://b.it/"}
    parent = digest("it,a)/")
    for member in (1, 2):
        for folder in ("graph", "urls", "pages", "links"):
            (path / f"member-0{member}" / folder).mkdir(parents=True)
        record = {"recipe_version": 1, "FLEET_SIZE": 2, "CRAWL_NAME": "italy"}
        (path / f"member-0{member}/crawl.json").write_text(json.dumps(record))
    one = path / "member-01"
    (one / "urls/000001.tsv").write_text(f"it,a)/\t{keys['it,a)/']}\n")
    (one / "graph/000001.g16").write_bytes(bytes((parent[0] | 0x80,)) + parent[1:] + digest("it,b)/"))
    (one / "links/000001.tsv").write_text(
        "00f\t1\t\tit,a)/\thttp://b.it/\n00f\t1\toutside\tit,a)/\thttp://fuori.com/\n"
    )


def test_a_stopped_fleet_has_the_nodes_that_are_under_way(tmp_path: Path) -> None:
    write_fleet(tmp_path / "fleet")
    assert newest_crawl(tmp_path) == tmp_path / "fleet"
    assert main(["convert", str(tmp_path / "fleet"), "--out", str(tmp_path / "graph")]) == 0
    graph = WebGraph(tmp_path / "graph")
    assert list(graph.urls) == ["http://a.it/", "http://b.it/"]
    assert list(graph.successors(0)) == [1]


def test_a_link_log_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_fleet(tmp_path / "fleet")
    (tmp_path / "fleet/member-02/links/000001.tsv").write_text("http://b.it/\n")
    assert main(["convert", str(tmp_path / "fleet"), "--out", str(tmp_path / "graph")]) == 2
    assert "member-02/links/000001.tsv is not a link log" in capsys.readouterr().err
