import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.convert.crawls import LINKS, URLS, expected_arcs, write_crawl
from tests.verbs import convert
from webgraph_it.cli import main

ORDERED = [URLS[key] for key in sorted(URLS)]
ROWS = expected_arcs(LINKS, list(URLS))


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    crawl = write_crawl(tmp_path_factory.mktemp("query") / "crawl")
    assert convert([str(crawl)]) == 0
    return crawl / "compact"


def asked(graph: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    capsys.readouterr()
    assert main(["query", str(graph), *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_ids_and_urls_lead_to_each_other(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for node, url in enumerate(ORDERED):
        assert asked(graph, capsys, "url", str(node)) == [url]
        assert asked(graph, capsys, "id", url) == [str(node)]


def test_links_out_and_in_are_the_arcs(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for node, url in enumerate(ORDERED):
        linked = [f"{target}\t{ORDERED[target]}" for target in ROWS[node]]
        linking = [f"{source}\t{ORDERED[source]}" for source, row in enumerate(ROWS) if node in row]
        assert asked(graph, capsys, "out", url) == linked
        assert asked(graph, capsys, "in", str(node)) == linking


def test_a_path_has_both_ends(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(graph, capsys, "path", "negozio.it/old", "negozio.it:8080")
    assert [line.split("\t")[1] for line in found] == [
        "http://negozio.it/old", "http://www.esempio.it/", "http://news.esempio.it/?id=1", "http://negozio.it:8080/",
    ]  # fmt: skip


def test_json_is_one_object_a_line(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = asked(graph, capsys, "out", "esempio.it/about", "--json")
    assert json.loads(line) == {"id": 0, "url": "http://www.esempio.it/"}
    assert [json.loads(line) for line in asked(graph, capsys, "stats", "--json")][:2] == [
        {"name": "nodes", "value": 6},
        {"name": "arcs", "value": 7},
    ]


def test_hosts_are_asked_by_name(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(graph, capsys, "in", "negozio.it", "--level", "hosts") == ["1\thttp://news.esempio.it/"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["id", "http://esempio.it/abuot"], 2, "did you mean https://esempio.it/about?"),
        (["url", "17"], 2, "has no node 17: its ids go from 0 to 5."),
        (
            ["out"],
            2,
            "out takes one NODE and was given 0: write for instance webgraph-it query italy out http",
        ),
        (["path", "0"], 2, "path takes two NODEs and was given 1"),
        (["stats", "0"], 2, "stats takes nothing and was given 1"),
        (
            ["path", "negozio.it:8080", "0"],
            1,
            "No path leads from http://negozio.it:8080/ to http://www.esempio.it/.",
        ),
        (["path", "4", "5", "--limit", "3"], 1, "raise --limit to look further."),
        (["whence", "0"], 2, "expected one of"),
    ],
)
def test_what_has_no_answer_is_one_sentence(
    graph: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    assert main(["query", str(graph), *words]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


def test_without_the_transpose_paths_are_found_and_links_in_are_refused(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "graph"
    shutil.copytree(graph, copy)
    for path in copy.glob("*-t.*"):
        path.unlink()
    assert len(asked(copy, capsys, "path", "4", "5")) == 4
    assert main(["query", str(copy), "in", "0"]) == 2
    assert "has no offsets-t.u64: it was skipped" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["query", "{}", "out", "0"], ["export", "{}", "--format", "arcs", "--to", "-"]]
)
def test_numba_is_loaded_only_for_a_search(graph: Path, words: list[str]) -> None:
    code = "import sys; from webgraph_it.cli import main; main(); print('numba' in sys.modules)"
    command = [sys.executable, "-c", code, *(word.format(graph) for word in words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_head_ends_an_answer_quietly(graph: Path) -> None:
    query = f"{sys.executable} -m webgraph_it query {graph} stats"
    done = subprocess.run(["bash", "-c", f"{query} | head -1"], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("nodes\t6\n", "")


def test_the_page_shows_what_is_printed(
    graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "italy").symlink_to(graph)
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "docs" / "query.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    \$ webgraph-it (.+)\n((?:    [^$\n].*\n)+)", text, re.MULTILINE)
    assert len(shown) == 5
    for command, answer in shown:
        main(shlex.split(command))
        out, err = capsys.readouterr()
        assert out + err == re.sub("^    ", "", answer, flags=re.MULTILINE)
