"""A crawl directory that somebody prepared: no file outside it is ever written, whatever a link says."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.crawl.crawling import PROJECT, differences, finish, resume, run_crawl, start_crawl
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.ownership import refuse_foreign
from webgraph_it.crawl.reports import _write
from webgraph_it.files.own import NotOursError, make_folder, open_file
from webgraph_it.shards.writer import AppendFile, Durable, recover
from webgraph_it.simweb import SimWeb

NOBODY = 65534
FILES = [
    "crawl.lock",
    "crawl.json",
    "crawl.json.new",
    "committed.json",
    "committed.json.new",
    "graph/000001.g16",
    "urls/000002.tsv",
    "pages/000001.jsonl",
    "reports/progress.jsonl",
    "reports/crawl-report.txt.new",
    "seeds/000001.txt",
    "seeds/000001.txt.new",
    "frontier/CURRENT",
    "frontier/LOG",
    "frontier/commit.sst.part",
]
FOLDERS = ["graph", "urls", "pages", "reports", "seeds", "frontier", "frontier.new", "frontier.work"]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small crawl that has ended, on a loose umask."""
    jobdir = tmp_path_factory.mktemp("crawled") / "crawl"
    before = os.umask(0o002)
    try:
        with SimWeb(hosts=3, pages=12, seed=31, only=["plain"]) as web:
            run_crawl(web, jobdir)
    finally:
        os.umask(before)
    return jobdir


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "000001.g16").write_bytes(b"not a graph")
    (folder / "thesis.txt").write_bytes(b"years of work\n")
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def plant(link: Path, target: Path) -> None:
    """The link in the place of whatever is there."""
    if link.is_dir():
        shutil.rmtree(link)
    link.unlink(missing_ok=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)


def refused(command: list[str]) -> str:
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert ended.stdout == ""
    (sentence,) = ended.stderr.splitlines()
    return sentence


# -- links --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_a_link_in_place_of_a_file_is_refused_before_anything_is_touched(
    tmp_path: Path, victim: Path, name: str
) -> None:
    plant(tmp_path / "crawl" / name, victim / "thesis.txt")
    before = files_of(victim)
    with pytest.raises(NotOursError, match=f"{name} is a symbolic link, expected a regular file"):
        JobDirectory(tmp_path / "crawl").claim({})
    assert files_of(victim) == before
    assert (tmp_path / "crawl" / name).is_symlink()


@pytest.mark.parametrize("name", FOLDERS)
def test_a_link_in_place_of_a_folder_is_refused_before_anything_is_touched(
    tmp_path: Path, victim: Path, name: str
) -> None:
    plant(tmp_path / "crawl" / name, victim)
    before = files_of(victim)
    with pytest.raises(NotOursError, match=f"{name} is a symbolic link, expected a folder"):
        JobDirectory(tmp_path / "crawl").claim({})
    assert files_of(victim) == before


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("crawl.lock", "thesis.txt"),
        ("graph", "."),
        ("committed.json.new", "thesis.txt"),
        ("frontier/LOG", "new"),
    ],
)
def test_the_crawl_says_so_in_one_sentence(
    tmp_path: Path, victim: Path, crawled: Path, name: str, target: str
) -> None:
    jobdir = tmp_path / "crawl"
    shutil.copytree(crawled, jobdir)
    plant(jobdir / name, victim / target)
    before = files_of(victim)
    sentence = refused([sys.executable, "-m", "scrapy", "crawl", "italy", "-s", f"JOBDIR={jobdir}"])
    assert sentence.startswith(f"{jobdir / name} is a symbolic link")
    assert files_of(victim) == before


@pytest.mark.parametrize("name", ["crawl.lock", "frontier.new"])
def test_repair_says_so_in_one_sentence(tmp_path: Path, victim: Path, crawled: Path, name: str) -> None:
    jobdir = tmp_path / "crawl"
    shutil.copytree(crawled, jobdir)
    shutil.rmtree(jobdir / "frontier")
    plant(jobdir / name, victim / "thesis.txt" if name == "crawl.lock" else victim)
    before = files_of(victim)
    sentence = refused([sys.executable, "-m", "webgraph_it.repair", str(jobdir)])
    assert sentence.startswith(f"{jobdir / name} is a symbolic link")
    assert files_of(victim) == before


def test_a_jobdir_that_is_a_link_is_refused_also_if_it_leads_nowhere(tmp_path: Path, victim: Path) -> None:
    for name, target in (("link", victim), ("nowhere", tmp_path / "not there")):
        (tmp_path / name).symlink_to(target)
        sentence = refused(
            [sys.executable, "-m", "scrapy", "crawl", "italy", "-s", f"JOBDIR={tmp_path / name}"]
        )
        assert "is a symbolic link" in sentence
        assert "give the directory that it leads to" in sentence
    assert sorted(path.name for path in victim.iterdir()) == ["000001.g16", "thesis.txt"]
    assert not (tmp_path / "not there").exists()


def test_a_link_above_jobdir_is_followed(tmp_path: Path) -> None:
    """Whoever has a large disk elsewhere makes crawls/ a link to it."""
    (tmp_path / "large").mkdir()
    (tmp_path / "crawls").symlink_to(tmp_path / "large")
    directory = JobDirectory(tmp_path / "crawls/italy")
    directory.claim({})
    directory.unlock()
    assert (tmp_path / "large/italy/crawl.json").exists()


