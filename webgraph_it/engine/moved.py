"""Components of ours under the names that they had: settings of a user's, or of an older crawl, may still say them."""

from collections.abc import Iterator
from typing import Any

from scrapy.settings import BaseSettings

from webgraph_it.crawl.values import SettingsError

MOVED = {
    "webgraph_it.graph.pipeline.GraphPipeline": "webgraph_it.engine.pipeline.GraphPipeline",
    "webgraph_it.crawl.extension.CrawlExtension": "webgraph_it.engine.extension.CrawlExtension",
    "webgraph_it.crawl.log.QuietFormatter": "webgraph_it.engine.log.QuietFormatter",
}
"""Old path → new path."""
NAMING = ("ITEM_PIPELINES", "EXTENSIONS", "LOG_FORMATTER")
"""Settings that name one of them."""


def check_moved(settings: BaseSettings) -> None:
    """Raises SettingsError naming the first old path, and what it is called now."""
    for name in (each for setting in NAMING for each in (setting, f"{setting}_BASE")):
        for path in _paths(settings.get(name)):
            if path in MOVED:
                raise SettingsError(
                    f"{name} names {path}, which has moved; expected: {MOVED[path]}. Name that instead."
                )


def _paths(value: Any) -> Iterator[str]:
    """Of a setting that names one component, or many."""
    if isinstance(value, str):
        yield value
    elif value is not None:
        yield from map(str, value)
