"""What is made of the machine before a crawl begins."""

import subprocess
import sys

from tests.crawl.crawling import PROJECT

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
