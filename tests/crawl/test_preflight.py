"""What is made of the machine before a crawl begins."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT
from tests.defaults import project_settings
from webgraph_it.crawl.directory import DirectoryError, JobDirectory
from webgraph_it.crawl.preflight import preflight
from webgraph_it.files.own import NotOursError, make_folder

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


@pytest.fixture
def given(tmp_path: Path) -> dict[str, str]:
    """What a crawl needs, with a directory that is there already."""
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://sito.it/\n")
    make_folder(tmp_path / "crawl")
    return {
        "JOBDIR": str(tmp_path / "crawl"),
        "SEEDS": str(seeds),
        "CONTACT_URL": "https://example.org/crawl",
    }


def test_a_directory_in_use_is_refused_and_one_that_is_free_is_left_free(given: dict[str, str]) -> None:
    """Before its frontier is opened: another process may be writing there."""
    owner = JobDirectory(Path(given["JOBDIR"]))
    owner.lock()
    with pytest.raises(DirectoryError, match=r"crawl is in use by process \d+: stop it first"):
        preflight(project_settings(**given))
    owner.unlock()
    preflight(project_settings(**given))
    owner.lock()
    owner.unlock()


def test_a_directory_that_others_may_write_to_is_refused_before_it_is_read(given: dict[str, str]) -> None:
    Path(given["JOBDIR"], "crawl.json").write_text("{")
    Path(given["JOBDIR"]).chmod(0o777)
    with pytest.raises(NotOursError, match="may be written to by other users"):
        preflight(project_settings(**given))
