"""Damaged and crafted directories, by the hundred: readers answer or say one sentence; none crashes."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from tests.verbs import convert as main
from webgraph_it.graph.urlmap import spell


def prepare(folder: Path) -> None:
    """A crawl of 150 pages on twelve hosts, and its graph."""
    chance = random.Random(7)
    keys = sorted({f"it,sito{n % 12}{',www' * (n % 5 == 0)})/{'p' * (n % 7)}{n}" for n in range(150)})
    urls = {key: spell(key, chance.choice(["http://", "https://www.", "ftp://x."])) for key in keys}
    links = {key: chance.sample(keys, chance.choice([0, 1, 3, 12])) for key in keys[::2]}
    states = {key: "fetched" if key in links else "error" for key in keys[:120]} | dict.fromkeys(
        links, "fetched"
    )
    write_crawl(folder / "crawl", links, urls, states, files=2)
    assert main([str(folder / "crawl"), "--out", str(folder / "graph")]) == 0


def fuzz(folder: Path, first: int, count: int) -> None:
    command = [sys.executable, "-m", "tests.fuzz.graph", str(folder), str(first), str(count)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    number = (folder / "case").read_text()
    assert found.returncode == 0, (
        f"case {number}, ended with {found.returncode}: {found.stdout}{found.stderr[-2000:]}"
    )


def test_some_hundred_damaged_directories(tmp_path: Path) -> None:
    prepare(tmp_path)
    fuzz(tmp_path, 0, 150)


@pytest.mark.slow
def test_many_damaged_directories(tmp_path: Path) -> None:
    prepare(tmp_path)
    first = random.randrange(1 << 40)
    fuzz(tmp_path, first, 3_000)
