"""A crawl without one of our parts does not start, however the part was switched off, and says which it is."""

import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from tests.crawl.crawling import PROJECT
from webgraph_it import settings as ours
from webgraph_it.crawl.values import SettingsError
from webgraph_it.engine.handler import WebgraphDownloadHandler
from webgraph_it.engine.required import COMPONENTS, check_components, check_spider
from webgraph_it.engine.robots_middleware import RobotsMiddleware
from webgraph_it.spiders.italy import ItalySpider

ROBOTS = "webgraph_it.engine.robots_middleware.RobotsMiddleware"
OURS = [
    (name, path)
    for name in COMPONENTS
    for path in getattr(ours, f"{name}_BASE")
    if path.startswith("webgraph_it")
]


class MyRobots(RobotsMiddleware):
    """As users extend a part of ours."""


class MyHandler(WebgraphDownloadHandler):
    """The same."""


MINE = f"{__name__}.MyRobots"


def project(**changes: Any) -> Settings:
    settings = Settings()
    settings.setmodule(ours, priority="project")
    settings.setdict(changes, priority="cmdline")
    return settings


def test_what_the_project_is_made_of_is_complete() -> None:
    assert len(OURS) == 10
    check_components(project())


@pytest.mark.parametrize(("name", "path"), OURS, ids=[path.rpartition(".")[2] for _, path in OURS])
def test_each_part_of_ours_is_missed(name: str, path: str) -> None:
    with pytest.raises(SettingsError, match=path.replace(".", r"\.")):
        check_components(project(**{name: {path: None}}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"DOWNLOADER_MIDDLEWARES_BASE": {}}, "DOWNLOADER_MIDDLEWARES"),
        ({"EXTENSIONS_BASE": "{}"}, "CrawlExtension"),
        ({"ITEM_PIPELINES_BASE": {}}, "GraphPipeline"),
        ({"SPIDER_MIDDLEWARES_BASE": {}}, "ScopeSpiderMiddleware"),
        ({"DOWNLOADER_MIDDLEWARES": {RobotsMiddleware: None}}, "RobotsMiddleware"),
        ({"SCHEDULER": "scrapy.core.scheduler.Scheduler"}, "FrontierScheduler"),
        ({"DOWNLOADER": "scrapy.core.downloader.Downloader"}, "LeanDownloader"),
        ({"DOWNLOAD_HANDLERS": {"http": None}}, "WebgraphDownloadHandler"),
        (
            {"DOWNLOAD_HANDLERS": {"https": "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"}},
            "https",
        ),
        ({"DOWNLOAD_HANDLERS_BASE": {}}, "WebgraphDownloadHandler"),
        ({"TWISTED_REACTOR_ENABLED": False}, "TWISTED_REACTOR_ENABLED"),
        ({"TWISTED_REACTOR": "twisted.internet.epollreactor.EPollReactor"}, "TWISTED_REACTOR"),
        ({"DOWNLOADER_MIDDLEWARES": {"no.such.Part": 50}}, "no.such.Part"),
        ({"EXTENSIONS": {"webgraph_it.engine.extension.NoSuch": 50}}, "NoSuch"),
    ],
)
def test_whatever_switches_a_part_off_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words) as refusal:
        check_components(project(**changes))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("order", [50, 150, 350, 900])
def test_parts_of_the_users_stand_beside_ours(order: int) -> None:
    for name in COMPONENTS:
        check_components(project(**{name: {MINE: order}}))


def test_a_part_derived_from_ours_counts_as_ours() -> None:
    check_components(project(DOWNLOADER_MIDDLEWARES={ROBOTS: None, MINE: 200}))
    check_components(project(DOWNLOAD_HANDLERS={"http": f"{__name__}.MyHandler", "gopher": MINE}))


def test_custom_settings_of_a_derived_spider_add_and_remove_nothing() -> None:
    class Mine(ItalySpider):
        name = "mine"
        custom_settings: ClassVar[dict[str, Any]] = {"DOWNLOADER_MIDDLEWARES": {ROBOTS: None}}

    with pytest.raises(UsageError, match="RobotsMiddleware"):
        Crawler(Mine, project(ALLOWED_PRIVATE_NETWORKS=["127.0.0.0/8"]))


def test_a_spider_of_another_kind_is_refused() -> None:
    class Plain(Spider):
        name = "plain"

    check_spider(ItalySpider)
    with pytest.raises(SettingsError, match="'plain' is not one of webgraph_it's"):
        check_spider(Plain)


SCRIPT = """
import sys
from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings
from webgraph_it.spiders.italy import ItalySpider

class Plain(Spider):
    name = "plain"
    start_urls = ["http://127.0.0.1:9/"]

class Addon:
    def update_settings(self, settings):
        settings["DOWNLOADER_MIDDLEWARES"]["webgraph_it.engine.robots_middleware.RobotsMiddleware"] = None

settings = get_project_settings()
settings.setdict({"JOBDIR": sys.argv[1], "ALLOWED_PRIVATE_NETWORKS": ["127.0.0.0/8"]}, priority="cmdline")
%s
process = CrawlerProcess(settings)
process.crawl(%s)
process.start()
"""


@pytest.mark.parametrize(
    ("change", "spider", "words"),
    [
        ('settings["EXTENSIONS_BASE"] = {}', "ItalySpider", "CrawlExtension off"),
        ('settings.set("ADDONS", {Addon: 9}, "cmdline")', "ItalySpider", "RobotsMiddleware off"),
        ("", "Plain", "'plain' is not one of webgraph_it's"),
    ],
    ids=["settings", "add-on", "spider"],
)
def test_a_script_is_refused_like_the_command(tmp_path: Path, change: str, spider: str, words: str) -> None:
    jobdir = tmp_path / "crawl"
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT % (change, spider), str(jobdir)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert words in ended.stderr, ended.stderr[-3000:]
    assert "Spider opened" not in ended.stderr
    assert not jobdir.exists()
