"""The example at the end of every verb's --help does what it says, run for real."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.crawling import run_crawl
from tests.ingest.archives import Capture, page, write
from webgraph_it.cli import main
from webgraph_it.cli.shell.verbs import load, names, parser_of
from webgraph_it.graph import WebGraph
from webgraph_it.simweb import SimWeb

PROJECT = Path(__file__).parents[2]
ELSEWHERE = ("cluster", "control", "fleet", "fleet give-up", "fleet resize", "fleet status")
"""Tests of tests/cluster, tests/crawl and tests/cli/test_fleet.py run these examples: they need Spark, a running crawl
or members."""
FREE_PORTS = ["--http-port=0", "--https-port=0", "--dns-port=0"]


def examples() -> list[str]:
    """As a reader finds them: the lines below Example in the help."""
    texts = [parser_of(load(name)).format_help() for name in names() if name not in ELSEWHERE]
    return [line for text in texts for line in re.findall(r"^  (webgraph-it .+)$", text, re.MULTILINE)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the examples speak of: crawls/italy-1, its graph italy, truth, ratings.csv, archive.warc.gz."""
    folder = tmp_path_factory.mktemp("examples")
    with SimWeb(hosts=12, pages=80, seed=3, only=["plain"]) as web:
        web.truth.write(folder / "truth")
        run_crawl(web, folder / "crawls/italy-1", WARC=True)
    assert main(["convert", str(folder / "crawls/italy-1"), "--out", str(folder / "italy")]) == 0
    assert main(["analyse", str(folder / "italy")]) == 0
    graph = WebGraph(folder / "italy")
    rows = [f"{graph.url(node)},{node}" for node in range(10)]
    write(folder / "archive.warc.gz", [Capture("http://sito.it/", page("/a"))])
    (folder / "ratings.csv").write_text("\n".join(["url,rating", *rows]) + "\n")
    return folder


def test_every_verb_has_an_example() -> None:
    begun = {name for name in names() if any(line.startswith(f"webgraph-it {name} ") for line in examples())}
    assert begun == set(names()) - {*ELSEWHERE}


@pytest.mark.parametrize("line", examples())
def test_an_example_does_what_it_says(line: str, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    words = [sys.executable, "-m", "webgraph_it", *shlex.split(line)[1:]]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "SCRAPY_SETTINGS_MODULE": "webgraph_it.settings"}
    serves = words[3:5] != ["simweb", "compare"] and words[3] == "simweb"
    with subprocess.Popen(
        [*words, *(FREE_PORTS if serves else [])],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        if serves:
            assert process.stdout
            assert any("simweb is ready" in said for said in iter(process.stdout.readline, ""))
            process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=240)
    assert process.returncode == 0, said + complained
    assert "Traceback" not in complained
