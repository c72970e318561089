"""Orders and quotas of whole crawls: what is reached first, and what is left out, on the record."""

import json
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, crawl_command, differences, run_crawl
from tests.crawl.shard_reader import read_crawl
from tests.crawl.test_polite import requests_by, site
from webgraph_it.crawl.outcome import STOPPED
from webgraph_it.simweb import SimWeb
from webgraph_it.spiders.brazil import BrazilSpider
from webgraph_it.urls.domains import registrable_domain

SEEDS_OF_BRAZIL = 245


@pytest.mark.parametrize("order", ["level", "outside", "keywords"])
def test_the_order_does_not_change_the_graph(tmp_path: Path, order: str) -> None:
    with SimWeb(hosts=10, pages=100, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path, FRONTIER_ORDER=order, FRONTIER_KEYWORDS={"acqua": 5})
        assert differences(web, tmp_path) == []


def test_a_domain_has_its_quota(tmp_path: Path) -> None:
    with SimWeb(hosts=20, pages=300, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path, MAX_PAGES_PER_DOMAIN=6)
    crawled = read_crawl(tmp_path)
    domains = [registrable_domain(key.partition(")")[0]) for key in crawled.parents]
    assert max(map(domains.count, domains)) == 6
    assert {"fetched", "quota-cut"} == {crawled.state(key) for key in crawled.urls}


def test_the_first_links_of_a_page_are_kept_and_the_log_says_so(tmp_path: Path) -> None:
    with SimWeb(hosts=10, pages=100, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path / "all")
        run_crawl(web, tmp_path / "few", MAX_LINKS_PER_PAGE=4)
    whole, few = children(tmp_path / "all"), children(tmp_path / "few")
    assert all(links == whole[page][:4] for page, links in few.items())
    reasons = {
        line["key"]: line["reason"] for lines in read_crawl(tmp_path / "few").pages.values() for line in lines
    }
    assert {reasons[page] for page in few if len(whole[page]) > 4} == {"links-per-page"}
    assert {reasons[page] for page in few if len(whole[page]) <= 4} <= {""}


@pytest.mark.parametrize(
    ("hosts", "delay"),
    [
        pytest.param(3_000, 3.0, marks=pytest.mark.slow),
        pytest.param(10_000, BrazilSpider.defaults["HOST_DELAY"], marks=pytest.mark.slow),
    ],
)
def test_brazil_reaches_500_domains_in_its_first_1000_pages(tmp_path: Path, hosts: int, delay: float) -> None:
    """As UFMG's crawler did, from as many seeds as the spider has. Its pause is 30 s, or 3 s where time is short."""
    seeds, jobdir = tmp_path / "seeds.txt", tmp_path / "crawl"
    with SimWeb(hosts=hosts, pages=4 * hosts, seed=7, tld="br", only=["plain"]) as web:
        sites = web.world.hosts[:: len(web.world.hosts) // SEEDS_OF_BRAZIL]
        seeds.write_text("".join(f"{host.origin}/\n" for host in sites))
        command = crawl_command(web, jobdir, HOST_DELAY=delay, SEEDS=str(seeds), CLOSESPIDER_ITEMCOUNT=1000)
        command[command.index("italy")] = "brazil"
        crawl = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=400)
        asked = requests_by(web.hits(), lambda hit: site(hit["host"]))
    assert crawl.returncode == STOPPED, crawl.stderr[-3000:]
    lines = [json.loads(line) for line in (jobdir / "pages/000001.jsonl").read_text().splitlines()]
    first = [line["key"].partition(")")[0] for line in lines if line["status"]][:1000]
    assert len(first) == 1000
    assert len(set(map(registrable_domain, first))) >= 500
    pauses = [later[0] - earlier[0] for intervals in asked.values() for earlier, later in pairwise(intervals)]
    assert min(pauses) >= delay


def children(jobdir: Path) -> dict[str, list[str]]:
    """Page → its links in the order of the shards."""
    keys = {bytes(digest): key for digest, key in digests(jobdir)}
    found: dict[str, list[str]] = {}
    data = (jobdir / "graph/000001.g16").read_bytes()
    parent = ""
    for place in range(0, len(data), 16):
        record = data[place : place + 16]
        key = keys[bytes([record[0] & 0x7F]) + record[1:]]
        if record[0] & 0x80:
            parent = key
            found[parent] = []
        else:
            found[parent].append(key)
    return found


def digests(jobdir: Path) -> list[tuple[bytes, str]]:
    from webgraph_it.urls import digest

    keys = [line.partition("\t")[0] for line in (jobdir / "urls/000001.tsv").read_text().splitlines()]
    return [(digest(key), key) for key in keys]
