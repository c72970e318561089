"""The console's benchmark measures what it says."""

import os
import sys
from pathlib import Path
from statistics import median

import pytest

from tests.benchmarks.console import Spent, cpu_seconds, many_hosts, ratio_of, spent_by, thread_seconds


def test_the_start_is_left_out_of_the_first_ratio_and_is_in_the_second() -> None:
    found = ratio_of(Spent(1.0, 11.0, 1000), Spent(2.0, 13.0, 1000))
    assert (round(found.cpu, 3), round(found.whole, 3)) == (1.1, 1.182)


def test_what_a_process_spent_is_read_after_its_death(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "000001.jsonl").write_text("{}\n{}\n")
    busy = "import time\nwhile time.process_time() < 0.4: pass"
    spent = spent_by([sys.executable, "-c", busy], tmp_path)
    assert spent.pages == 2
    assert 0.39 <= spent.whole < 1.5


def test_both_clocks_agree() -> None:
    assert abs(cpu_seconds(os.getpid()) - thread_seconds(os.getpid())) < 0.5 + 0.5 * cpu_seconds(os.getpid())


@pytest.mark.slow
def test_with_two_hundred_thousand_hosts_the_console_answers_in_time() -> None:
    lists, metrics = many_hosts()
    assert median(lists) < 0.1
    assert median(metrics) < 0.005
