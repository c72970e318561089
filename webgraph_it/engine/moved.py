"""The old name of a component of ours, given by a user, is refused with the new one (the table: crawl/moved.py)."""

from collections.abc import Iterator
from typing import Any

from scrapy.settings import BaseSettings

from webgraph_it.crawl.moved import MOVED, NAMING
from webgraph_it.crawl.values import SettingsError


def check_moved(settings: BaseSettings) -> None:
    """Raises SettingsError naming the first old path, and what it is called now."""
    for name in NAMING:
        for path in _paths(settings.get(name)):
            if path in MOVED:
                raise SettingsError(
                    f"{name} names {path}, which has moved; expected: {MOVED[path]}. Name that instead."
                )


def _paths(value: Any) -> Iterator[str]:
    """Of a setting that names one component, or many: as keys, or, for download handlers, as values."""
    if isinstance(value, str):
        yield value
    elif value is not None:
        yield from map(str, value)
        yield from (value[name] for name in value if isinstance(value[name], str))
