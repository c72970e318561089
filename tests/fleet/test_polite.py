"""Politeness as the servers see it, over all members: a robots.txt on another member's host keeps that host's clock."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from tests.crawl.crawling import differences
from tests.crawl.test_polite import requests_by, site
from tests.fleet.fleets import Fleet
from webgraph_it.fleet.slices import Owners, balanced
from webgraph_it.simweb import SimWeb
from webgraph_it.urls.names import key

HOST_DELAY = 0.2
HABIT = "robots-redirected"


def owner(host: str) -> int:
    surt = key(f"http://{host}/")
    assert isinstance(surt, str)
    return Owners(balanced(3)).owner(surt)


@pytest.mark.slow
def test_a_host_of_another_member_is_borrowed_for_robots_txt(tmp_path: Path) -> None:
    with SimWeb(hosts=14, pages=28, seed=8, only=[HABIT], shares={HABIT: 1.0}) as web:
        fleet = Fleet(web, tmp_path, 3, HOST_DELAY=HOST_DELAY)
        try:
            fleet.run()
        finally:
            fleet.stop()
        hits = web.hits()
        assert differences(web, tmp_path) == []
    hosts = requests_by(hits, lambda hit: site(hit["host"]))
    for host, intervals in hosts.items():
        for (start, end, first), (following, _, second) in pairwise(intervals):
            assert end is not None, host
            assert following >= end, f"{host}: two open requests, {first} and {second}"
            assert following - start >= HOST_DELAY, f"{first} and {second}: {following - start:.3f} s"
    assert len(Counter(map(owner, hosts))) == 3
