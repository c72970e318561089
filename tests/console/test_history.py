"""progress.jsonl, thinned: few points, read in a bounded time, in order."""

import json
import time
from pathlib import Path

import pytest

from webgraph_it.console.history import COLUMNS, progress


def line(second: int) -> str:
    row = dict.fromkeys(COLUMNS, 0) | {
        "time": 1e9 + second,
        "pages": 3 * second,
        "wire_bytes": 100 * second,
    }
    return json.dumps(row | {"pages_per_second": 999.0, "links_per_page": 7.25}) + "\n"


def test_a_short_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_text("".join(line(second) for second in range(20)) + '{"time": 12')
    found = progress(path, 1e9 + 5, 600)
    assert found["pages"] == [3 * second for second in range(5, 20)]
    assert found["pages_per_second"] == [999.0] * 15
    assert set(found) == set(COLUMNS)


def test_a_long_file_is_sampled_and_its_rates_are_means(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_text("".join(line(second) for second in range(100_000)))
    began = time.monotonic()
    found = progress(path, 0, 300)
    assert time.monotonic() - began < 1
    assert 250 < len(found["time"]) <= 301
    assert found["time"] == sorted(set(found["time"]))
    assert found["pages_per_second"][1:] == pytest.approx([3.0] * (len(found["time"]) - 1))
    last_hour = progress(path, 1e9 + 100_000 - 3_600, 300)["time"]
    assert last_hour[0] == pytest.approx(1e9 + 96_400, abs=20)
    assert last_hour[-1] > 1e9 + 99_980


@pytest.mark.parametrize("text", ["", "\n\n", "no json\n[]\n", '{"time": "x"}\n'])
def test_what_is_no_progress_is_left_out(tmp_path: Path, text: str) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_text(text)
    assert progress(path, 0, 600)["time"] == []


def test_no_file_is_no_points(tmp_path: Path) -> None:
    assert progress(tmp_path / "none", 0, 600)["time"] == []
