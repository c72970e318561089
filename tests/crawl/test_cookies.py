"""Pages that are unreadable without a cookie: read with one, politely, and nothing is kept of it."""

import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from tests.crawl.shard_reader import read_crawl
from tests.crawl.test_polite import requests_by, site
from webgraph_it.simweb import SimWeb

HOST_DELAY = 0.2


def cookie_web() -> SimWeb:
    return SimWeb(
        hosts=8,
        pages=40,
        seed=5,
        degree=4,
        page_bytes=500,
        shares={"cookie": 0.4, "cookie-loop": 0.2},
        only=[],
    )


def test_the_crawl_is_exact_polite_and_keeps_no_cookie(tmp_path: Path) -> None:
    with cookie_web() as web:
        run_crawl(web, tmp_path, HOST_DELAY=HOST_DELAY)
        assert differences(web, tmp_path) == []
        asked = [hit for hit in web.hits() if hit["event"] == "request"]
        hosts = requests_by(web.hits(), lambda hit: site(hit["host"]))
    with_cookie = [hit for hit in asked if "cookie" in hit]
    assert len(with_cookie) > 8
    for hit in with_cookie:  # its own redirect came just before, and set just this
        before = [each for each in asked if each["host"] == hit["host"] and each["time"] < hit["time"]][-1]
        assert (before["path"], "cookie" in before) == (hit["path"], False)
        assert hit["cookie"].partition("=")[0] == "visita"
    visits = Counter((hit["host"], hit["path"]) for hit in asked)
    assert max(visits[hit["host"], hit["path"]] for hit in with_cookie) == 2
    pauses = [later[0] - earlier[0] for intervals in hosts.values() for earlier, later in pairwise(intervals)]
    assert min(pauses) >= HOST_DELAY
    assert reasons(tmp_path, "/cookie/") == {""}
    assert reasons(tmp_path, "/cookie-loop/") == {"redirect-loop"}


def test_without_the_setting_such_a_page_is_an_error(tmp_path: Path) -> None:
    with cookie_web() as web:
        run_crawl(web, tmp_path, VISIT_COOKIES=False)
        assert not any("cookie" in hit for hit in web.hits())
    assert reasons(tmp_path, "/cookie/") == {"redirect-loop"}


@pytest.mark.parametrize("lean", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_crash_between_the_two_requests_changes_nothing(tmp_path: Path, lean: bool) -> None:
    """The host rests for so long that most kills fall between the redirect and the visit with its cookie."""
    slow: dict[str, Any] = {"HOST_DELAY": HOST_DELAY / 2, "COMMIT_INTERVAL": 0.1, "LEAN_ENGINE": lean}
    with cookie_web() as web:
        for _ in range(2):
            crawl = start_crawl(web, tmp_path, **slow)
            seen = sum("cookie" in hit for hit in web.hits())
            until = time.monotonic() + 20
            while sum("cookie" in hit for hit in web.hits()) <= seen and time.monotonic() < until:
                time.sleep(0.05)
            crawl.kill()
            finish(crawl)
        run_crawl(web, tmp_path, **slow)
        assert differences(web, tmp_path) == []


def reasons(jobdir: Path, folder: str) -> set[str]:
    pages = read_crawl(jobdir).pages
    return {line["reason"] for lines in pages.values() for line in lines if f"){folder}" in line["key"]}
