"""scrapy-deltafetch on our frontier: known pages are arcs and are not fetched; the package's promises hold."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from scrapy_deltafetch import DeltaFetch

from tests.crawl.crawling import finish, run_crawl, start_crawl
from tests.crawl.recrawling import FAST, PARENTS, graph_now, log_of
from tests.crawl.test_known_pages import running
from tests.frontier.making import NOW, link
from webgraph_it.engine.deltafetch import NodeDeltaFetch
from webgraph_it.items import Page, State
from webgraph_it.simweb import SimWeb

CHANGING = {"births": 0.02, "changes": 0.01}


def middleware(path: Path, **settings: Any) -> NodeDeltaFetch:
    names = {"DELTAFETCH_ENABLED": True, "DELTAFETCH_DIR": str(path), **settings}
    made = NodeDeltaFetch.from_crawler(get_crawler(Spider, settings_dict=names))
    made.spider_opened(Spider("test"))
    return made


def through(made: NodeDeltaFetch, *results: Any) -> list[Any]:
    response = Response("http://x.it/", request=Request("http://x.it/"))

    async def given() -> AsyncIterator[Any]:
        for each in results:
            yield each

    async def taken() -> list[Any]:
        return [each async for each in made.process_spider_output_async(response, given())]

    return asyncio.run(taken())


def test_it_is_the_packages_middleware_and_off_by_default() -> None:
    assert issubclass(NodeDeltaFetch, DeltaFetch)
    with pytest.raises(NotConfigured):
        NodeDeltaFetch.from_crawler(get_crawler(Spider))


def test_a_known_link_is_marked_and_a_known_request_is_skipped(tmp_path: Path) -> None:
    frontier = running(tmp_path / "job")
    made = middleware(tmp_path / "job")
    page = Page(
        "http://x.it/", "it,x)/", link("x").digest, NOW, State.FETCHED, 200, 0, "", (link("a"), link("b"))
    )
    again = Request("http://www.a.it/", meta={"deltafetch_enabled": False})
    named = Request("http://a.it/", meta={"deltafetch_key": "mine"})
    found = through(made, page, Request("https://www.a.it/"), again, named, Request("http://b.it/"))
    assert found[0].links == page.links
    assert found[0].traps == {link("a").digest: "deltafetch"}
    assert [request.url for request in found[1:]] == ["http://www.a.it/", "http://a.it/", "http://b.it/"]
    assert made.stats.get_stats() == {"deltafetch/skipped": 2, "deltafetch/stored": 1}
    made.spider_closed(Spider("test"))
    frontier.close()


@pytest.mark.parametrize("by_spider", [False, True])
def test_after_a_reset_everything_is_fetched_and_the_earlier_crawl_is_whole(
    tmp_path: Path, by_spider: bool
) -> None:
    frontier = running(tmp_path / "job")
    made = NodeDeltaFetch.from_crawler(
        get_crawler(
            Spider,
            settings_dict={
                "DELTAFETCH_ENABLED": True,
                "DELTAFETCH_DIR": str(tmp_path / "job"),
                "DELTAFETCH_RESET": not by_spider,
            },
        )
    )
    spider = Spider("test")
    if by_spider:
        spider.deltafetch_reset = True
    made.spider_opened(spider)
    assert len(through(made, Request("http://a.it/"))) == 1
    made.spider_closed(spider)
    again = middleware(tmp_path / "job")
    assert link("a").digest in again.db
    again.spider_closed(spider)
    frontier.close()


def test_in_another_folder_it_works_as_published(tmp_path: Path) -> None:
    made = middleware(tmp_path)
    item, known = {"title": "x"}, Request("http://x.it/")
    assert through(made, item) == [item]
    assert through(made, known) == [], "the request of an item that was stored"
    assert made.stats.get_stats() == {"deltafetch/skipped": 1, "deltafetch/stored": 1}
    assert list(tmp_path.glob("test.db*"))
    made.spider_closed(Spider("test"))


def test_a_delta_crawl_fetches_only_what_is_new(tmp_path: Path) -> None:
    with SimWeb(hosts=6, pages=120, degree=6, page_bytes=800, only=["plain"], **CHANGING) as web:
        run_crawl(web, tmp_path / "first", **FAST)
        web.turn_to(10)
        delta = {"DELTAFETCH_ENABLED": "True", "DELTAFETCH_DIR": str(tmp_path / "first")}
        said = run_crawl(web, tmp_path / "second", **FAST, **delta)
        seeds = len(web.seeds)
        truth = web.truth_on(10)
    old = {line["key"] for line in log_of(tmp_path / "first") if line["state"] in PARENTS}
    lines = log_of(tmp_path / "second")
    fetched = {line["key"] for line in lines if line["status"]}
    assert len(fetched & old) == seeds, "seeds are fetched again"
    assert fetched - old, "something is new"
    skipped = {line["key"] for line in lines if line["reason"] == "deltafetch"}
    assert {line["state"] for line in lines if line["reason"] == "deltafetch"} == {"quota-cut"}
    assert skipped <= old
    pages, arcs = graph_now(tmp_path / "second")
    assert arcs == {arc for arc in truth.arcs if arc[0] in pages}, "a link to a known page is an arc"
    assert f"'deltafetch/stored': {len(pages)}" in said
    assert "'deltafetch/skipped': " in said


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", "DELTAFETCH_DIR is empty"),
        ("{job}", "which is JOBDIR itself"),
        ("{tmp}", "not a crawl directory"),
    ],
)
def test_a_wrong_directory_is_one_sentence(tmp_path: Path, where: str, said: str) -> None:
    with SimWeb(hosts=1, pages=2, only=["plain"]) as web:
        path = where.format(job=tmp_path / "job", tmp=tmp_path)
        crawl = start_crawl(web, tmp_path / "job", DELTAFETCH_ENABLED="True", DELTAFETCH_DIR=path)
        output = finish(crawl)
    assert crawl.returncode == 2
    assert said in output
    assert "Traceback" not in output
    assert not (tmp_path / "job").exists()
