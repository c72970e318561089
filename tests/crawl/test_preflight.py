"""What is made of the machine before a crawl begins."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT
from tests.defaults import project_settings
from webgraph_it.crawl.directory import DirectoryError, JobDirectory
from webgraph_it.crawl.preflight import preflight
from webgraph_it.files.own import make_folder

LOWER_AND_FIT = """
import resource, sys
from scrapy.settings import Settings
from webgraph_it.crawl.preflight import fit_descriptors
for hard in map(int, sys.argv[1:]):
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 64), hard))
    settings = Settings({"MAX_TCP_CONNECTIONS": 3000})
    fit_descriptors(settings)
    print(hard, settings["MAX_TCP_CONNECTIONS"], *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def test_the_cap_is_what_the_open_files_leave_and_the_soft_limit_is_raised() -> None:
    limits = ("4096", "4000", "3999", "2000", "1999", "100", "7")
    ended = subprocess.run(
        [sys.executable, "-c", LOWER_AND_FIT, *limits],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [tuple(map(int, line.split())) for line in ended.stdout.splitlines()] == [
        (4096, 3000, 4096, 4096),
        (4000, 3000, 4000, 4000),
        (3999, 2999, 3999, 3999),
        (2000, 1000, 2000, 2000),
        (1999, 999, 1999, 1999),
        (100, 50, 100, 100),
        (7, 4, 7, 7),
    ]


def test_a_directory_in_use_is_refused_and_one_that_is_free_is_left_free(tmp_path: Path) -> None:
    """Before its frontier is opened: another process may be writing there."""
    jobdir, seeds = tmp_path / "crawl", tmp_path / "seeds.txt"
    seeds.write_text("http://sito.it/\n")
    make_folder(jobdir)
    given = {"JOBDIR": str(jobdir), "SEEDS": str(seeds), "CONTACT_URL": "https://example.org/crawl"}
    owner = JobDirectory(jobdir)
    owner.lock()
    with pytest.raises(DirectoryError, match=r"crawl is in use by process \d+: stop it first"):
        preflight(project_settings(**given))
    owner.unlock()
    preflight(project_settings(**given))
    owner.lock()
    owner.unlock()
