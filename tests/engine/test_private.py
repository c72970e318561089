"""Scrapy's private parts are touched in engine/private.py alone, and each that it lists is there."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy.utils.misc import load_object

import webgraph_it
from webgraph_it.engine import private

ROOT = Path(webgraph_it.__file__).parent
MODULES = [
    path
    for room in ("engine", "spiders")
    for path in sorted((ROOT / room).rglob("*.py"))
    if path != Path(private.__file__)
]
OWNERS = {
    "ExecutionEngine": "scrapy.core.engine.ExecutionEngine",
    "_Slot": "scrapy.core.engine._Slot",
    "Scraper": "scrapy.core.scraper.Scraper",
    "Slot": "scrapy.core.scraper.Slot",
    "MiddlewareManager": "scrapy.middleware.MiddlewareManager",
    "DownloaderMiddlewareManager": "scrapy.core.downloader.middleware.DownloaderMiddlewareManager",
    "DownloadHandlers": "scrapy.core.downloader.handlers.DownloadHandlers",
    "Request": "scrapy.http.Request",
}
PARTS: list[tuple[str, str]] = re.findall(r"\b([A-Za-z_]+)\.(\w+)(?=,|  )", private.__doc__ or "")
"""Owner and name of each, from the module's list."""
NAMES = {name for _, name in PARTS}
GENERAL = {"slot", "methods", "closing"}
"""Names that objects of ours may have, too."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in MODULES:
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text())


def test_the_list_is_read() -> None:
    assert {owner for owner, _ in PARTS} == set(OWNERS)
    assert {"_slot", "inprogress", "add_request", "remove_request", "itemproc"} < NAMES


@pytest.mark.parametrize(("owner", "name"), PARTS, ids=lambda part: part)
def test_each_part_is_still_there(owner: str, name: str) -> None:
    kind = load_object(OWNERS[owner])
    is_set = re.search(rf"self\.{name}\b[^=\n]*(: [^=]*)?= ", inspect.getsource(kind))
    assert hasattr(kind, name) or is_set, f"{owner} has no {name} in the installed Scrapy"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_each_part_is_touched_in_the_module_that_lists_it(name: str) -> None:
    code = ast.parse(inspect.getsource(private))
    touched = {node.attr for node in ast.walk(code) if isinstance(node, ast.Attribute)}
    defined = {node.name for node in ast.walk(code) if isinstance(node, ast.FunctionDef)}
    assert name in touched | defined


def test_no_other_module_touches_one() -> None:
    found = [
        (module, node.lineno, name)
        for module, tree in trees()
        for node in ast.walk(tree)
        for name in _named(node)
        if name in NAMES - GENERAL
    ]
    assert not found


def _named(node: ast.AST) -> Iterator[str]:
    """Attributes, and names for getattr."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def test_underscored_attributes_are_those_of_the_module_itself() -> None:
    """`x._name` is ours if a class or function of the same module defines `_name`."""
    for module, tree in trees():
        own = set(_defined(tree))
        touched = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        foreign = {name for name in touched if re.fullmatch(r"_[^_].*", name)} - own
        assert not foreign, f"{module} touches {foreign}, which it does not define"


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def test_no_private_name_is_imported_from_scrapy_or_twisted() -> None:
    for module, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("scrapy", "twisted")):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                assert not [name for name in names if name.startswith("_")], module
