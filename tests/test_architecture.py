"""docs/architecture.md walks one page through the rooms: every step exists, and the walk is short."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
ROOMS = PROJECT / "webgraph_it"
PAGE = (PROJECT / "docs" / "architecture.md").read_text()
WALK = PAGE.partition("## The way of one page\n")[2].partition("\n## ")[0]
STEPS: list[tuple[str, str]] = re.findall(r"`(\w+/[\w/]+\.py) (\w+)\(\)`", WALK)
MAX_ROOM_CHANGES = 14


def functions(path: Path) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)}


@pytest.mark.parametrize(("file", "function"), STEPS)
def test_every_step_of_the_walk_exists(file: str, function: str) -> None:
    assert function in functions(ROOMS / file)


def test_the_walk_goes_from_the_lease_to_the_record() -> None:
    assert STEPS[0] == ("engine/scheduler.py", "take")
    assert ("crawl/visit.py", "judge") in STEPS
    assert ("crawl/record.py", "record") in STEPS


def test_the_walk_changes_rooms_seldom() -> None:
    rooms = [file.partition("/")[0] for file, _ in STEPS]
    assert sum(here != there for here, there in pairwise(rooms)) <= MAX_ROOM_CHANGES


def test_the_other_ends_of_a_lease_are_verbs_of_the_scheduler() -> None:
    ends = re.search(r"Whatever else can happen.*?forgot it", WALK, re.DOTALL)
    assert ends
    assert set(re.findall(r"`([a-z_]+)`", ends[0])) <= functions(ROOMS / "engine" / "scheduler.py")
