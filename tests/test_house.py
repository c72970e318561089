"""The shape of the house: no import cycle, short functions, short modules, a test for every module."""

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import grimp
import networkx
import pytest

import webgraph_it

HOUSE = Path(webgraph_it.__file__).parent
TESTS = Path(__file__).parent
MAX_LINES = 400
REASON = "Longer than 400 lines because"
MODULES = sorted(path.relative_to(HOUSE) for path in HOUSE.rglob("*.py") if path.name != "__init__.py")

TOO_LONG_YET = {Path("engine/scheduler.py"), Path("frontier/frontier.py")}
"""To be divided."""
NOT_TIDIED_YET = ("crawl", "engine", "extract", "fetch", "frontier", "robots", "simweb", "spiders")
"""Rooms of which not every module has a test of its own name."""
TESTED_ELSEWHERE = {
    "analyse/__main__.py": "the command, by tests/analyse/test_report.py",
    "analyse/analysis.py": "the whole of it, by tests/analyse/test_report.py and test_results.py",
    "analyse/command.py": "the command, by tests/analyse/test_report.py",
    "analyse/compiled.py": "a decorator of one line",
    "analyse/levels.py": "by tests/analyse/test_results.py",
    "analyse/problem.py": "an exception",
    "analyse/report_crawl.py": "by tests/analyse/test_report.py",
    "convert/__main__.py": "calls convert/command.py",
    "convert/job.py": "by tests/convert/test_command.py and test_durable.py",
    "convert/names.py": "by tests/convert/test_command.py and test_truth.py",
    "convert/node_attributes.py": "by tests/convert/test_export.py",
    "convert/rows.py": "by tests/convert/test_command.py and test_truth.py",
    "convert/steps.py": "by tests/convert/test_command.py",
    "graph/bv_kernels.py": "by tests/graph/test_bv.py",
    "graph/compiled.py": "by tests/convert/test_kernels.py and tests/graph/test_bv.py",
    "graph/lists.py": "by tests/graph/test_damage.py and test_webgraph.py",
    "graph/lists_kernels.py": "by tests/graph/test_damage.py",
    "graph/node_table.py": "by tests/graph/test_damage.py",
    "graph/summary.py": "by tests/graph/test_damage.py",
    "graph/urlmap_kernels.py": "by tests/graph/test_urlmap.py",
    "graph/urlmap_layout.py": "constants",
    "graph/urlmap_writer.py": "by tests/graph/test_urlmap.py",
    "items.py": "records without a decision",
    "killpoint.py": "by tests/crawl/test_crash.py",
    "plan/__main__.py": "by tests/test_plan.py",
    "plan/capacity.py": "by tests/test_plan.py",
    "plan/pages.py": "by tests/test_plan.py",
    "plan/pending.py": "by tests/test_plan.py",
    "plan/schedule.py": "by tests/test_plan.py",
    "plan/words.py": "by tests/test_plan.py",
    "repair/__main__.py": "by tests/repair/test_repair.py",
    "settings_page.py": "by tests/test_settings.py",
    "settings_readers.py": "by tests/test_settings.py",
    "settings_table.py": "by tests/test_settings.py",
}
"""Module → why it has no test of its own name."""


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_no_module_imports_itself_through_others() -> None:
    """Imports for the type checker alone do not run, and imports inside functions count."""
    found = grimp.build_graph("webgraph_it", exclude_type_checking_imports=True, cache_dir=None)
    imports = networkx.DiGraph(
        (module, imported)
        for module in found.modules
        for imported in found.find_modules_directly_imported_by(module)
    )
    assert imports.has_edge(
        "webgraph_it.graph.urlmap", "webgraph_it.graph.urlmap_kernels"
    )  # inside a function
    cycles = [sorted(group) for group in networkx.strongly_connected_components(imports) if len(group) > 1]
    assert cycles == []


def test_the_median_function_is_under_eight_lines() -> None:
    lengths = [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in MODULES
        for node in functions(ast.parse((HOUSE / path).read_text()))
    ]
    assert len(lengths) > 1000
    assert median(lengths) < 8


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_a_long_module_says_why(path: Path) -> None:
    text = (HOUSE / path).read_text()
    said = " ".join((ast.get_docstring(ast.parse(text)) or "").split())
    assert text.count("\n") <= MAX_LINES or REASON in said or path in TOO_LONG_YET


def has_test(path: Path) -> bool:
    return (TESTS / path.parent / f"test_{path.stem.strip('_')}.py").exists()


@pytest.mark.parametrize("path", [path for path in MODULES if path.parts[0] not in NOT_TIDIED_YET], ids=str)
def test_a_module_has_a_test_of_its_own_name(path: Path) -> None:
    assert has_test(path) is (str(path) not in TESTED_ELSEWHERE)


def test_the_table_of_exceptions_names_modules_that_exist() -> None:
    assert {Path(name) for name in TESTED_ELSEWHERE} <= set(MODULES)
