"""`make demo`, small: every stage, the same nodes as built, a report at the end; and Ctrl-C in the middle."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.verbs import demo as main
from webgraph_it.demo import HOSTS, PAGES, SEED, StageFailed, Watch, internet, make_room, run
from webgraph_it.simweb import Plan, Truth
from webgraph_it.simweb.habits import chosen_shares
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World

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


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What a demo that ran to its end has printed, and its folder."""
    folder = tmp_path_factory.mktemp("finished") / "demo"
    demo = start_demo(folder)
    output, _ = demo.communicate(timeout=240)
    assert demo.returncode == 0, output[-3000:]
    return output, folder


def test_the_demo_goes_from_an_internet_to_a_report(finished: tuple[str, Path]) -> None:
    output, folder = finished
    for stage in ("1/5", "2/5", "3/5", "4/5", "5/5"):
        assert f"\n{stage} " in f"\n{output}"
    assert "URLs tried on" in output
    report = folder / "graph/analysis/report.html"
    assert f"Look at {report}" in output
    assert "<svg" in report.read_text()


def test_the_demo_says_that_its_graph_is_the_truth(finished: tuple[str, Path]) -> None:
    output, folder = finished
    truth = Truth.read(folder / "truth")
    assert f"\nequal: {len(truth.nodes):,} nodes, {len(truth.arcs):,} arcs" in output
    graph = json.loads((folder / "graph/graph.json").read_text())
    assert graph["nodes"] == len(truth.nodes) + nodes_in_traps(output)


def nodes_in_traps(output: str) -> int:
    return int(re.search(r"; ([\d,]+) more nodes in traps", output)[1].replace(",", ""))


def test_traps_are_shown_and_are_a_few_per_cent_of_the_demo(finished: tuple[str, Path]) -> None:
    """Their number does not depend on that of the pages: there is one of each in a small web too."""
    output, folder = finished
    whole = walk(World(Plan(HOSTS, PAGES, SEED, shares=chosen_shares(None, {}))))
    kinds = {host.partition("-acqua")[0] for host in whole.bounds}
    assert kinds == {"it,trap-calendar", "it,trap-path", "it,trap-session", "it,trap-soft-404"}
    assert Truth.read(folder / "truth").bounds.keys() == whole.bounds.keys()
    trapped = nodes_in_traps(output)
    assert 20 < trapped <= 0.05 * (len(whole.nodes) + trapped)


def test_the_demo_ends_with_a_picture(finished: tuple[str, Path]) -> None:
    output, _ = finished
    ending = output.partition("report.html\n")[2]
    assert re.search(r"Bow-tie of the pages\n +core +█+ [\d.]+ %", ending)
    assert re.search(r"First hosts by PageRank\n( +\S+\.it +█+ [\d.]+ %\n){5}", ending)


def test_the_readme_shows_what_the_demo_prints(finished: tuple[str, Path]) -> None:
    """Line by line; numbers are those of a larger web, and … stands for what is left out."""
    output, folder = finished
    readme = (PROJECT / "README.md").read_text()
    shown = readme.partition("$ make demo\n")[2].partition("    $ make test")[0]
    output = output.replace(f"Look at {folder}", "Look at /demo").replace(str(folder), "demo")
    printed = [re.sub(r"[\d,]+", "0", line) for line in output.splitlines()]
    lines = [line.strip() for line in shown.splitlines() if line.strip()]
    assert len(lines) == 7
    for line in lines:
        pattern = ".*".join(map(re.escape, re.sub(r"[\d,]+", "0", line).split("…")))
        assert any(re.fullmatch(pattern, said.strip()) for said in printed), line


def test_the_demo_tells_how_far_the_crawl_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "reports").mkdir()
    Watch(tmp_path)()
    assert capsys.readouterr().out == ""
    moment = {"pages": 1234, "queued": 56, "pages_per_second": 78.4, "wire_bytes_per_second": 3.21e6}
    (tmp_path / "reports/progress.jsonl").write_text(json.dumps(moment) + "\n")
    Watch(tmp_path)()
    assert capsys.readouterr().out == "    1,234 URLs tried, 56 waiting; 78 a second, 3.2 MB/s\n"


def test_the_demo_deletes_only_what_an_earlier_one_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "crawl").mkdir()
    assert main(["--folder", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert f"{tmp_path}/ holds letters, which is not from a demo" in said
    assert said.count("\n") == 1
    assert (tmp_path / "crawl").exists()
    (tmp_path / "letters").rmdir()
    make_room(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_too_little_disk_is_said_before_the_start(tmp_path: Path) -> None:
    with pytest.raises(StageFailed, match=r"has 3 MB of free disk, and the demo needs 500 MB\. Make room"):
        make_room(tmp_path / "demo", free_bytes=lambda path: 3_000_000)


def test_a_folder_that_cannot_be_made_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["--folder", str(tmp_path / "file")]) == 1
    assert main(["--folder", str(tmp_path / "file/demo")]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said == [
        f"The demo stops here: {tmp_path}/file is a file. Give another folder with --folder.",
        f"The demo stops here: {tmp_path}/file/demo: Not a directory.",
    ]


def test_an_internet_that_cannot_be_served_is_one_sentence() -> None:
    with socket.create_server(("127.1.0.1", 0)) as busy:
        refused = pytest.raises(
            StageFailed, match=r"simweb ended with code 2 before it was ready\. It needs "
        )
        with refused, internet(hosts=3, pages=9, http_port=busy.getsockname()[1]):
            pass


def test_a_stage_that_fails_ends_the_demo_with_its_words() -> None:
    with pytest.raises(
        StageFailed, match=r"`webgraph-it simweb compare …` ended with code 2\. Its output is above"
    ):
        run("webgraph_it", "simweb", "compare", "/nowhere", "/nowhere")


def test_ctrl_c_leaves_nothing_running_and_says_how_to_go_on(tmp_path: Path) -> None:
    demo = start_demo(tmp_path / "demo")
    end = time.time() + 60
    while not (tmp_path / "demo/crawl/crawl.json").exists() and time.time() < end:
        time.sleep(0.05)
    family = psutil.Process(demo.pid).children(recursive=True)
    os.killpg(demo.pid, signal.SIGINT)
    output, _ = demo.communicate(timeout=60)
    assert demo.returncode == 130, output[-3000:]
    assert "Nothing is left running" in output
    assert "To start again: `make demo`" in output
    assert psutil.wait_procs(family, timeout=10)[1] == []
