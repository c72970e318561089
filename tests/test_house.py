"""The shape of the house: no import cycle, short functions, short modules, a test for every module."""

import ast
import re
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

TESTED_ELSEWHERE = {
    "__main__.py": "runs a verb of cli/, as each room's __main__.py does",
    "cli/": "one verb each, run by tests/cli/test_examples.py",
    "engine/commands/": "Scrapy's commands, run by tests/engine/commands/",
    "simweb/": "a witness: its pages are compared with its truth as a whole by tests/simweb/",
}
"""Modules and folders → why a module there needs no test that names it."""


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
    assert text.count("\n") <= MAX_LINES or REASON in said


def is_named(path: Path, tests: str) -> bool:
    """Whether a test mirrors the module or imports it."""
    if (TESTS / path.parent / f"test_{path.stem}.py").exists():
        return True
    room, name = ".".join(("webgraph_it", *path.parent.parts)), path.stem
    return bool(
        re.search(rf"{re.escape(room)}\.{name}\b|from {re.escape(room)} import [^\n]*\b{name}\b", tests)
    )


def test_every_module_has_a_test_that_names_it() -> None:
    tests = "\n".join(path.read_text() for path in sorted(TESTS.rglob("*.py")))
    elsewhere = tuple(TESTED_ELSEWHERE)
    untested = [
        str(path)
        for path in MODULES
        if path.name != "__main__.py" and not str(path).startswith(elsewhere) and not is_named(path, tests)
    ]
    assert untested == []
