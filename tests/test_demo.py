"""`make demo`, small: every stage, the same nodes as built, a report at the end; and Ctrl-C in the middle."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

PROJECT = Path(__file__).parents[1]


def listen_to_ctrl_c() -> None:
    """A shell that starts the tests in the background has told them to ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def start_demo(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "webgraph_it.demo",
            "--hosts",
            "15",
            "--pages",
            "120",
            "--folder",
            str(folder),
        ],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=listen_to_ctrl_c,
    )


def test_the_demo_goes_from_an_internet_to_a_report(tmp_path):
    demo = start_demo(tmp_path / "demo")
    output, _ = demo.communicate(timeout=240)
    assert demo.returncode == 0, output[-3000:]
    for stage in ("1/4", "2/4", "3/4", "4/4"):
        assert stage in output
    assert "URLs tried on" in output
    report = tmp_path / "demo/graph/analysis/report.html"
    assert f"Look at {report}" in output
    assert "<svg" in report.read_text()


def test_ctrl_c_leaves_nothing_running_and_says_how_to_go_on(tmp_path):
    demo = start_demo(tmp_path / "demo")
    end = time.time() + 60
    while not (tmp_path / "demo/crawl/crawl.json").exists() and time.time() < end:
        time.sleep(0.05)
    family = psutil.Process(demo.pid).children(recursive=True)
    os.killpg(demo.pid, signal.SIGINT)
    output, _ = demo.communicate(timeout=60)
    assert demo.returncode == 130, output[-3000:]
    assert "Nothing is left running" in output
    assert "`make demo` begins again" in output
    assert psutil.wait_procs(family, timeout=10)[1] == []
