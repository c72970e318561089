"""Sitemaps: what they mean, without a network; then whole crawls, as the servers see them, killed and repaired."""

import shutil
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from tests.crawl.shard_reader import read_crawl
from tests.crawl.test_polite import requests_by, site
from tests.crawl.test_visit import link, reply
from webgraph_it.crawl.sitemaps import (
    MAX_LEVELS,
    MAX_LISTED,
    MAX_NAMED,
    judge_sitemap,
    named,
    sitemap_document,
    sitemap_page,
)
from webgraph_it.crawl.visit import READ, Respell, Retry
from webgraph_it.extract.records import Extraction
from webgraph_it.extract.sitemap import SITEMAP, SITEMAP_INDEX
from webgraph_it.frontier.records import Lease
from webgraph_it.items import Page, State
from webgraph_it.repair.repair import repair
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.habits.sitemaps import FOLDER
from webgraph_it.urls.sitemaps import sitemap_name

URL = "http://sito.it/a"


def lease_of(host_depth: int = 0) -> Lease:
    name = sitemap_name(URL, URL)
    assert name is not None
    return Lease(*name, 1, host_depth, "", "it,sito", 0, 0, "", False, b"")


def keys(page: object) -> list[str]:
    assert isinstance(page, Page)
    return [each.key for each in page.links]


def test_robots_txt_names_sitemaps_anywhere_each_once_and_not_too_many() -> None:
    found = named(["/m.xml", "http://altro.it/m.xml", "http://sito.it/m.xml", "nntp:x"], URL)
    assert [each.key for each in found] == ["it,sito)/m.xml#sitemap", "it,altro)/m.xml#sitemap"]
    assert len(named((f"/{number}.xml" for number in range(1000)), URL)) == MAX_NAMED


def test_a_list_leads_to_pages_that_are_not_arcs() -> None:
    links = (link("http://sito.it/b", "xml"), link("http://altro.it/", "xml"))
    answer = reply(content_type="application/gzip", body=b"x")
    page = sitemap_page(answer, lease_of(), Extraction(links, media_type=SITEMAP))
    assert (page.links, page.followed) == (links, {links[0].digest, links[1].digest})
    assert (page.key, page.media_type, page.state) == (
        "it,sito)/a#sitemap",
        "application/gzip",
        State.FETCHED,
    )
    assert sitemap_document(answer).media_type == SITEMAP


def test_an_index_leads_to_sitemaps_of_its_own_host_and_not_for_ever() -> None:
    links = tuple(
        link(url, "xml") for url in ("http://sito.it/b", "http://altro.it/c", "https://www.sito.it/d")
    )
    index = Extraction(links, media_type=SITEMAP_INDEX)
    assert keys(sitemap_page(reply(), lease_of(), index)) == ["it,sito)/b#sitemap", "it,sito)/d#sitemap"]
    assert keys(sitemap_page(reply(), lease_of(MAX_LEVELS - 1), index)) == []
    many = tuple(link(f"http://sito.it/{number}", "xml") for number in range(MAX_LISTED + 5))
    page = sitemap_page(reply(), lease_of(), Extraction(many, media_type=SITEMAP_INDEX))
    assert len(page.links) == MAX_LISTED


def test_a_redirect_leads_to_another_sitemap_or_spelling() -> None:
    other = judge_sitemap(reply(301, location="/b"), lease_of(), may_retry=True)
    assert keys(other) == ["it,sito)/b#sitemap"]
    assert keys(judge_sitemap(reply(301, location="http://altro.it/"), lease_of(), may_retry=True)) == []
    spelling = judge_sitemap(reply(301, location="https://www.sito.it/a"), lease_of(), may_retry=True)
    assert isinstance(spelling, Respell)
    assert spelling.url == "https://www.sito.it/a"
    loop = judge_sitemap(reply(302, location="/a"), lease_of()._replace(spellings=5), may_retry=True)
    assert isinstance(loop, Page)
    assert (loop.state, loop.reason) == (State.ERROR, "redirect-loop")
    nowhere = judge_sitemap(reply(302), lease_of(), may_retry=True)
    assert isinstance(nowhere, Page)
    assert nowhere.reason == "redirect-nowhere"


def test_other_replies_mean_what_they_mean_for_pages() -> None:
    assert judge_sitemap(reply(200), lease_of(), may_retry=True) is READ
    assert isinstance(judge_sitemap(reply(503), lease_of(), may_retry=True), Retry)
    missing = judge_sitemap(reply(404), lease_of(), may_retry=True)
    assert isinstance(missing, Page)
    assert (missing.state, missing.reason) == (State.ERROR, "status-404")


# -- whole crawls -----------------------------------------------------------------------------------------------

DELAY = 0.15


def sitemap_web() -> SimWeb:
    shares = {"robots-sitemap": 0.5, "https-redirect": 0.3}
    return SimWeb(hosts=6, pages=18, seed=4, degree=3, page_bytes=500, only=[], shares=shares)


def test_the_crawl_is_exact_and_polite(tmp_path: Path) -> None:
    with sitemap_web() as web:
        run_crawl(web, tmp_path, HOST_DELAY=DELAY)
        assert differences(web, tmp_path) == []
        hits = web.hits()
    crawled = read_crawl(tmp_path)
    listed = {key for key in crawled.urls if FOLDER in key}
    assert len(listed) == 4 * 3
    assert not {child for _, child in crawled.arcs} & listed
    assert not any("#" in key for key in crawled.urls)
    states = {key.partition(")")[2]: crawled.state(key) for key in crawled.pages if "#" in key}
    assert states["/mappa/indice.xml#sitemap"] == states["/mappa/b.xml.gz#sitemap"] == "fetched"
    assert (states["/mappa/vecchia.xml#sitemap"], states["/mappa/manca.xml#sitemap"]) == ("redirect", "error")
    asked = [hit for hit in hits if hit["event"] == "request"]
    assert not any("example.com" in hit["host"] or "nascosto" in hit["path"] for hit in asked)
    for intervals in requests_by(hits, lambda hit: site(hit["host"])).values():
        assert min(later[0] - earlier[0] for earlier, later in pairwise(intervals)) >= DELAY


def test_without_the_setting_no_sitemap_is_asked_for(tmp_path: Path) -> None:
    with sitemap_web() as web:
        run_crawl(web, tmp_path, SITEMAPS=False)
        assert not any(FOLDER in hit.get("path", "") for hit in web.hits())


@pytest.mark.parametrize("lean", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_crawl_that_is_killed_and_repaired_is_exact(tmp_path: Path, lean: bool) -> None:
    slow: dict[str, Any] = {"HOST_DELAY": DELAY, "COMMIT_INTERVAL": 0.1, "LEAN_ENGINE": lean}
    with sitemap_web() as web:
        for wanted in (3, 14):
            crawl = start_crawl(web, tmp_path, **slow)
            until = time.monotonic() + 20
            while sitemaps_asked(web) < wanted and time.monotonic() < until:
                time.sleep(0.05)
            crawl.kill()
            finish(crawl)
        shutil.rmtree(tmp_path / "frontier")
        assert not repair(tmp_path, print).was_sound
        run_crawl(web, tmp_path, **slow)
        assert differences(web, tmp_path) == []


def sitemaps_asked(web: SimWeb) -> int:
    return sum(hit["event"] == "request" and FOLDER in hit["path"] for hit in web.hits())
