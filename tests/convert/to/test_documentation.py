"""docs/export.md: its commands run, its tables have those columns, its question has an answer."""

import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import networkx
import pytest

from tests.convert.to.graphs import COLUMNS
from webgraph_it.cli import main
from webgraph_it.convert.export import ARC_FORMATS, FORMATS, TABLE_FORMATS, XML_FORMATS

PAGE = (Path(__file__).parents[3] / "docs" / "export.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (webgraph-it export .+)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_does_what_it_says(
    graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    if "postgresql://" in command:
        pytest.skip("test_postgres.py runs it with a server")
    if "duckdb" in command:
        pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "italy").symlink_to(graph)
    words = shlex.split(command)[1:]
    assert main(words) == 0
    assert words[-1] == "-" or (tmp_path / words[-1]).exists()


def test_the_page_knows_every_format() -> None:
    rows = re.findall(r"^\| (`.+?) \|", PAGE.partition("## Tables")[0], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}
    assert named == {*FORMATS, *XML_FORMATS, *TABLE_FORMATS, *ARC_FORMATS}


def test_the_page_knows_every_column() -> None:
    for table, (_, columns) in COLUMNS.items():
        (row,) = re.findall(rf"^\| `{table}` \| (.+) \|$", PAGE, re.MULTILINE)
        assert re.findall(r"`(\w+)`", re.sub(r" \([^)]*\)", "", row)) == columns


def test_the_question_of_the_page_has_an_answer(graph: Path, tmp_path: Path) -> None:
    (question,) = re.findall(r"```sql\n(.+?)```", PAGE, re.DOTALL)
    assert main(["export", str(graph), "--to", str(tmp_path / "x.sqlite"), "--level", "pages"]) == 0
    assert main(["export", str(graph), "--format", "url-arcs", "--to", str(tmp_path / "x.txt")]) == 0
    witness = networkx.read_edgelist(tmp_path / "x.txt", delimiter="\t", create_using=networkx.DiGraph)
    ordered = sorted(witness.in_degree, key=lambda each: (-each[1], each[0]))
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        assert database.execute(question).fetchall() == ordered[:10]
