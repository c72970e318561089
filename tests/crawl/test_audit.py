"""Every action leaves one line: when, who, what, and what became of it."""

import json
from pathlib import Path

from webgraph_it.crawl.actions import read_action
from webgraph_it.crawl.audit import AUDIT_FILE, AuditLog, audit_line


def test_each_action_is_one_line(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    log.write(read_action({"action": "block", "surt": "esempio.it"}), "user 5", 0.0, "done")
    seeds = [f"http://sito{number}.it/" for number in range(30)]
    log.write(read_action({"action": "add-seeds", "seeds": seeds}), "user 6", 1.5, "refused")
    block, added = [json.loads(line) for line in (tmp_path / AUDIT_FILE).read_text().splitlines()]
    assert block == {
        "time": "1970-01-01T00:00:00.000+00:00",
        "who": "user 5",
        "action": "block",
        "surt": "it,esempio,",
        "result": "done",
    }
    assert added["seeds"] == [*seeds[:20], "… 10 more"]
    assert added["time"] == "1970-01-01T00:00:01.500+00:00"


def test_a_line_says_when_it_was_asked_if_it_had_to_wait() -> None:
    line = json.loads(audit_line(read_action({"action": "pause"}), "user 5", 60.0, "done", 0.0))
    assert (line["asked"], line["time"]) == ("1970-01-01T00:00:00.000+00:00", "1970-01-01T00:01:00.000+00:00")