# -- each writer by itself ----------------------------------------------------------------------------------


def test_no_writer_follows_a_link(tmp_path: Path, victim: Path) -> None:
    before = files_of(victim)
    (tmp_path / "graph").mkdir()
    link = tmp_path / "graph/000001.g16"
    link.symlink_to(victim / "thesis.txt")
    for write in (
        lambda: AppendFile(link),
        lambda: recover(tmp_path, {"graph/000001.g16": Durable(0, 0)}),
        lambda: open_file(link, os.O_WRONLY | os.O_APPEND | os.O_CREAT),
    ):
        with pytest.raises(NotOursError, match="is a symbolic link"):
            write()
    assert files_of(victim) == before


def test_a_leftover_that_is_a_link_is_removed_and_what_it_led_to_stays(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "a.txt.new").symlink_to(victim / "thesis.txt")
    (tmp_path / "a.txt").symlink_to(victim / "thesis.txt")
    before = files_of(victim)
    _write(tmp_path / "a.txt", ["a report"])
    assert files_of(victim) == before
    assert not (tmp_path / "a.txt").is_symlink()
    assert (tmp_path / "a.txt").read_text() == "a report\n"
    assert not (tmp_path / "a.txt.new").exists()


def test_a_file_that_was_not_finished_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(ZeroDivisionError):
        _write(tmp_path / "a", (str(1 // n) for n in (1, 0)))
    assert (tmp_path / "a").read_text() == "old"


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "crawl.lock")
    with pytest.raises(NotOursError, match=r"crawl\.lock is a named pipe, expected a regular file"):
        refuse_foreign(tmp_path)


# -- owners and modes ---------------------------------------------------------------------------------------


@as_root
@pytest.mark.parametrize("name", ["", "graph", "crawl.lock", "frontier/CURRENT"])
def test_what_belongs_to_somebody_else_is_refused(tmp_path: Path, name: str) -> None:
    jobdir = tmp_path / "crawl"
    for folder in ("graph", "frontier"):
        (jobdir / folder).mkdir(parents=True)
    for file in ("crawl.lock", "frontier/CURRENT"):
        (jobdir / file).touch()
    os.chown(jobdir / name, NOBODY, NOBODY)
    with pytest.raises(NotOursError, match=f"belongs to user {NOBODY}, but the crawl runs as user 0"):
        JobDirectory(jobdir).claim({})


@as_root
def test_the_crawl_refuses_a_directory_of_somebody_else(tmp_path: Path) -> None:
    os.chown(tmp_path, NOBODY, NOBODY)
    sentence = refused([sys.executable, "-m", "scrapy", "crawl", "italy", "-s", f"JOBDIR={tmp_path}"])
    assert f"{tmp_path} belongs to user {NOBODY}" in sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "graph"])
@pytest.mark.parametrize("mode", [0o775, 0o757, 0o1777])
def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path, name: str, mode: int) -> None:
    jobdir = tmp_path / "crawl"
    (jobdir / "graph").mkdir(parents=True)
    (jobdir / name).chmod(mode)
    with pytest.raises(NotOursError, match=rf"\(mode {mode:04o}\).*chmod go-w"):
        JobDirectory(jobdir).claim({})
    assert list(jobdir.iterdir()) == [jobdir / "graph"]


def test_what_a_crawl_makes_is_for_its_owner_alone(crawled: Path) -> None:
    """The folders, whatever the umask; files that RocksDB makes are behind them."""
    modes = {str(path.relative_to(crawled)): stat.S_IMODE(path.stat().st_mode) for path in crawled.rglob("*")}
    assert stat.S_IMODE(crawled.stat().st_mode) == 0o700
    wrong = {
        name: oct(mode)
        for name, mode in modes.items()
        if mode != (0o700 if (crawled / name).is_dir() else 0o600) and not name.startswith("frontier/")
    }
    assert wrong == {}
    assert {"graph", "frontier", "seeds", "crawl.lock", "crawl.json", "reports/progress.jsonl"} <= set(modes)


def test_a_crawl_of_before_that_others_may_read_is_resumed(tmp_path: Path) -> None:
    with SimWeb(hosts=3, pages=12, seed=32, only=["plain"]) as web:
        run_crawl(web, tmp_path / "crawl", MAX_DEPTH=1)
        for path in (tmp_path / "crawl", *(tmp_path / "crawl").rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        resume(tmp_path / "crawl", MAX_DEPTH=0)
        assert differences(web, tmp_path / "crawl") == []


def test_a_crawl_listens_on_no_port(tmp_path: Path) -> None:
    with SimWeb(hosts=3, pages=12, seed=34, only=["plain"]) as web:
        crawl = start_crawl(web, tmp_path / "crawl", HOST_DELAY=2)
        progress = tmp_path / "crawl/reports/progress.jsonl"
        deadline = time.monotonic() + 60
        while not progress.exists() and crawl.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        sockets = psutil.Process(crawl.pid).net_connections("all")
        crawl.send_signal(signal.SIGTERM)
        finish(crawl)
    assert progress.exists()
    assert sockets, "it talks to the web by now"
    assert [found for found in sockets if found.status == psutil.CONN_LISTEN] == []


def test_folders_are_made_for_their_owner_alone_and_those_above_as_usual(tmp_path: Path) -> None:
    make_folder(tmp_path / "crawls/italy")
    assert stat.S_IMODE((tmp_path / "crawls/italy").stat().st_mode) == 0o700
