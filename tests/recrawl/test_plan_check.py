"""A plan is checked as a whole: every kind of damage is one sentence that names the file."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from webgraph_it.recrawl.plan_check import checked, made_at
from webgraph_it.recrawl.plan_files import UNTRIED, Plan, PlanError, Planned, new_plan, plans

PAGES = ("it,a)/", "http://a.it/"), ("it,a)/x", "https://www.a.it/x")


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    with new_plan(tmp_path, "uniform", 5.0) as written:
        for key, url in PAGES:
            written.revisit(Planned(0, key, url, 1, 0, ""))
        for first in (1, 2):
            written.put_untried(bytes([first] * 16), 7)
    (plan,) = plans(tmp_path)
    return plan


def facts(**changes: object) -> Callable[[Plan], None]:
    """The same plan.json, but for this."""

    def change(plan: Plan) -> None:
        file = plan.path / "plan.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | changes))

    return change


def revisits(change: Callable[[str], str]) -> Callable[[Plan], None]:
    return lambda plan: _write(plan.revisits, change(plan.revisits.read_text()).encode())


def untried(change: Callable[[bytes], bytes]) -> Callable[[Plan], None]:
    return lambda plan: _write(plan.untried, change(plan.untried.read_bytes()))


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def test_a_whole_plan_is_accepted(plan: Plan) -> None:
    list(checked(plan))
    assert made_at(plan) == 5.0


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (facts(version=2), r"plan\.json has the version 2, expected 1"),
        (facts(made="today"), r"plan\.json does not say when it was made"),
        (facts(made=float("nan")), r"plan\.json does not say when it was made"),
        (facts(revisits=3), r"revisits\.tsv has 2 lines, and plan\.json says 3"),
        (facts(revisits=-1), r"plan\.json has -1 as the number of revisits"),
        (facts(untried=None), r"plan\.json has None as the number of untried"),
        (lambda plan: _write(plan.path / "plan.json", b"{"), r"plan\.json is not JSON"),
        (lambda plan: (plan.path / "plan.json").unlink(), r"plan\.json is missing"),
        (lambda plan: plan.untried.unlink(), r"untried\.u18 is missing"),
        (lambda plan: plan.revisits.unlink(), r"revisits\.tsv is missing"),
        (revisits(lambda text: text[:-1]), r"revisits\.tsv is damaged: line 2 is not"),
        (revisits(lambda text: text * 2), r"line 3 of .*revisits\.tsv is not in order of key"),
        (untried(lambda data: data[:-1]), r"untried\.u18 has 35 bytes, and plan\.json says 2 records of 18"),
        (
            untried(lambda data: data[UNTRIED.size :] + data[: UNTRIED.size]),
            r"untried\.u18 is not in order of digest",
        ),
    ],
)
def test_damage_is_one_sentence(plan: Plan, damage: Callable[[Plan], None], said: str) -> None:
    damage(plan)
    with pytest.raises(PlanError, match=said) as raised:
        list(checked(plan))
    assert f"Remove {plan.path} and make a new" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_in_the_place_of_a_list_is_one_sentence(plan: Plan) -> None:
    plan.untried.unlink()
    plan.untried.mkdir()
    with pytest.raises(PlanError, match="untried"):
        list(checked(plan))
