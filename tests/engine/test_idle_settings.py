"""Who changes a setting of Scrapy's that does nothing here is told, and told what does."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import default_settings

from tests.engine.test_required import project
from webgraph_it import settings as ours
from webgraph_it.engine.idle_settings import IDLE, _names, warnings_for

SOURCE = "\n".join(path.read_text() for path in Path(ours.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("DOWNLOAD_DELAY", "3", "HOST_DELAY"),
        ("DEPTH_LIMIT", "3", "MAX_DEPTH"),
        ("AUTOTHROTTLE_ENABLED", "True", "DELAY_FACTOR"),
        ("USER_AGENT", "Mozilla/5.0", "CONTACT_URL"),
        ("MEMUSAGE_LIMIT_MB", "2048", "MemoryMax"),
        ("FEEDS", {"out.json": {"format": "json"}}, "crawl directory"),
        ("CONCURRENT_REQUESTS_PER_DOMAIN", "1", "one thing at a time"),
        ("DOWNLOAD_MAXSIZE", "1000", "MAX_BODY_BYTES"),
        ("ROBOTSTXT_OBEY", "True", "always obeyed"),
        ("RETRY_HTTP_CODES", "[500]", "RETRY_TIMES"),
        ("HTTPCACHE_ENABLED", "True", "not kept"),
        ("COOKIES_ENABLED", "True", "no cookies"),
        ("DUPEFILTER_CLASS", "mine.Filter", "frontier"),
    ],
)
def test_a_setting_without_effect_is_named_with_the_one_that_has(
    name: str, value: str | dict[str, Any], words: str
) -> None:
    found = list(warnings_for(project(**{name: value})))
    assert len(found) == 1
    assert found[0].startswith(f"{name} has no effect here.")
    assert words in found[0]


def test_what_is_as_it_was_is_not_mentioned() -> None:
    given = project(CLOSESPIDER_PAGECOUNT="5", CONCURRENT_REQUESTS="5")
    for name in ("USER_AGENT", "ROBOTSTXT_OBEY", "RETRY_ENABLED"):
        given.set(name, getattr(ours, name), priority="project")
    assert list(warnings_for(given)) == []


def test_who_adds_the_part_uses_its_settings() -> None:
    part = {"scrapy.extensions.feedexport.FeedExporter": 0}
    assert list(warnings_for(project(FEEDS={"out.json": {}}, EXTENSIONS=part))) == []


def test_every_part_in_the_table_exists_and_every_name_is_scrapys() -> None:
    for idle in IDLE:
        module, _, name = idle.part.rpartition(".")
        assert not idle.part or f"class {name}" in Path(find_spec(module).origin).read_text()
        assert _names(idle)
        assert {name for name in _names(idle) if name not in vars(default_settings)} <= {
            "CONCURRENT_REQUESTS_PER_IP"
        }


def test_nothing_of_ours_reads_a_setting_that_is_said_to_do_nothing() -> None:
    names = set().union(*map(_names, IDLE))
    reading = {name for name in names if re.search(rf'settings(\.get\w*\(|\[)"{name}"', SOURCE)}
    assert reading == set()


def test_what_is_typed_is_warned_about_even_if_it_is_our_default() -> None:
    given = project()
    given.set("ROBOTSTXT_OBEY", "False", priority="cmdline")
    assert list(warnings_for(given)) == [
        "ROBOTSTXT_OBEY has no effect here. robots.txt is always obeyed, as webgraph_it."
    ]
