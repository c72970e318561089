"""Components of ours under the names that they had: a user's settings, or an older crawl's, may still say them.

What a user gives is refused with the new name. What a crawl directory remembers is translated: the crawl was begun with
that component, and resumes with it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scrapy.settings import BaseSettings

from webgraph_it.crawl.values import SettingsError

MOVED = {
    "webgraph_it.crawl.extension.CrawlExtension": "webgraph_it.engine.extension.CrawlExtension",
    "webgraph_it.crawl.log.QuietFormatter": "webgraph_it.engine.log.QuietFormatter",
    "webgraph_it.fetch.bandwidth_middleware.BandwidthMiddleware": (
        "webgraph_it.engine.bandwidth_middleware.BandwidthMiddleware"
    ),
    "webgraph_it.fetch.downloader.LeanDownloader": "webgraph_it.engine.downloader.LeanDownloader",
    "webgraph_it.fetch.handler.WebgraphDownloadHandler": "webgraph_it.engine.handler.WebgraphDownloadHandler",
    "webgraph_it.fetch.middlewares.ConnectionCapMiddleware": (
        "webgraph_it.engine.connection_middlewares.ConnectionCapMiddleware"
    ),
    "webgraph_it.fetch.middlewares.IdentityMiddleware": (
        "webgraph_it.engine.connection_middlewares.IdentityMiddleware"
    ),
    "webgraph_it.fetch.robots_middleware.RobotsMiddleware": (
        "webgraph_it.engine.robots_middleware.RobotsMiddleware"
    ),
    "webgraph_it.frontier.middlewares.LeaseMiddleware": "webgraph_it.engine.lease_middleware.LeaseMiddleware",
    "webgraph_it.frontier.scheduler.FrontierScheduler": "webgraph_it.engine.scheduler.FrontierScheduler",
    "webgraph_it.graph.pipeline.GraphPipeline": "webgraph_it.engine.pipeline.GraphPipeline",
    "webgraph_it.graph.writer.DoubleBufferedWriter": "webgraph_it.shards.writer.DoubleBufferedWriter",
    "webgraph_it.graph.writer.UnbufferedWriter": "webgraph_it.shards.writer.UnbufferedWriter",
    "webgraph_it.urls.middlewares.ScopeDownloaderMiddleware": (
        "webgraph_it.engine.scope_middlewares.ScopeDownloaderMiddleware"
    ),
    "webgraph_it.urls.middlewares.ScopeSpiderMiddleware": (
        "webgraph_it.engine.scope_middlewares.ScopeSpiderMiddleware"
    ),
}
"""Old path → new path."""
EITHER = (
    *("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS"),
    "DOWNLOAD_HANDLERS",
)
"""Settings that name many of them, with the _BASE of each."""
NAMING = (
    *(each for name in EITHER for each in (name, f"{name}_BASE")),
    *("SCHEDULER", "DOWNLOADER", "GRAPH_WRITER", "LOG_FORMATTER"),
)
"""Settings that name one of them."""


def check_moved(settings: BaseSettings) -> None:
    """Raises SettingsError naming the first old path, and what it is called now."""
    for name in NAMING:
        for path in _paths(settings.get(name)):
            if path in MOVED:
                raise SettingsError(
                    f"{name} names {path}, which has moved; expected: {MOVED[path]}. Name that instead."
                )


def translated(name: str, value: Any) -> Any:
    """A setting that a crawl directory remembers, with the paths that its components have now."""
    if name not in NAMING:
        return value
    if isinstance(value, Mapping):
        return {_new(key): _new(each) for key, each in value.items()}
    return _new(value)


def _new(value: Any) -> Any:
    return MOVED.get(value, value) if isinstance(value, str) else value


def _paths(value: Any) -> Iterator[str]:
    """Of a setting that names one component, or many: as keys, or, for download handlers, as values."""
    if isinstance(value, str):
        yield value
    elif value is not None:
        yield from map(str, value)
        yield from (value[name] for name in value if isinstance(value[name], str))
