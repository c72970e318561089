"""Is a plan whole? Asked before its first line is used, so that a damaged plan is not half used.

One pass over its files. Memory holds one line, or one piece of the untried list.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from webgraph_it.files.received import InputError, is_count, read_json_object, regular_size, shown
from webgraph_it.recrawl.plan_files import PLAN_FILE, PLAN_VERSION, UNTRIED, Plan, PlanError, planned_from

LINES_AT_ONCE = 250
RECORDS_AT_ONCE = 4096


def made_at(plan: Plan) -> float:
    """When the plan was made. Pages that were visited since are not visited again."""
    made = _facts(plan)["made"]
    if isinstance(made, bool) or not isinstance(made, int | float) or not math.isfinite(made):
        raise _damaged(plan, f"{plan.path / PLAN_FILE} does not say when it was made")
    return float(made)


def checked(plan: Plan) -> Iterator[None]:
    """Raises PlanError unless both lists are whole, sorted, and of the length that plan.json gives. Yields from time to
    time."""
    made_at(plan)
    try:
        yield from _check_untried(plan, _count(plan, "untried"))
        yield from _check_revisits(plan, _count(plan, "revisits"))
    except OSError as error:
        raise _unreadable(plan, error) from None


def _check_revisits(plan: Plan, expected: int) -> Iterator[None]:
    _size(plan, plan.revisits)
    number, last_key = 0, ""
    for number, (page, _) in enumerate(planned_from(plan, 0), 1):
        if page.key <= last_key:
            raise _damaged(plan, f"line {number} of {plan.revisits} is not in order of key")
        last_key = page.key
        if number % LINES_AT_ONCE == 0:
            yield
    if number != expected:
        raise _damaged(plan, f"{plan.revisits} has {number:,} lines, and {PLAN_FILE} says {expected:,}")


def _check_untried(plan: Plan, expected: int) -> Iterator[None]:
    size = _size(plan, plan.untried)
    if size != expected * UNTRIED.size:
        said = f"{PLAN_FILE} says {expected:,} records of {UNTRIED.size} bytes"
        raise _damaged(plan, f"{plan.untried} has {size:,} bytes, and {said}")
    last = b""
    with plan.untried.open("rb") as file:
        while piece := file.read(RECORDS_AT_ONCE * UNTRIED.size):
            for digest, _ in UNTRIED.iter_unpack(piece):
                if digest <= last:
                    raise _damaged(plan, f"{plan.untried} is not in order of digest")
                last = digest
            yield


def _count(plan: Plan, of: str) -> int:
    found = _facts(plan)[of]
    if not is_count(found):
        raise _damaged(plan, f"{plan.path / PLAN_FILE} has {shown(found)} as the number of {of}")
    return found


def _facts(plan: Plan) -> dict[str, Any]:
    path = plan.path / PLAN_FILE
    try:
        found = read_json_object(path)
    except OSError as error:
        raise _unreadable(plan, error) from None
    except InputError as error:
        raise _damaged(plan, str(error).removesuffix(".")) from None
    if found.get("version") != PLAN_VERSION:
        version = f"{shown(found.get('version'))}, expected {PLAN_VERSION}"
        raise _damaged(plan, f"{path} has the version {version}")
    return {"made": None, "revisits": None, "untried": None} | found


def _size(plan: Plan, path: Path) -> int:
    try:
        return regular_size(path)
    except InputError as error:
        raise _damaged(plan, str(error).removesuffix(".")) from None


def _unreadable(plan: Plan, error: OSError) -> PlanError:
    missing = isinstance(error, FileNotFoundError)
    what = "is missing" if missing else f"cannot be read ({error.strerror})"
    return _damaged(plan, f"{error.filename} {what}")


def _damaged(plan: Plan, what: str) -> PlanError:
    return PlanError(
        f"{what}: the plan is not used. Remove {plan.path} and make a new one with webgraph-it recrawl plan."
    )
