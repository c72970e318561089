"""Whoever waits for a compilation is told, once."""

import os
import subprocess
import sys
from pathlib import Path

from tests.convert.crawls import write_crawl
from webgraph_it.cli.shell.compiling import COMPILING

PROJECT = Path(__file__).parents[3]


def test_the_first_conversion_on_a_machine_says_that_it_compiles(tmp_path: Path) -> None:
    """It is stopped when it has said so."""
    crawl = write_crawl(tmp_path / "crawl")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "webgraph_it", "convert", str(crawl)]
    with subprocess.Popen(
        command, cwd=PROJECT, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stderr
        said = next((line for line in process.stderr if "compiling" in line), "")
        process.kill()
    assert said == f"{COMPILING}\n"
