"""`scrapy fetch`, `shell`, `parse` and `settings`: one page at a time, no crawl directory, and the guard holds."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT
from webgraph_it.simweb import SimWeb


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=4, pages=20, seed=3, only=["plain"]) as web:
        yield web


def page(web: SimWeb) -> str:
    return Path(web.settings["SEEDS"]).read_text().split()[0]


def given(web: SimWeb) -> list[str]:
    texts = {name: v if isinstance(v, str) else json.dumps(v) for name, v in web.settings.items()}
    return [word for name, text in texts.items() for word in ("-s", f"{name}={text}")]


def scrapy(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """A command in an empty folder, which must stay empty."""
    ended = subprocess.run(
        [sys.executable, "-m", "scrapy", *words],
        cwd=folder,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "webgraph_it.settings", "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert list(folder.iterdir()) == []
    return ended


def test_fetch_prints_a_page(web: SimWeb, tmp_path: Path) -> None:
    jobdir = ["-s", f"JOBDIR={tmp_path / 'crawl'}"]
    ended = scrapy(tmp_path, "fetch", page(web), "--nolog", *given(web), *jobdir)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("spider", [[], ["--spider", "italy"]])
def test_shell_has_a_page_with_selectors(web: SimWeb, tmp_path: Path, spider: list[str]) -> None:
    code = "response.status, len(response.css('a'))"
    ended = scrapy(tmp_path, "shell", page(web), "-c", code, "--nolog", *spider, *given(web))
    assert ended.returncode == 0, ended.stderr
    status, links = json.loads(ended.stdout.replace("(", "[").replace(")", "]"))
    assert status == 200
    assert links > 3


def test_parse_shows_what_a_crawl_would_find(web: SimWeb, tmp_path: Path) -> None:
    ended = scrapy(tmp_path, "parse", page(web), "--nolog", "--nocolour", *given(web))
    assert ended.returncode == 0, ended.stderr
    assert "'state': 'fetched'" in ended.stdout
    assert ended.stdout.count("'kind': 'a'") > 3


def test_an_address_that_a_crawl_would_not_connect_to_is_not_fetched(web: SimWeb, tmp_path: Path) -> None:
    ended = scrapy(tmp_path, "fetch", "http://127.0.0.1:8081/", "-s", "CONTACT_URL=https://example.org/crawl")
    assert "127.0.0.1 is not connected to" in ended.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["fetch", "http://sito.it/"], "CONTACT_URL is not set"),
        (["fetch", "http://sito.it/", "-s", "HOST_DELAY=soon"], "HOST_DELAY is 'soon'"),
        (["fetch", "http://sito.it/", "-s", 'DOWNLOAD_HANDLERS={"http": null}'], "WebgraphDownloadHandler"),
        (["settings", "--getint", "GRAPH_BUFFER", "-s", "GRAPH_BUFFER=0"], "GRAPH_BUFFER is '0'"),
    ],
)
def test_a_mistake_is_one_sentence_alone(tmp_path: Path, words: list[str], reason: str) -> None:
    ended = scrapy(tmp_path, *words)
    assert ended.returncode == 2
    assert reason in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--getint", "MAX_BODY_BYTES"], "4000000"),
        (["--get", "MAX_BODY_BYTES"], "4 MB"),
        (
            ["--getlist", "SCOPE_SURTS", "-s", 'SCOPE_SURTS=["it,", "com,esempio,"]'],
            "['it,', 'com,esempio,']",
        ),
    ],
)
def test_settings_shows_values_as_the_crawl_reads_them(tmp_path: Path, words: list[str], shown: str) -> None:
    ended = scrapy(tmp_path, "settings", *words)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == shown
