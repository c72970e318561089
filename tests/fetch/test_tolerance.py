"""Malformed but common responses over real sockets: ours beside Scrapy's Twisted handler, in one run."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.fetch.malformed import RESPONSES


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    command = [sys.executable, "-m", "tests.fetch.malformed"]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    answers: dict[str, dict[str, Any]] = json.loads(output.splitlines()[-1])
    return answers


def test_the_table_is_long_enough() -> None:
    assert len(RESPONSES) >= 40


@pytest.mark.parametrize("case", RESPONSES)
def test_ours_answers_what_twisted_answers(answers: dict[str, dict[str, Any]], case: str) -> None:
    ours, twisted = answers["ours"][case], answers["twisted"][case]
    if twisted[0]:
        assert ours == twisted


def test_ours_answers_more(answers: dict[str, dict[str, Any]]) -> None:
    answered = {name: sum(status > 0 for status, _ in cases.values()) for name, cases in answers.items()}
    assert answered["ours"] > answered["twisted"] + 20


@pytest.mark.parametrize(
    "case",
    ["closed without a byte", "closed in the headers", "only a body", "another protocol", "no last chunk"],
)
def test_what_is_no_response_is_an_error(answers: dict[str, dict[str, Any]], case: str) -> None:
    assert answers["ours"][case][0] == 0
