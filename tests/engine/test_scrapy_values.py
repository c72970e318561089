"""A value that Scrapy could not read is refused before the crawl begins, by the type of Scrapy's own default."""

import pytest
from scrapy.settings import Settings

from webgraph_it.crawl.values import SettingsError
from webgraph_it.engine.scrapy_values import COMPONENT_DICTS, check_scrapy_values


def given(name: str, value: object) -> Settings:
    settings = Settings()
    settings.set(name, value, priority="cmdline")
    return settings


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("CLOSESPIDER_TIMEOUT", "abc", "a number."),
        ("CLOSESPIDER_PAGECOUNT", "1.5", "a whole number."),
        ("CONCURRENT_REQUESTS", "abc", "a whole number, 1 or more."),
        ("CONCURRENT_REQUESTS", "0", "a whole number, 1 or more."),
        ("MEMUSAGE_LIMIT_MB", "2 GB", "a whole number."),
        ("STATS_DUMP", "perhaps", "true or false."),
        ("TELNETCONSOLE_ENABLED", "perhaps", "true or false."),
        ("LOG_LEVEL", "FOO", "one of CRITICAL, ERROR, WARNING, INFO, DEBUG."),
        ("LOG_LEVEL", "10", "one of CRITICAL, ERROR, WARNING, INFO, DEBUG."),
    ],
)
def test_a_wrong_value_is_named_with_the_type_that_is_expected(
    name: str, value: object, expected: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        check_scrapy_values(given(name, value))
    assert str(refused.value) == f"{name} is {value!r}; expected: {expected}"


@pytest.mark.parametrize("name", COMPONENT_DICTS)
def test_the_order_of_a_component_is_a_number_or_none(name: str) -> None:
    with pytest.raises(
        SettingsError, match=f"{name} has 'abc' as the order of mine.Part; expected: a number"
    ):
        check_scrapy_values(given(name, {"mine.Part": "abc"}))
    check_scrapy_values(given(name, {"mine.Part": 50, "mine.Other": None, "mine.Third": 7.5}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLOSESPIDER_TIMEOUT", "1.5"),
        ("CLOSESPIDER_PAGECOUNT", "20"),
        ("CONCURRENT_REQUESTS", 1),
        ("STATS_DUMP", "false"),
        ("TELNETCONSOLE_ENABLED", "False"),
        ("LOG_LEVEL", "INFO"),
        ("LOG_LEVEL", 10),
        ("LOG_FILE", "crawl.log"),
    ],
)
def test_a_right_value_passes(name: str, value: object) -> None:
    check_scrapy_values(given(name, value))
