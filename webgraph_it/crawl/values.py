"""Values of settings in the place where Scrapy keeps them: read once, and put back with their true types.

After `check`, everybody who asks Scrapy for a setting of ours, a user's component too, gets the value itself: 4000000,
not "4 MB". What the values are is in settings_table.py.
"""

from collections.abc import Iterator
from typing import Any, Protocol

from webgraph_it.settings_table import TABLE, CrawlSettings, Setting, SettingsError

__all__ = ["Settings", "SettingsError", "check", "check_one"]


class Settings(Protocol):
    """What is needed of Scrapy's settings."""

    def __getitem__(self, name: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def get(self, name: Any, default: Any = None, /) -> Any: ...
    def getpriority(self, name: Any, /) -> int | None: ...
    def set(self, name: Any, value: Any, priority: int | str = ...) -> None: ...


def check(settings: Settings) -> CrawlSettings:
    """Replace each setting by its value, and return all of them; or raise SettingsError."""
    return CrawlSettings({row.name: check_one(settings, row) for row in TABLE.values()})


def check_one(settings: Settings, row: Setting[Any]) -> Any:
    """Replace one setting by its value; or raise SettingsError."""
    value = row.read(settings.get(row.name, row.default))
    # One more than as typed: Scrapy merges the command line into the crawl's settings once again.
    settings.set(row.name, value, priority=(settings.getpriority(row.name) or 0) + 1)
    return value
