"""Stopping, resuming, refusing, and running out of things: nothing is lost, and the words are clear."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, differences, finish, run_crawl, start_crawl
from webgraph_it.simweb import SimWeb

SLOWLY = {"HOST_DELAY": 0.15}
"""A crawl that is surely not finished when the signal comes."""


@pytest.fixture
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=20, pages=300, seed=5, only=["plain"]) as web:
        yield web


def wait_for(path: Path, seconds: float = 30.0) -> None:
    """Until the first commit, after which a crawl has surely begun."""
    end = time.time() + seconds
    while not path.exists() and time.time() < end:
        time.sleep(0.05)
    assert path.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal_finishes_what_is_in_flight_and_says_how_to_resume(
    web: SimWeb, tmp_path: Path, number: signal.Signals
) -> None:
    crawl = start_crawl(web, tmp_path, COMMIT_INTERVAL=0.2, **SLOWLY)
    wait_for(tmp_path / "committed.json")
    crawl.send_signal(number)
    output = finish(crawl)
    assert crawl.returncode == 3, output[-3000:]
    assert f"To resume: scrapy crawl italy -s JOBDIR={tmp_path}" in output, output[-3000:]
    assert "Traceback" not in output
    run_crawl(web, tmp_path)
    assert differences(web, tmp_path) == []


def test_two_signals_stop_at_once_and_nothing_is_lost(web: SimWeb, tmp_path: Path) -> None:
    crawl = start_crawl(web, tmp_path, COMMIT_INTERVAL=0.2, **SLOWLY)
    wait_for(tmp_path / "committed.json")
    crawl.send_signal(signal.SIGINT)
    time.sleep(0.05)
    crawl.send_signal(signal.SIGINT)
    finish(crawl)
    run_crawl(web, tmp_path)
    assert differences(web, tmp_path) == []


def test_under_nohup_a_hangup_changes_nothing(web: SimWeb, tmp_path: Path) -> None:
    crawl = subprocess.Popen(
        crawl_command(web, tmp_path, COMMIT_INTERVAL=0.2, **SLOWLY),
        cwd=PROJECT,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    wait_for(tmp_path / "committed.json")
    crawl.send_signal(signal.SIGHUP)
    output = finish(crawl)
    assert crawl.returncode == 0
    assert "URLs are left" not in output
    assert differences(web, tmp_path) == []


TIMEOUT_SECONDS = 4
BOUND_SECONDS = TIMEOUT_SECONDS + 10


@pytest.mark.parametrize("rate", ["0", "1 B/s"])
def test_a_stop_ends_in_time_whatever_the_schedule_says(web: SimWeb, tmp_path: Path, rate: str) -> None:
    crawl = start_crawl(
        web,
        tmp_path,
        BANDWIDTH_SCHEDULE=[["*", rate]],
        DOWNLOAD_TIMEOUT=TIMEOUT_SECONDS,
        COMMIT_INTERVAL=0.2,
        HOST_DELAY=0,
    )
    wait_for(tmp_path / "committed.json")
    time.sleep(1)
    crawl.send_signal(signal.SIGTERM)
    output = finish(crawl, BOUND_SECONDS)
    assert "Traceback" not in output
    run_crawl(web, tmp_path, BANDWIDTH_SCHEDULE=[])
    assert differences(web, tmp_path) == []


def test_a_stop_ends_in_time_when_downloads_under_way_are_throttled(web: SimWeb, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('[["*", "unlimited"]]')
    crawl = start_crawl(
        web,
        tmp_path / "crawl",
        BANDWIDTH_SCHEDULE_FILE=str(plan),
        DOWNLOAD_TIMEOUT=TIMEOUT_SECONDS,
        COMMIT_INTERVAL=0.2,
        **SLOWLY,
    )
    wait_for(tmp_path / "crawl/committed.json")
    plan.write_text('[["*", "1 B/s"]]')
    time.sleep(2.5)
    crawl.send_signal(signal.SIGTERM)
    finish(crawl, BOUND_SECONDS)
    run_crawl(web, tmp_path / "crawl", BANDWIDTH_SCHEDULE=[], BANDWIDTH_SCHEDULE_FILE="")
    assert differences(web, tmp_path / "crawl") == []


def test_a_checkpoint_on_request_makes_the_files_so_far_final(web: SimWeb, tmp_path: Path) -> None:
    crawl = start_crawl(web, tmp_path, COMMIT_INTERVAL=0.2, **SLOWLY)
    wait_for(tmp_path / "committed.json")
    crawl.send_signal(signal.SIGUSR1)
    wait_for(tmp_path / "graph/000002.g16")
    wait_for(tmp_path / "reports/crawl-report.txt")
    final = (tmp_path / "graph/000001.g16").read_bytes()
    crawl.send_signal(signal.SIGINT)
    finish(crawl)
    run_crawl(web, tmp_path)
    assert (tmp_path / "graph/000001.g16").read_bytes() == final
    assert differences(web, tmp_path) == []


def test_a_second_process_is_refused_with_the_pid_of_the_first(web: SimWeb, tmp_path: Path) -> None:
    first = start_crawl(web, tmp_path, COMMIT_INTERVAL=0.2, **SLOWLY)
    wait_for(tmp_path / "committed.json")
    second = start_crawl(web, tmp_path)
    said = finish(second)
    first.send_signal(signal.SIGINT)
    finish(first)
    assert second.returncode == 2
    assert f"{tmp_path} is in use by process {first.pid}" in said


def test_another_scope_is_refused_saying_the_difference(web: SimWeb, tmp_path: Path) -> None:
    run_crawl(web, tmp_path, MAX_DEPTH=1)
    crawl = start_crawl(web, tmp_path, MAX_DEPTH=1, SCOPE_SURTS='["it,unipd,"]')
    output = finish(crawl)
    assert crawl.returncode == 2
    assert 'SCOPE_SURTS was ["it,"] and is now ["it,unipd,"]' in output


def test_a_damaged_shard_is_one_clear_sentence_and_a_non_zero_exit(web: SimWeb, tmp_path: Path) -> None:
    run_crawl(web, tmp_path, MAX_DEPTH=1)
    path = tmp_path / "graph/000001.g16"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    crawl = start_crawl(web, tmp_path, MAX_DEPTH=1)
    output = finish(crawl)
    assert crawl.returncode == 2
    assert f"{path} is damaged" in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        (None, "cannot be read"),
        ("# nothing\n", "has no usable seed"),
        ("http://\nmailto:nobody\n", "has no usable seed"),
    ],
)
def test_seeds_that_cannot_be_used_are_one_clear_sentence(
    web: SimWeb, tmp_path: Path, seeds: str | None, words: str
) -> None:
    path = tmp_path / "seeds.txt"
    if seeds is not None:
        path.write_text(seeds)
    crawl = start_crawl(web, tmp_path / "crawl", SEEDS=str(path))
    output = finish(crawl)
    assert crawl.returncode == 2
    assert words in output
    assert output.count("\n") == 1, output
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (None, "BANDWIDTH_SCHEDULE_FILE: "),
        ("[[", "is not a list, JSON such as"),
        ('[["*", "fast"]]', "BANDWIDTH_SCHEDULE_FILE: 'fast' found, a rate such as"),
    ],
)
def test_a_plan_that_cannot_be_used_is_one_clear_sentence(
    web: SimWeb, tmp_path: Path, plan: str | None, words: str
) -> None:
    path = tmp_path / "plan.json"
    if plan is not None:
        path.write_text(plan)
    crawl = start_crawl(web, tmp_path / "crawl", BANDWIDTH_SCHEDULE_FILE=str(path))
    output = finish(crawl)
    assert crawl.returncode == 2, output
    assert words in output
    assert output.count("\n") == 1, output
    assert not (tmp_path / "crawl").exists()


def test_without_a_contact_no_public_address_is_crawled(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", "italy", "-s", f"JOBDIR={tmp_path / 'crawl'}"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert "CONTACT_URL" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert ended.stdout == ""


def test_few_file_descriptors_slow_the_crawl_and_lose_nothing(web: SimWeb, tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))

    ended = subprocess.run(
        crawl_command(web, tmp_path),
        cwd=PROJECT,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert re.search(
        r"MAX_TCP_CONNECTIONS is lowered from \d+ to 48: the system allows 96 open files", ended.stderr
    )
    assert differences(web, tmp_path) == []


def test_below_min_free_disk_the_crawl_pauses_and_says_so(web: SimWeb, tmp_path: Path) -> None:
    before = requests_seen(web)
    crawl = start_crawl(web, tmp_path, MIN_FREE_DISK="1000000 TB", COMMIT_INTERVAL=0.2)
    wait_for(tmp_path / "committed.json")
    time.sleep(1)
    crawl.send_signal(signal.SIGINT)
    output = finish(crawl)
    assert requests_seen(web) == before, "the servers were asked"
    assert "the crawl pauses until there is room" in output
    run_crawl(web, tmp_path, MIN_FREE_DISK="1 GB")
    assert differences(web, tmp_path) == []


def requests_seen(web: SimWeb) -> int:
    return sum(hit["event"] == "request" for hit in web.hits())


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 60 MB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", str(disk)], check=True)
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path, leave_bytes: int) -> Path:
    filler = disk / "filler"
    with (
        suppress(OSError),
        filler.open("wb", buffering=0) as file,
    ):  # the crawl may be faster with the last bytes
        file.write(bytes(max(0, shutil.disk_usage(disk).free - leave_bytes)))
    return filler


def test_low_disk_stops_fetching_and_room_resumes_it(web: SimWeb, disk: Path) -> None:
    crawl = start_crawl(web, disk / "crawl", MIN_FREE_DISK="20 MB", COMMIT_INTERVAL=0.2, HOST_DELAY=0.4)
    wait_for(disk / "crawl/committed.json")
    filler = fill(disk, leave_bytes=10_000_000)
    time.sleep(4)  # the disk is looked at every two seconds, and fetches under way end
    before = requests_seen(web)
    time.sleep(3)
    assert requests_seen(web) == before
    assert crawl.poll() is None
    filler.unlink()
    output = finish(crawl)
    assert crawl.returncode == 0
    assert requests_seen(web) > before
    assert "the crawl pauses until there is room" in output
    assert "There is room on the disk again" in output
    assert differences(web, disk / "crawl") == []


def test_a_full_disk_does_not_hold_up_a_stop_and_loses_nothing(web: SimWeb, disk: Path) -> None:
    crawl = start_crawl(
        web,
        disk / "crawl",
        MIN_FREE_DISK="0",
        DOWNLOAD_TIMEOUT=TIMEOUT_SECONDS,
        COMMIT_INTERVAL=3600,  # it is the shards' writer that finds the disk full, not the store
        GRAPH_BUFFER=1,
        URLS_BUFFER=1,
        **SLOWLY,
    )
    wait_for(disk / "crawl/graph/000001.g16")
    filler = fill(disk, leave_bytes=0)
    time.sleep(3)
    crawl.send_signal(signal.SIGTERM)
    output = finish(crawl, BOUND_SECONDS)
    assert "is full: the crawl waits until there is room" in output, output[-3000:]
    assert crawl.returncode == 1
    assert "The crawl stops: it could not be committed" in output
    filler.unlink()
    run_crawl(web, disk / "crawl", MIN_FREE_DISK="0")
    assert differences(web, disk / "crawl") == []


def test_a_disk_that_has_room_again_loses_nothing(web: SimWeb, disk: Path) -> None:
    crawl = start_crawl(web, disk / "crawl", MIN_FREE_DISK="0", COMMIT_INTERVAL=0.2, **SLOWLY)
    wait_for(disk / "crawl/committed.json")
    filler = fill(disk, leave_bytes=0)
    time.sleep(3)
    filler.unlink()
    output = finish(crawl)
    assert "No space left" in output or "is full" in output, output[-3000:]
    run_crawl(web, disk / "crawl", MIN_FREE_DISK="0")
    assert differences(web, disk / "crawl") == []
