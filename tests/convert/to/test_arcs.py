import subprocess
import sys
from pathlib import Path

import networkx
import pytest

from tests.convert.to.graphs import rows_of
from webgraph_it.cli import main


def test_networkx_reads_arcs_of_ids(graph: Path, tmp_path: Path) -> None:
    assert main(["export", str(graph), "--format", "arcs", "--to", str(tmp_path / "arcs.txt")]) == 0
    found = networkx.read_edgelist(tmp_path / "arcs.txt", create_using=networkx.DiGraph, nodetype=int)
    assert sorted(found.edges) == rows_of(graph, "arcs")


def test_networkx_reads_arcs_of_urls(graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webgraph_it.convert.to.arcs.NAMED_AT_A_TIME", 777)
    assert main(["export", str(graph), "--format", "url-arcs", "--to", str(tmp_path / "arcs.txt")]) == 0
    found = networkx.read_edgelist(tmp_path / "arcs.txt", create_using=networkx.DiGraph, delimiter="\t")
    ids = {url: node for node, url, *_ in rows_of(graph, "nodes")}
    assert sorted((ids[a], ids[b]) for a, b in found.edges) == rows_of(graph, "arcs")


@pytest.mark.parametrize("level", ["host", "domain"])
def test_networkx_reads_arcs_between_names_with_weights(graph: Path, tmp_path: Path, level: str) -> None:
    words = ["--format", "url-arcs", "--level", f"{level}s", "--to", str(tmp_path / "arcs.txt")]
    assert main(["export", str(graph), *words]) == 0
    found = networkx.read_weighted_edgelist(tmp_path / "arcs.txt", create_using=networkx.DiGraph)
    ids = {name: node for node, name, *_ in rows_of(graph, f"{level}s")}
    edges = sorted((ids[a], ids[b], int(data["weight"])) for a, b, data in found.edges(data=True))
    assert edges == rows_of(graph, f"{level}_arcs")


def test_arcs_go_to_standard_output_and_nothing_else_does(graph: Path) -> None:
    command = [sys.executable, "-m", "webgraph_it", "export", str(graph), "--format", "arcs", "--to", "-"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert [tuple(map(int, line.split("\t"))) for line in done.stdout.splitlines()] == rows_of(graph, "arcs")


@pytest.mark.parametrize("unbuffered", ["", "-u"])
def test_head_ends_an_export_quietly(graph: Path, unbuffered: str) -> None:
    """Without a buffer Python writes what the pipe takes, and says nothing of the rest."""
    export = f"{sys.executable} {unbuffered} -m webgraph_it export {graph} --format url-arcs --to -"
    done = subprocess.run(
        ["bash", "-c", f"{export} | head -1; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    first, code = done.stdout.splitlines()
    assert first.startswith("http")
    assert (code, done.stderr) == ("141", "")


def test_what_is_no_text_is_refused_on_standard_output(
    graph: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(graph), "--format", "sqlite", "--to", "-"]) == 2
    assert capsys.readouterr().err == (
        "sqlite cannot go to standard output: only arcs and url-arcs can. Give a name with --to.\n"
    )
