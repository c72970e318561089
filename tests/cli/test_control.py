"""The words of the command line become the crawl's own requests."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from webgraph_it.cli.control import lines_of, request_of
from webgraph_it.cli.shell.mistakes import Mistake


@pytest.mark.parametrize(
    ("words", "request_"),
    [
        (["status"], {"action": "status"}),
        (["pause"], {"action": "pause"}),
        (["pause", "backup"], {"action": "pause", "reason": "backup"}),
        (["block", "esempio.it"], {"action": "block", "surt": "esempio.it"}),
        (["delay", "it,x,", "2.5"], {"action": "delay", "surt": "it,x,", "seconds": 2.5}),
        (["max-pages", "it,x,", "9"], {"action": "max-pages", "surt": "it,x,", "pages": 9}),
        (["delay", "it,x,", "none"], {"action": "delay", "surt": "it,x,", "seconds": None}),
        (["connections", "50"], {"action": "connections", "cap": 50}),
    ],
)
def test_words_become_a_request(words: list[str], request_: dict[str, Any]) -> None:
    assert request_of(words[0], words[1:]) == request_


def test_files_are_read_here(tmp_path: Path) -> None:
    seeds, plan = tmp_path / "seeds.txt", tmp_path / "plan.json"
    seeds.write_text("a.it\nb.it\n")
    plan.write_text('[["*", "1 MB/s"]]')
    assert request_of("add-seeds", [str(seeds)]) == {"action": "add-seeds", "seeds": ["a.it", "b.it"]}
    assert request_of("bandwidth", [str(plan)]) == {"action": "bandwidth", "schedule": [["*", "1 MB/s"]]}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["stop"], "'stop' is not a verb of control; expected: one of status, pause"),
        (["block"], "control block takes SURT; found 0 words"),
        (["status", "now"], "control status takes no argument"),
        (["delay", "it,", "soon"], "seconds is 'soon'; expected: a number, or none"),
    ],
)
def test_a_mistake_is_one_sentence(words: list[str], sentence: str) -> None:
    with pytest.raises(Mistake) as mistake:
        request_of(words[0], words[1:])
    assert sentence in str(mistake.value)


def test_a_status_is_for_people() -> None:
    now, later = datetime(2026, 11, 18, 12, 30).timestamp(), datetime(2026, 11, 18, 13, 30).timestamp()
    status = {
        "console": "",
        "pauses": [],
        "time": now + 0.4,
        "pages": 1234,
        "bandwidth_cap": None,
        "rules": [{"surt": "it,a,", "block": True, "delay": 9.0}, {"surt": "it,b)/x/", "priority": -5}],
        "parked": {"it,c": later},
    }
    assert lines_of(status).splitlines() == [
        "console: none",
        "pauses: none",
        "time: 2026-11-18 12:30:00",
        "pages: 1,234",
        "bandwidth_cap: none",
        "rules:",
        "  it,a, block, delay 9",
        "  it,b)/x/ priority -5",
        "parked:",
        "  it,c until 2026-11-18 13:30:00",
    ]
    assert lines_of({"rules": [], "parked": {}}) == "rules: none\nparked: none"
