"""Figures in README.md and docs/ that a command prints are those that it prints.

What a crawl of the demo prints is compared in test_demo.py, where the demo runs.
"""

import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from tests.verbs import plan
from webgraph_it.crawl import outcome
from webgraph_it.demo import HOSTS, PAGES, SEED
from webgraph_it.simweb import Plan
from webgraph_it.simweb.habits import chosen_shares
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World

PROJECT = Path(__file__).parents[1]
PAGES_WITH_FIGURES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
PLANNER = re.compile(r"webgraph-it plan(?: --[^\n`]*)?")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def read(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def planned(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the planner prints for a command as it stands in the documentation."""
    assert plan(shlex.split(command)[2:]) == 0
    return capsys.readouterr().out


@cache
def demo_truth() -> tuple[int, int]:
    """Nodes and arcs of the web that `make demo` crawls."""
    truth = walk(World(Plan(HOSTS, PAGES, SEED, shares=chosen_shares(None, {}))))
    return len(truth.nodes), len(truth.arcs)


def test_the_readme_has_every_exit_code_of_a_crawl() -> None:
    codes = {outcome.FINISHED, outcome.FAILED, outcome.WRONG_USAGE, outcome.STOPPED, outcome.INTERRUPTED}
    table = read("README.md").partition("| exit code |")[2].partition("\n\n")[0]
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)} == codes


def test_the_tutorial_shows_what_the_planner_prints(capsys: pytest.CaptureFixture[str]) -> None:
    before = read("docs/tutorial.md").partition("Tell those who run")[0]
    (command,) = [found for found in PLANNER.findall(before) if "--schedule" in found]
    lines = planned(command, capsys).splitlines()
    shown = [line[4:] for line in before.partition("in part,")[2].splitlines() if line.startswith("    ")]
    assert len(shown) == 5
    assert [line for line in shown if line not in lines] == []


def test_the_page_of_analyse_says_the_planners_figures(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(read("docs/analyse.md").partition("## Plan")[2].split())
    said = " ".join(planned("webgraph-it plan", capsys).split())
    measures = r"[\d,.]+ (?:million|bytes per URL|KiB per page|pages/s|links each|days|GiB|GB|MB/s)(?![\w/])"
    figures = re.findall(measures, text)
    assert len(figures) >= 10
    assert [figure for figure in figures if figure not in said] == []
    assert "45.1 days; the thesis says 83" in said


def test_the_page_of_operations_rounds_the_planners_disk(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(read("docs/operations.md").partition("**Disk.**")[2].partition("## ")[0].split())
    said = planned(PLANNER.findall(text)[0].strip(), capsys)
    for words, row in {
        r"about ([\d.]+) GB of shards": "shards",
        r"([\d.]+) GB of URL list": "URL lists",
        r"([\d.]+) GB of page log": "page log",
        r"([\d.]+) GB of the frontier's store": "frontier",
    }.items():
        (figure,) = re.findall(words, text)
        ((number, unit),) = re.findall(rf"^  {row}.* ([\d.]+) (\w+)$", said, re.MULTILINE)
        assert f"{float(number) * UNITS[unit] / 1e9:.1f}" == figure, row


@pytest.mark.parametrize("page", PAGES_WITH_FIGURES, ids=lambda page: page.name)
def test_every_command_of_the_planner_can_be_given(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in PLANNER.findall(page.read_text(encoding="utf-8")):
        if "FILE" not in command:
            assert planned(command, capsys)


@pytest.mark.parametrize("page", PAGES_WITH_FIGURES, ids=lambda page: page.name)
def test_the_size_of_the_demo_is_said_as_it_is(page: Path) -> None:
    """`equal: N nodes, M arcs`, wherever it stands."""
    nodes, arcs = demo_truth()
    for words in re.findall(r"equal: [\d,]+ nodes, [\d,]+ arcs", page.read_text(encoding="utf-8")):
        assert words == f"equal: {nodes:,} nodes, {arcs:,} arcs"


def test_the_readme_names_the_demos_web_and_its_truth() -> None:
    readme = read("README.md")
    assert f"{HOSTS} hosts, {PAGES:,} pages, every habit" in readme
    assert "equal: " in readme
