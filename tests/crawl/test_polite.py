"""Politeness as the servers see it, over a whole crawl with a crash and a resume in the middle."""

import time
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.crawl.crawling import differences, run_crawl, start_crawl
from webgraph_it.simweb import SimWeb

HOST_DELAY, ADDRESS_DELAY = 0.25, 0.05
CRAWL_DELAY = 0.2
"""What simweb's robots.txt asks for; its settings ask for no delay of our own."""


def site(host: str) -> str:
    """The spellings of a site share one clock."""
    return host.partition(":")[0].removeprefix("www.").removesuffix(".").lower()


def requests_by(
    hits: list[dict[str, Any]], name: Callable[[dict[str, Any]], str]
) -> dict[str, list[list[Any]]]:
    """(start, end) of every request, by what `name` gives; a request that was cut off ends with its connection."""
    intervals, asked = defaultdict(list), {}
    for hit in hits:
        connection = hit.get("connection")
        if hit["event"] == "request":
            asked[connection] = [hit["time"], None, f"{hit['scheme']}://{hit['host']}{hit['path']}"]
            intervals[name(hit)].append(asked[connection])
        elif hit["event"] in ("response", "close") and connection in asked:
            asked.pop(connection)[1] = hit["time"]
    return intervals


def test_hosts_and_addresses_are_left_alone_as_promised(tmp_path: Path) -> None:
    polite = {
        "HOST_DELAY": HOST_DELAY,
        "ADDRESS_DELAY": ADDRESS_DELAY,
        "CRAWL_DELAY_MAX": 1,
        "COMMIT_INTERVAL": 0.5,
    }
    with SimWeb(hosts=30, pages=120, seed=21, addresses=10) as web:
        crawl = start_crawl(web, tmp_path, MAX_QUERIES_PER_PATH=10, MAX_HOST_DEPTH=10, **polite)
        time.sleep(8)
        crawl.kill()
        crawl.communicate()
        run_crawl(web, tmp_path, seconds=200, MAX_QUERIES_PER_PATH=10, MAX_HOST_DEPTH=10, **polite)
        hits = web.hits()
        found = differences(web, tmp_path)
        assert found == [], "\n".join(found)
    hosts = requests_by(hits, lambda hit: site(hit["host"]))
    assert sum(map(len, hosts.values())) > 200
    for host, intervals in hosts.items():
        for (start, end, first), (following, _, second) in pairwise(intervals):
            assert end is not None, host
            assert following >= end, f"{host}: two open requests, {first} and {second}"
            assert following - start >= HOST_DELAY, f"{first} and {second}: {following - start:.3f} s"
    addresses = requests_by(hits, lambda hit: hit["address"])
    gaps = [
        (later[0] - earlier[0], address)
        for address, intervals in addresses.items()
        for earlier, later in pairwise(intervals)
    ]
    assert min(gaps)[0] >= ADDRESS_DELAY, min(gaps)


def test_a_crawl_delay_of_robots_txt_is_kept(tmp_path: Path) -> None:
    with SimWeb(
        hosts=6, pages=24, seed=3, only=["robots-crawl-delay"], shares={"robots-crawl-delay": 1.0}
    ) as web:
        run_crawl(web, tmp_path)
        hits = web.hits()
    asked = requests_by(hits, lambda hit: site(hit["host"]))
    pauses = [
        following - start
        for intervals in asked.values()
        for (start, _, _), (following, _, _) in pairwise(intervals)
    ]
    assert len(pauses) > 12
    assert min(pauses) >= CRAWL_DELAY
