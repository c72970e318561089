import ast
from pathlib import Path

import pytest

from tests.mutation.__main__ import safety_trials, sampled_trials
from tests.mutation.mutator import changes
from tests.mutation.tables import EQUIVALENT, MODULES, SAFETY, SLOW

PROJECT = Path(__file__).parents[2]


def becomes(source: str) -> set[str]:
    return {change.applied(source) for change in changes(source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {"a <= b", "a >= b"}),
        ("a >= b", {"a > b", "a < b"}),
        ("a == b", {"a != b"}),
        ("a is not b", {"a is b"}),
        ("a not in b", {"a in b"}),
        ("a and b and c", {"a or b and c", "a and b or c"}),
        ("(a) + b", {"(a) - b"}),
        ("a += b", {"a -= b"}),
        ("a = not b", {"a = (b)"}),
        ("a = True", {"a = False"}),
        ("a = 1", {"a = 2", "a = 0"}),
        ("a = 0", {"a = 1"}),
        ("min(a)", {"max(a)", "pass"}),
        ("def f():\n    return a", {"def f():\n    return None"}),
        ("if a:\n    sync(b)", {"if (not a):\n    sync(b)", "if a:\n    pass"}),
        ("è = 'à' + a", {"è = 'à' - a"}),
    ],
)
def test_each_kind_of_change_is_made(source: str, expected: set[str]) -> None:
    assert becomes(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "a: int | None",
        "a = 75_000",
        "a = f'{b + 1}'",
        "assert a < b",
        "logger.info('a', 1)",
        "def __repr__(self):\n    return a + b",
        "def f():\n    return None",
        "@cache(2)\ndef f(a: 'int | str'): pass",
        "from a import b",
    ],
)
def test_what_has_no_right_value_is_left_alone(source: str) -> None:
    assert becomes(source) == set()


def test_a_sampled_change_is_python_and_a_change() -> None:
    for trial in sampled_trials(100, 18):
        assert ast.dump(ast.parse(trial.changed)) != ast.dump(ast.parse(trial.source)), (
            trial.path,
            trial.diff,
        )


def test_the_sample_is_the_same_for_the_same_seed_and_covers_every_module() -> None:
    assert sampled_trials(150, 17) == sampled_trials(150, 17)
    assert sampled_trials(150, 17) != sampled_trials(150, 18)
    assert {trial.path for trial in sampled_trials(150, 17)} == set(MODULES)


def test_every_row_of_the_tables_names_what_is_there() -> None:
    trials = safety_trials() + sampled_trials(0, 17)
    assert all(trial.tests and trial.changed != trial.source for trial in trials)
    for test in {*SLOW, *(test for trial in trials for test in trial.tests)}:
        file, _, name = test.partition("::")
        assert not name or f"def {name}(" in (PROJECT / file).read_text(), test
        assert (PROJECT / file).exists(), test
    assert len({row.what for row in SAFETY}) == len(SAFETY)
    for path, old, new in EQUIVALENT:
        source = (PROJECT / "webgraph_it" / path).read_text()
        made = [change.applied(source).splitlines()[change.line - 1].strip() for change in changes(source)]
        assert old in map(str.strip, source.splitlines()), (path, old)
        assert new in made, (path, new)


def test_a_safety_call_left_out_is_still_python() -> None:
    for trial in safety_trials():
        ast.parse(trial.changed)
