"""Checks the values of Scrapy's own settings before a crawl begins. Scrapy reads them later, and ends with a traceback.

The type of Scrapy's default is the expected type. Our own settings (settings_table.py) are not checked here.
"""

import logging
from collections.abc import Callable
from numbers import Real
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

from webgraph_it.crawl.values import SettingsError
from webgraph_it.settings_table import TABLE

COMPONENT_DICTS = ("ADDONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS")
AT_LEAST_ONE = ("CONCURRENT_REQUESTS", "CONCURRENT_ITEMS", "REACTOR_THREADPOOL_MAXSIZE")
LOG_LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")


def check_scrapy_values(settings: BaseSettings) -> None:
    """Raises SettingsError for the first value that Scrapy could not read."""
    for name, default in vars(default_settings).items():
        if name.isupper() and name not in TABLE and _is_given(name, settings):
            _check_value(name, default, settings)
    if not _is_level(level := settings.get("LOG_LEVEL")):
        raise SettingsError(f"LOG_LEVEL is {level!r}; expected: one of {', '.join(LOG_LEVELS)}.")
    for name in COMPONENT_DICTS:
        check_orders(name, settings)


def check_orders(name: str, settings: BaseSettings) -> None:
    """Raises SettingsError for a component whose order is not a number."""
    for component, order in dict(settings.get(name) or {}).items():
        if order is not None and not isinstance(order, Real):
            raise SettingsError(
                f"{name} has {order!r} as the order of {component}; expected: a number such as 350, "
                "or null (None in Python) to switch it off."
            )


def _is_given(name: str, settings: BaseSettings) -> bool:
    return (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["project"]


def _check_value(name: str, default: Any, settings: BaseSettings) -> None:
    read, expected = _reader(name, default, settings)
    try:
        value = read(name)
    except (ValueError, TypeError, OverflowError):
        value = None
    if value is None or (name in AT_LEAST_ONE and value < 1):
        raise SettingsError(f"{name} is {settings.get(name)!r}; expected: {expected}.")


def _reader(name: str, default: Any, settings: BaseSettings) -> tuple[Callable[[str], Any], str]:
    if isinstance(default, bool) or name == "TELNETCONSOLE_ENABLED":
        return settings.getbool, "true or false"
    if isinstance(default, int):
        return settings.getint, "a whole number, 1 or more" if name in AT_LEAST_ONE else "a whole number"
    if isinstance(default, float):
        return settings.getfloat, "a number"
    return _anything, ""


def _anything(_name: str) -> Any:
    return ""


def _is_level(level: Any) -> bool:
    """`logging` takes a number, or a name in capitals."""
    return isinstance(level, int) or level in logging.getLevelNamesMapping()
