"""A plan on disk: whole or not there, in order, and read from any line on."""

import json
from pathlib import Path

import pytest

from webgraph_it.recrawl.plan_files import (
    UNTRIED,
    PlanError,
    Planned,
    discard,
    new_plan,
    planned_from,
    plans,
    popularity,
)

FIRST = Planned(0, "it,a)/", "http://a.it/", 1, 0, "it,b)/")
SECOND = Planned(7, "it,a)/x", "https://www.a.it/x", 2, 1, "it,a)/")


def write(jobdir: Path, *pages: Planned) -> None:
    with new_plan(jobdir, "uniform", 5.0) as plan:
        for page in pages:
            plan.revisit(page)
        plan.put_untried(bytes(16), popularity(3))
        plan.put_untried(b"\x01" * 16, popularity(100_000))


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    write(tmp_path, FIRST, SECOND)
    (plan,) = plans(tmp_path)
    assert (
        plan.revisits.read_text()
        == "0\tit,a)/\thttp://a.it/\t1\t0\tit,b)/\n7\tit,a)/x\thttps://www.a.it/x\t2\t1\tit,a)/\n"
    )
    assert list(UNTRIED.iter_unpack(plan.untried.read_bytes())) == [(bytes(16), 65532), (b"\x01" * 16, 0)]
    facts = {"version": 1, "policy": "uniform", "made": 5.0, "revisits": 2, "untried": 2}
    assert json.loads((plan.path / "plan.json").read_text()) == facts
    (first, middle), (second, end) = planned_from(plan, 0)
    assert (first, second) == (FIRST, SECOND)
    assert list(planned_from(plan, middle)) == [(SECOND, end)]


def test_a_plan_that_was_not_finished_is_not_there(tmp_path: Path) -> None:
    def fail() -> None:
        with new_plan(tmp_path, "uniform", 5.0) as plan:
            plan.revisit(FIRST)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert plans(tmp_path) == []
    write(tmp_path, FIRST)
    assert [plan.number for plan in plans(tmp_path)] == [1]


def test_numbers_grow_also_after_an_import(tmp_path: Path) -> None:
    write(tmp_path, FIRST)
    (plan,) = plans(tmp_path)
    discard(plan)
    assert plans(tmp_path) == []
    assert [path.name for path in plan.path.iterdir()] == ["plan.json"]
    assert json.loads((plan.path / "plan.json").read_text())["imported"] is True
    write(tmp_path, SECOND)
    assert [plan.number for plan in plans(tmp_path)] == [2]


def test_pages_out_of_order_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="in order of key"):
        write(tmp_path, SECOND, FIRST)


@pytest.mark.parametrize(
    "line",
    [
        "x\n",
        "0\tit,a)/\thttp://a.it/\t1\t0\t",
        "-1\tit,a)/\thttp://a.it/\t1\t0\t\n",
        "0\tit,a)/\thttp://a.it/\t-1\t0\t\n",
    ],
)
def test_a_damaged_line_is_one_sentence(tmp_path: Path, line: str) -> None:
    write(tmp_path, FIRST)
    (plan,) = plans(tmp_path)
    plan.revisits.write_text(line)
    with pytest.raises(PlanError, match=r"is damaged.*make a new plan"):
        list(planned_from(plan, 0))
