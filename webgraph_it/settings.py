"""The settings module that Scrapy loads: our settings with their defaults, and our components. -s NAME=value overrides.

Our settings are defined in settings_table.py, one row each. This module gives them to Scrapy. docs/settings.md is
generated from the same table: `python -m webgraph_it.settings_page > docs/settings.md`.
"""

from webgraph_it import __version__
from webgraph_it.settings_table import as_typed

globals().update(as_typed())

BOT_NAME = "webgraph_it"
SPIDER_MODULES = ["webgraph_it.spiders"]
USER_AGENT = f"webgraph_it/{__version__}"  # the crawl adds (+CONTACT_URL)

# -- how Scrapy is put together -------------------------------------------------------------------------------

# Our parts are in the _BASE settings. DOWNLOADER_MIDDLEWARES, SPIDER_MIDDLEWARES, ITEM_PIPELINES, EXTENSIONS and
# DOWNLOAD_HANDLERS are yours and add to them (docs/extending.md). A crawl refuses to start without one of ours.

DOWNLOADER = "webgraph_it.engine.downloader.LeanDownloader"
DOWNLOAD_HANDLERS_BASE = dict.fromkeys(
    ("http", "https"), "webgraph_it.engine.handler.WebgraphDownloadHandler"
)  # no file:, data:, s3: or ftp:
SCHEDULER = "webgraph_it.engine.scheduler.FrontierScheduler"
SPIDER_MIDDLEWARES_BASE = {
    "webgraph_it.engine.scope_middlewares.ScopeSpiderMiddleware": 500,
    "webgraph_it.engine.deltafetch.NodeDeltaFetch": 400,  # with DELTAFETCH_ENABLED; after the scope
}
DOWNLOADER_MIDDLEWARES_BASE = {
    "webgraph_it.engine.scope_middlewares.ScopeDownloaderMiddleware": 100,
    "webgraph_it.engine.lease_middleware.LeaseMiddleware": 150,
    "webgraph_it.engine.robots_middleware.RobotsMiddleware": 200,
    "webgraph_it.engine.connection_middlewares.IdentityMiddleware": 250,
    "webgraph_it.engine.connection_middlewares.ConnectionCapMiddleware": 300,
    "webgraph_it.engine.bandwidth_middleware.BandwidthMiddleware": 400,
}
ITEM_PIPELINES_BASE = {"webgraph_it.engine.pipeline.GraphPipeline": 500}
EXTENSIONS_BASE = {
    "scrapy.extensions.logcount.LogCount": 0,
    "scrapy.extensions.memdebug.MemoryDebugger": 0,
    "scrapy.extensions.closespider.CloseSpider": 0,
    "webgraph_it.engine.extension.CrawlExtension": 100,
    # Left out of Scrapy's defaults: CoreStats (CrawlExtension sets the same stats without a signal per page),
    # SpiderState (pickles), TelnetConsole and RemoteControl (they execute what they are sent), LogStats (our progress
    # line says more), AutoThrottle (the frontier decides on politeness), MemoryUsage, FeedExporter.
}
SPIDER_MIDDLEWARES: dict[str, int | None] = {}
DOWNLOADER_MIDDLEWARES: dict[str, int | None] = {}
ITEM_PIPELINES: dict[str, int | None] = {}
EXTENSIONS: dict[str, int | None] = {}
COMMANDS_MODULE = "webgraph_it.engine.commands"  # crawl, and the commands that look at one page
REMOTE_CONTROL_ENABLED = False  # executes posted Python
TELNETCONSOLE_ENABLED = False
COOKIES_ENABLED = False  # no cookie is kept; VISIT_COOKIES is about one visit
HTTPPROXY_ENABLED = False  # the environment must not redirect a crawl
RETRY_ENABLED = False  # the frontier retries, durably
REDIRECT_ENABLED = False  # a redirect is an arc
METAREFRESH_ENABLED = False  # so is a refresh
COMPRESSION_ENABLED = False  # the download handler decompresses, with a cap
ROBOTSTXT_OBEY = False  # our own middleware obeys RFC 9309 in full
REFERER_ENABLED = False
CONCURRENT_REQUESTS = 2000  # downloads under way; sockets have their own cap
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 50_000_000  # bytes of bodies waiting for extraction before downloads pause
DOWNLOAD_FAIL_ON_DATALOSS = False  # links are extracted from an incomplete page, too
CONCURRENT_ITEMS = 1  # one Page per response; the default costs a hundred tasks each
LOG_LEVEL = "INFO"
LOG_FORMATTER = "webgraph_it.engine.log.QuietFormatter"
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
ASYNCIO_EVENT_LOOP = "uvloop.Loop"
