"""Looking at one page: what only a crawl has is left out, what protects others stays."""

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.settings import BaseSettings
from scrapy.utils.conf import build_component_list

from tests.defaults import project_settings
from webgraph_it.crawl.values import SettingsError
from webgraph_it.engine.by_hand import BY_HAND, TypedResponses, prepare

KNOWN = {"CONTACT_URL": "https://example.it/crawl"}


def prepared(**given: object) -> BaseSettings:
    settings = project_settings(**KNOWN, **given)
    prepare(settings, is_fetching=True)
    return settings


def test_there_is_no_frontier_no_directory_and_no_graph() -> None:
    settings = prepared(JOBDIR="crawls/x", ITEM_PIPELINES={"mine.Items": 500})
    assert settings.getbool(BY_HAND)
    assert settings["JOBDIR"] is None
    assert settings["SCHEDULER"] == "scrapy.core.scheduler.Scheduler"
    pipelines = build_component_list(settings.getwithbase("ITEM_PIPELINES"))
    assert pipelines == ["mine.Items"]


def test_the_guard_the_caps_and_the_users_own_middlewares_stay() -> None:
    settings = prepared(DOWNLOADER_MIDDLEWARES={"mine.Cache": 350})
    names = [
        name.rpartition(".")[2]
        for name in build_component_list(settings.getwithbase("DOWNLOADER_MIDDLEWARES"))
    ]
    assert [
        name for name in names if name in ("ConnectionCapMiddleware", "Cache", "BandwidthMiddleware")
    ] == [
        "ConnectionCapMiddleware",
        "Cache",
        "BandwidthMiddleware",
    ]
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    assert handlers["http"] == handlers["https"] == "webgraph_it.engine.handler.WebgraphDownloadHandler"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"CONTACT_URL": ""}, "CONTACT_URL is not set"),
        ({"HOST_DELAY": "soon"}, "HOST_DELAY is 'soon'"),
        ({"HOST_DELAYY": "1"}, "did you mean HOST_DELAY"),
        ({"DOWNLOAD_HANDLERS": {"http": None}}, "WebgraphDownloadHandler"),
    ],
)
def test_what_a_crawl_would_refuse_is_refused(given: dict[str, object], words: str) -> None:
    settings = project_settings(**KNOWN | given)
    with pytest.raises(SettingsError, match=words):
        prepare(settings, is_fetching=True)


def test_a_shell_without_a_page_needs_no_contact() -> None:
    prepare(project_settings(), is_fetching=False)


def test_a_page_has_selectors_and_is_not_decoded_twice() -> None:
    plain = Response(
        "http://a.it/",
        headers={"Content-Type": "text/html", "Content-Encoding": "gzip"},
        body=b"<title>ciao</title>",
    )
    page = TypedResponses().process_response(Request("http://a.it/"), plain)
    assert isinstance(page, HtmlResponse)
    assert page.css("title::text").get() == "ciao"
    assert b"Content-Encoding" not in page.headers
    assert b"Content-Encoding" in plain.headers
