"""What a crawl has fetched, as scrapy-deltafetch's own dbm: the published middleware skips exactly these pages."""

import json
from pathlib import Path

import pytest
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.utils.request import fingerprint as scrapys
from scrapy.utils.test import get_crawler
from scrapy_deltafetch import DeltaFetch

from webgraph_it.cli import main
from webgraph_it.recrawl.deltafetch_export import export, fingerprint
from webgraph_it.shards.formats import ShardError

URLS = ["http://a.it/", "https://www.b.it/x?b=2&a=1#c", "http://a.it/caff%C3%A8", "http://a.it/(S(1))/x;y?q="]


@pytest.mark.parametrize("url", URLS)
def test_a_fingerprint_is_scrapys(url: str) -> None:
    assert fingerprint(url) == scrapys(Request(url))


def write_crawl(jobdir: Path) -> None:
    (jobdir / "pages").mkdir(parents=True)
    (jobdir / "crawl.json").write_text('{"recipe_version": 1}')
    states = ("fetched", "redirect", "error", "robots-denied")
    lines = [{"url": url, "state": state, "time": 5.0} for url, state in zip(URLS, states, strict=True)]
    (jobdir / "pages" / "000001.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.filterwarnings("ignore:Passing a 'spider' argument")
def test_the_published_middleware_skips_the_pages_of_the_crawl(tmp_path: Path) -> None:
    write_crawl(tmp_path / "job")
    for _ in range(2):  # the second one replaces the first
        assert export(tmp_path / "job", tmp_path / "out", "news") == 2
    assert {path.name.split(".")[0] for path in (tmp_path / "out").iterdir()} == {"news"}
    settings = {"DELTAFETCH_ENABLED": True, "DELTAFETCH_DIR": str(tmp_path / "out")}
    published = DeltaFetch.from_crawler(get_crawler(Spider, settings_dict=settings))
    spider = Spider("news")
    published.spider_opened(spider)
    requests = [Request(url) for url in URLS]
    response = Response("http://x.it/", request=Request("http://x.it/"))
    left = list(published.process_spider_output(response, requests, spider))
    assert [request.url for request in left] == [request.url for request in requests[2:]]
    published.spider_closed(spider)


def test_a_folder_that_is_no_crawl_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ShardError, match="is not a crawl directory"):
        export(tmp_path, tmp_path / "out", "news")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("spider", ["../evil", "", "a/b", "*", "-x"])
def test_a_name_that_no_spider_has_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spider: str
) -> None:
    write_crawl(tmp_path / "job")
    out = tmp_path / "out"
    assert main(["recrawl", "export-deltafetch", str(tmp_path / "job"), str(out), f"--spider={spider}"]) == 2
    assert f"--spider is {spider!r}; expected the name of a spider" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["job"]
