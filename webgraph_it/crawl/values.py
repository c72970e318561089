"""Parses our settings once and puts the values back into Scrapy's settings.

After `check`, every component that reads a setting of ours from Scrapy, also a user's, gets the parsed value: 4000000,
not "4 MB". settings_table.py defines the values.
"""

from collections.abc import Iterator
from typing import Any, Protocol

from webgraph_it.settings_table import TABLE, CrawlSettings, Setting, SettingsError

__all__ = ["Settings", "SettingsError", "check", "check_one"]


class Settings(Protocol):
    """The part of Scrapy's settings that we need."""

    def __getitem__(self, name: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def get(self, name: Any, default: Any = None, /) -> Any: ...
    def getpriority(self, name: Any, /) -> int | None: ...
    def set(self, name: Any, value: Any, priority: int | str = ...) -> None: ...


def check(settings: Settings) -> CrawlSettings:
    """Replace each setting by its parsed value, and return them all. Raises SettingsError."""
    return CrawlSettings({row.name: check_one(settings, row) for row in TABLE.values()})


def check_one(settings: Settings, row: Setting[Any]) -> Any:
    """Replace one setting by its parsed value. Raises SettingsError."""
    value = row.read(settings.get(row.name, row.default))
    # One above the priority as typed, because Scrapy merges the command line into the crawl's settings again.
    settings.set(row.name, value, priority=(settings.getpriority(row.name) or 0) + 1)
    return value
