"""Pages are in the page log, so Scrapy's log has no line for each; what is rare keeps Scrapy's words."""

from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from webgraph_it.engine.log import QuietFormatter

REQUEST, RESPONSE, SPIDER = (
    Request("http://a.it/"),
    Response("http://a.it/"),
    get_crawler()._create_spider("italy"),
)


def test_neither_a_fetched_page_nor_a_recorded_one_is_logged() -> None:
    formatter = QuietFormatter()
    assert formatter.crawled(REQUEST, RESPONSE, SPIDER) is None
    assert formatter.scraped({}, RESPONSE, SPIDER) is None


def test_a_lost_item_is_logged() -> None:
    told = QuietFormatter().dropped({"a": 1}, DropItem("mine"), RESPONSE, SPIDER)
    assert "mine" in told["msg"] % told["args"]
