"""Refuses the old path of a component of ours and names the new one (the table is in crawl/moved.py)."""

from collections.abc import Iterator
from typing import Any

from scrapy.settings import BaseSettings

from webgraph_it.crawl.moved import MOVED, NAMING
from webgraph_it.crawl.values import SettingsError


def check_moved(settings: BaseSettings) -> None:
    """Raises SettingsError that names the first old path and its new one."""
    for name in NAMING:
        for path in _paths(settings.get(name)):
            if path in MOVED:
                raise SettingsError(
                    f"{name} names {path}, which has moved; expected: {MOVED[path]}. Name that instead."
                )


def _paths(value: Any) -> Iterator[str]:
    """The paths in a setting: a single path, the keys of a dict, or, for download handlers, its values."""
    if isinstance(value, str):
        yield value
    elif value is not None:
        yield from map(str, value)
        yield from (value[name] for name in value if isinstance(value[name], str))
