"""docs/politeness.md, docs/security.md and docs/operations.md name only what exists."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.defaults import parse_schedule
from webgraph_it import settings

PROJECT = Path(__file__).parent.parent
POLITENESS = (PROJECT / "docs" / "politeness.md").read_text()
SECURITY = (PROJECT / "docs" / "security.md").read_text()
OPERATIONS = (PROJECT / "docs" / "operations.md").read_text()
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", POLITENESS + SECURITY)))


COLLECT = """
import pytest, sys
class Printer:
    def pytest_collection_finish(self, session):
        for item in session.items:
            if not any(item.get_closest_marker(mark) for mark in ("skip", "xfail")):
                print("found", item.function.__module__.replace(".", "/") + ".py::" + item.originalname)
sys.exit(pytest.main(["--collect-only", "-q", "-m", "", *sys.argv[1:]], plugins=[Printer()]))
"""


@pytest.fixture(scope="module")
def collected() -> set[str]:
    """`file::test` of every test that pytest would run; a contract is collected by those who keep it."""
    files = {file if Path(file).name.startswith("test_") else str(Path(file).parent) for file, _ in TESTS}
    command = [sys.executable, "-c", COLLECT, *sorted(files)]
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return set(re.findall(r"^found (\S+)", ended.stdout, re.MULTILINE))


@pytest.mark.parametrize(("file", "test"), TESTS, ids=[test for _, test in TESTS])
def test_a_promise_has_its_test(file: str, test: str, collected: set[str]) -> None:
    """One that pytest collects, slow or not, and that is neither skipped nor expected to fail."""
    assert f"{file}::{test}" in collected


@pytest.mark.parametrize(
    ("page", "promises"), [(POLITENESS, 15), (SECURITY, 14)], ids=["politeness", "security"]
)
def test_every_promise_names_a_test(page: str, promises: int) -> None:
    table = page.partition("| promise |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(table) >= promises
    assert [row for row in table if "::test_" not in row] == []


@pytest.mark.parametrize(
    "page", [POLITENESS, SECURITY, OPERATIONS], ids=["politeness", "security", "operations"]
)
def test_settings_are_called_by_their_names(page: str) -> None:
    named = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", page))
    assert [name for name in sorted(named) if not hasattr(settings, name)] == []


def test_files_are_where_they_are_said_to_be() -> None:
    files = set(
        re.findall(r"(?:deploy|docs|webgraph_it/fetch)/[\w.]+\.\w+", POLITENESS + SECURITY + OPERATIONS)
    )
    assert [name for name in sorted(files) if not (PROJECT / name).exists()] == []


def test_the_plan_shown_is_a_plan() -> None:
    example = re.search(r"^    \[\n.*?^    \]\n", OPERATIONS, re.MULTILINE | re.DOTALL)
    assert example is not None
    assert len(parse_schedule(example[0]).entries) == 3
