"""A crawl directory whose JSON says nonsense: one sentence, and nothing is changed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.utils.project import get_project_settings

from tests.crawl.crawling import PROJECT, content, run_crawl
from webgraph_it.crawl.preflight import PROBLEMS
from webgraph_it.engine.start import examine
from webgraph_it.repair.repair import repair
from webgraph_it.shards.committed import packed, unpacked
from webgraph_it.shards.formats import ShardError
from webgraph_it.shards.writer import Durable
from webgraph_it.simweb import SimWeb


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


CRAWL_JSON = {
    "settings": ["[]", "7", '"x"', "null"],
    "history": ["{}", "7", nested(60)],
    "SEEDS": ['{"copy": "../../etc/passwd"}', '{"copy": "/etc/passwd"}', '{"copy": 7}', '{"copy": ["a"]}'],
    "SCOPE_SURTS": ["7", "{}", '"it,"', nested(45)],
    "MAX_DEPTH": ["{}", "-1"],
}
COMMITTED_JSON = [
    "[]",
    "7",
    '{"graph": 7}',
    '{"graph": {"000001.g16": "all"}}',
    '{"graph": {"000001.g16": -1}}',
    '{"graph": {"../../x.g16": 1}}',
    '{"graph": {"first.g16": 1}}',
    '{"other": {}}',
    nested(60),
    nested(100_000),
    "{",
]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    jobdir = tmp_path_factory.mktemp("crawled") / "crawl"
    with SimWeb(hosts=3, pages=12, seed=33, only=["plain"]) as web:
        run_crawl(web, jobdir)
    return jobdir


@pytest.fixture
def jobdir(tmp_path: Path, crawled: Path) -> Path:
    """A copy of its own."""
    shutil.copytree(crawled, tmp_path / "crawl")
    return tmp_path / "crawl"


def sentence(jobdir: Path) -> str:
    """Why the crawl is not resumed."""
    before = content(jobdir)
    settings = get_project_settings()
    settings.set("JOBDIR", str(jobdir), priority="cmdline")
    with pytest.raises(PROBLEMS) as refusal:
        examine(settings)
    assert content(jobdir) == before
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in CRAWL_JSON.items() for value in values]
)
def test_wrong_types_in_the_identity_are_one_sentence(jobdir: Path, name: str, value: str) -> None:
    record = json.loads((jobdir / "crawl.json").read_text())
    del record[name]
    text = json.dumps(record)
    (jobdir / "crawl.json").write_text(f'{text[:-1]}, "{name}": {value}}}')
    said = sentence(jobdir)
    assert name.lower() in said.lower() or "crawl.json" in said


@pytest.mark.parametrize("text", COMMITTED_JSON)
def test_wrong_types_in_the_committed_lengths_are_one_sentence(jobdir: Path, text: str) -> None:
    (jobdir / "committed.json").write_text(text)
    assert "committed.json" in sentence(jobdir)


@pytest.mark.parametrize("name", ["crawl.json", "committed.json"])
def test_a_folder_in_the_place_of_a_file_is_one_sentence(jobdir: Path, name: str) -> None:
    (jobdir / name).unlink()
    (jobdir / name).mkdir()
    assert f"{name} is a folder, expected a regular file" in sentence(jobdir)


@pytest.mark.parametrize(
    ("name", "text"), [("crawl.json", nested(100_000)), ("committed.json", '{"graph": 7}')]
)
def test_crawl_and_repair_end_with_two_and_print_nothing_else(jobdir: Path, name: str, text: str) -> None:
    (jobdir / name).write_text(text)
    for command in (
        ["scrapy", "crawl", "italy", "-s", f"JOBDIR={jobdir}"],
        ["webgraph_it.repair", str(jobdir)],
    ):
        ended = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.returncode == 2, ended.stderr
        assert name in ended.stderr
        assert ended.stderr.count("\n") == 1, ended.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"MAX_DEPTH": "deep"}, "'deep' as MAX_DEPTH"),
        ({"settings": {"FRONTIER_ORDER": [1]}}, "FRONTIER_ORDER"),
    ],
)
def test_a_repair_believes_no_limit_of_a_wrong_type(
    jobdir: Path, change: dict[str, object], words: str
) -> None:
    record = json.loads((jobdir / "crawl.json").read_text())
    (jobdir / "crawl.json").write_text(json.dumps({**record, **change}))
    shutil.rmtree(jobdir / "frontier")
    with pytest.raises(PROBLEMS, match=words):
        repair(jobdir, lambda said: None)


def test_what_belongs_to_one_run_is_not_taken_from_the_directory(jobdir: Path, tmp_path: Path) -> None:
    """Else a prepared directory would name the file that the log is written to."""
    record = json.loads((jobdir / "crawl.json").read_text())
    record["settings"] |= {"LOG_FILE": str(tmp_path / "log"), "HOST_DELAY": 3.5}
    (jobdir / "crawl.json").write_text(json.dumps(record))
    settings = get_project_settings()
    settings.set("JOBDIR", str(jobdir), priority="cmdline")
    examine(settings)
    assert settings["LOG_FILE"] is None
    assert settings["HOST_DELAY"] == 3.5


@pytest.mark.parametrize("value", [7, {"webgraph_it.engine.extension.CrawlExtension": None}])
def test_a_directory_switches_none_of_our_parts_off(jobdir: Path, value: object) -> None:
    record = json.loads((jobdir / "crawl.json").read_text())
    record["settings"] |= {"EXTENSIONS": value}
    (jobdir / "crawl.json").write_text(json.dumps(record))
    assert "EXTENSIONS" in sentence(jobdir)


# -- what the store says of the files -----------------------------------------------------------------------


def test_files_are_read_as_they_were_written() -> None:
    files = {"graph/000001.g16": Durable(32, 2**32 - 1), "urls/1000000.tsv": Durable(0, 0)}
    assert unpacked(packed(files)) == files
    assert unpacked(None) == {}


@pytest.mark.parametrize(
    "stored",
    [
        b"[]",
        b"{",
        b'{"graph/000001.g16": 7}',
        b'{"graph/000001.g16": [1]}',
        b'{"graph/000001.g16": [1, -1]}',
        b'{"graph/000001.g16": ["1", 1]}',
        b'{"graph/../../a.g16": [1, 1]}',
        b'{"/etc/passwd": [1, 1]}',
        b'{"graph/000001.tsv": [1, 1]}',
        b"[" * 100_000,
    ],
)
def test_a_store_that_names_no_files_of_a_crawl_is_one_sentence(stored: bytes) -> None:
    with pytest.raises(ShardError, match="does not name the crawl's files"):
        unpacked(stored)


# -- files that the user names ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
@pytest.mark.parametrize("name", ["SEEDS", "BANDWIDTH_SCHEDULE_FILE"])
def test_what_is_no_regular_file_is_refused_at_once(
    jobdir: Path, tmp_path: Path, name: str, kind: str
) -> None:
    path = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    ended = subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", "italy", "-s", f"JOBDIR={jobdir}", "-s", f"{name}={path}"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2, ended.stderr
    assert f"{path} is a" in ended.stderr
    assert "expected a regular file" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["SEEDS", "BANDWIDTH_SCHEDULE_FILE"])
def test_nothing_is_shown_of_a_wrong_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("password: hunter2\n")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    settings = get_project_settings()
    (tmp_path / "seeds").write_text("http://sito.it/\n")
    given = {
        "JOBDIR": str(tmp_path / "crawl"),
        "CONTACT_URL": "https://example.org/crawl",
        "SEEDS": str(tmp_path / "seeds"),
    }
    settings.setdict({**given, name: str(tmp_path / "link")}, priority="cmdline")
    with pytest.raises(PROBLEMS) as refusal:
        examine(settings)
    assert "hunter2" not in str(refusal.value)
    assert str(tmp_path / "link") in str(refusal.value)
