"""The changes that can be made to a module: from source text to source texts, each with one place changed. Pure.

Not changed: annotations, decorators, assertions, `__repr__`, f-strings, what is logged, and numbers above MAX_NUMBER,
which tune something and have no right value.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

MAX_NUMBER = 64
_OPERATORS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Lt: ("<", "<=", ">="),
    ast.LtE: ("<=", "<", ">"),
    ast.Gt: (">", ">=", "<="),
    ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
"""How an operator is spelt, and what it becomes: a comparison is moved at its boundary, and turned round."""
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
_QUIET = ("logger", "log", "reached")
"""Statements that begin with these names decide nothing."""


class Change(NamedTuple):
    """One place of a module, and what stands there instead."""

    line: int
    start: int
    """Offset in the source, in characters."""
    end: int
    old: str
    new: str

    def applied(self, source: str) -> str:
        return source[: self.start] + self.new + source[self.end :]


def changes(source: str) -> list[Change]:
    """Every change that can be made, in the order of the source."""
    return sorted(set(_Finder(source).found()))


class _Finder:
    def __init__(self, source: str) -> None:
        self._source = source
        self._tree = ast.parse(source)
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def found(self) -> Iterator[Change]:
        return self._of(self._tree)

    def _of(self, node: ast.AST) -> Iterator[Change]:
        if _is_left_alone(node):
            return
        yield from self._here(node)
        for child in _parts(node):
            yield from self._of(child)

    def _here(self, node: ast.AST) -> Iterator[Change]:
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
                yield from self._swap(left, operator, right)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self._swap(left, node.op, right)
        elif isinstance(node, ast.BinOp):
            yield from self._swap(node.left, node.op, node.right)
        elif isinstance(node, ast.AugAssign):
            yield from self._swap(node.target, node.op, node.value)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield self._change(node, f"({self._text(node.operand)})")
        elif isinstance(node, ast.Constant):
            yield from self._constant(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMES:
            yield self._change(node.func, _NAMES[node.func.id])
        elif isinstance(node, ast.Return) and node.value is not None and not _is_false(node.value):
            yield self._change(node.value, "None")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
            yield self._change(node, "pass")
        elif isinstance(node, ast.If | ast.While | ast.IfExp) and isinstance(
            node.test, ast.Name | ast.Attribute | ast.Call
        ):
            yield self._change(node.test, f"(not {self._text(node.test)})")

    def _constant(self, node: ast.Constant) -> Iterator[Change]:
        if isinstance(node.value, bool):
            yield self._change(node, str(not node.value))
        elif isinstance(node.value, int) and node.value <= MAX_NUMBER:
            yield self._change(node, str(node.value + 1))
            if node.value > 0:
                yield self._change(node, str(node.value - 1))

    def _swap(self, left: ast.AST, operator: ast.AST, right: ast.AST) -> Iterator[Change]:
        """The operator lies between its operands; so may parentheses and comments."""
        start, end = self._span(left)[1], self._span(right)[0]
        between = self._source[start:end]
        spelling, *others = _OPERATORS.get(type(operator), ("",))
        if not others or between.count(spelling) != 1:
            return
        at = start + between.index(spelling)
        for new in others:
            yield self._made(at, at + len(spelling), new)

    def _change(self, node: ast.AST, new: str) -> Change:
        return self._made(*self._span(node), new)

    def _made(self, start: int, end: int, new: str) -> Change:
        line = self._source.count("\n", 0, start) + 1
        return Change(line, start, end, self._source[start:end], new)

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self._source[start:end]

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        """The syntax tree counts columns in bytes of UTF-8."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())


def _is_false(node: ast.expr) -> bool:
    """None instead of it would be no change to whoever asks yes or no."""
    return isinstance(node, ast.Constant) and not node.value


def _is_left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert | ast.JoinedStr):
        return True
    if isinstance(node, ast.FunctionDef) and node.name == "__repr__":
        return True
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        while isinstance(called, ast.Attribute):
            called = called.value
        return isinstance(called, ast.Name) and called.id in _QUIET
    return False


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The children that may be changed."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
