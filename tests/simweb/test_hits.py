"""The hit log can be read while it is being written."""

from pathlib import Path

from webgraph_it.simweb.hits import HitLog, read


def test_what_was_flushed_can_be_read(tmp_path: Path) -> None:
    log = HitLog(tmp_path / "hits.jsonl")
    log.write("dns", host="città.it", answer="127.1.0.1")
    assert read(tmp_path / "hits.jsonl") == []
    log.flush()
    (event,) = read(tmp_path / "hits.jsonl")
    assert event == {"time": event["time"], "event": "dns", "host": "città.it", "answer": "127.1.0.1"}
    log.write("dns", host="b.it")
    log.close()
    assert [event["host"] for event in read(tmp_path / "hits.jsonl")] == ["città.it", "b.it"]


def test_a_line_that_is_not_whole_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "hits.jsonl"
    path.write_text('{"time": 1.0, "event": "open"}\n{"time": 2.0, "ev')
    assert read(path) == [{"time": 1.0, "event": "open"}]
