"""Old paths of our components, which a user's settings or an older crawl may still name.

An old path in a user's settings is refused, and the error gives the new path (engine/moved.py). An old path in a crawl
directory is translated: the crawl started with that component, and resumes with it.
"""

from collections.abc import Mapping
from typing import Any

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
"""Settings that name several components; each has a _BASE."""
NAMING = (
    *(each for name in EITHER for each in (name, f"{name}_BASE")),
    *("SCHEDULER", "DOWNLOADER", "GRAPH_WRITER", "LOG_FORMATTER"),
)
"""Settings that name one component."""


def translated(name: str, value: Any) -> Any:
    """The value that a crawl directory remembers, with the current paths of its components."""
    if name not in NAMING:
        return value
    if isinstance(value, Mapping):
        return {_new(key): _new(each) for key, each in value.items()}
    return _new(value)


def _new(value: Any) -> Any:
    return MOVED.get(value, value) if isinstance(value, str) else value
