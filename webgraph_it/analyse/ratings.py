"""Human ratings of URLs from a CSV file.

The first line names the columns. `url` and `rating` are required, others are ignored. The separator is a comma or a
semicolon. With semicolons, numbers may have a decimal comma. Higher is better. Every mistake is a Problem that names
the line."""

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from webgraph_it.analyse.problem import Problem

if TYPE_CHECKING:
    import _csv


class Rating(NamedTuple):
    line: int
    url: str
    rating: float


def read_ratings(path: Path) -> list[Rating]:
    """The ratings in order of the file."""
    try:
        content = path.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise Problem(f"{path} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        line = problem.object[: problem.start].count(b"\n") + 1
        raise Problem(f"{path}, line {line}: is not UTF-8. Save the file as UTF-8") from None
    separator = ";" if ";" in content.partition("\n")[0] else ","
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True)
    try:
        return _ratings(path, rows, separator)
    except csv.Error as problem:
        raise Problem(f"{path}, line {rows.line_num}: is not CSV ({problem})") from None


def _ratings(path: Path, rows: "_csv.Reader", separator: str) -> list[Rating]:
    head = [name.strip().lower() for name in next(rows, [])]
    for name in ("url", "rating"):
        if name not in head:
            raise Problem(
                f"{path}, line 1: has no column {name!r}. The first line must name the columns url and rating"
            )
    url_at, rating_at = head.index("url"), head.index("rating")
    found = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) <= max(url_at, rating_at):
            raise Problem(f"{path}, line {rows.line_num}: has {len(row)} columns, {len(head)} are expected")
        found.append(
            Rating(
                rows.line_num, row[url_at].strip(), _number(path, rows.line_num, row[rating_at], separator)
            )
        )
    return found


def _number(path: Path, line: int, words: str, separator: str) -> float:
    try:
        value = float(words.replace(",", ".") if separator == ";" else words)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Problem(f"{path}, line {line}: the rating {words.strip()!r} is not a number")
    return value
