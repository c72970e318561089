"""Every knob, with unit, default and reason. Scrapy loads this module by name; -s NAME=value overrides.

Lists and dicts given with -s are JSON. docs/settings.md lists the same settings for readers, and a test keeps
the two together.
"""

from webgraph_it import __version__
from webgraph_it.urls import scope

BOT_NAME = "webgraph_it"
SPIDER_MODULES = ["webgraph_it.spiders"]

# -- what is crawled ----------------------------------------------------------------------------------------

SEEDS = "seeds/italy.txt"
"""File with one URL, bare domain, `+surt` or `-surt` prefix a line."""
SCOPE_SURTS = ["it,"]
"""SURT prefixes of what is in the graph; one with a `-` in front excludes what it covers."""
ALLOWED_PORTS: list[int] = []
"""Ports that are asked for pages although browsers do not (`urls/ports.py`: 22, 25, 6667 …); any other is, anyway."""
EXCLUDED_EXTENSIONS = list(scope.EXCLUDED_EXTENSIONS)
"""Extensions of files without links to speak of: neither fetched nor in the graph (`.xml.gz` is an exception)."""
MAX_URL_LENGTH = 2083
"""Characters; a longer URL is a trap."""
MAX_PATH_SEGMENTS = 20
"""A deeper path is a trap."""
MAX_REPEATED_SEGMENTS = 3
"""A path that repeats a segment, or a run of them, so often is a trap."""
MAX_DEPTH = 0
"""Links from a seed; 0 = no limit. What is deeper is quota-cut."""
MAX_PAGES_PER_HOST = 0
"""0 = no limit. What a host has beyond it is quota-cut."""
MAX_HOST_DEPTH = 100
"""Pages in a row found only from the same host: beyond, it is an endless calendar (trap-cut). 0 = no limit."""
MAX_QUERIES_PER_PATH = 5000
"""Distinct queries on one path of one host: beyond, it is a generator (trap-cut). 0 = no limit."""
MAX_HOSTS_PER_DOMAIN = 10000
"""Hosts below one registrable domain: beyond, it is a wildcard in the DNS (trap-cut). 0 = no limit."""
MAX_SAME_CONTENT = 100
"""Pages of one host with the same body: links of further ones are not followed (trap-cut). 0 = no limit."""

# -- what counts as a link (docs/links.md) ------------------------------------------------------------------

LINK_KINDS_ARCS = ["a", "area", "frame", "iframe", "link", "refresh", "redirect", "xml", "document"]
"""Kinds of links that are arcs of the graph, and followed."""
LINK_KINDS_FOLLOWED: list[str] = []
"""Kinds that are followed, and so become nodes, but are no arcs."""
EXTRACT_EMBEDDED = False
"""Follow what pages are built of too (styles, scripts, frames' sources), as Heritrix does."""
EXTRACT_PLAIN_TEXT = False
"""Absolute URLs in plain text are links."""
EXTRACT_WORKERS = -1
"""Processes that read documents; -1 = cores - 1, 0 = the crawl process itself."""
EXTRACT_TIMEOUT = 2.0
"""Seconds for one document; then its worker is replaced and the page kept with the reason `timeout`."""
EXTRACT_MEMORY = "300 MB"
"""Address space of one worker, its program included; a document that needs more is kept with the reason `memory`."""

# -- politeness (docs/politeness.md) --------------------------------------------------------------------------

CONTACT_URL = ""
"""A page that says who crawls and why; goes into the User-Agent. Public addresses are not crawled without."""
FROM_EMAIL = ""
"""Goes into the From header if given."""
USER_AGENT = f"webgraph_it/{__version__}"
"""Followed by (+CONTACT_URL)."""
HOST_DELAY = 2.0
"""Seconds between the end of a fetch and the next on the same host."""
DELAY_FACTOR = 5.0
"""Or so many times the last fetch, up to 30 s, if that is longer; 0 = off."""
ADDRESS_DELAY = 0.5
"""Seconds between two fetches at one IP address: shared hosting puts thousands of sites on one."""
CRAWL_DELAY_MAX = 60.0
"""Seconds; a longer Crawl-delay of a robots.txt counts as this."""

RETRY_TIMES = 3
"""Further attempts at a URL that failed for the moment (5xx, 429, resets, timeouts)."""
BACK_OFF = 1.0
"""Seconds a host is left alone after a failure; doubled by each further one, up to 5 minutes."""
PARK_SECONDS = 1800.0
"""A host that fails six times in a row is left alone so long; the third time it is given up."""
ROBOTS_RETRY_DELAY = 60.0
"""Seconds before a robots.txt that could not be reached is asked for again; doubled each time, four times."""

# -- the budget -----------------------------------------------------------------------------------------------

MAX_TCP_CONNECTIONS = 5000
"""Sockets that exist at one time, idle and closing ones included, as a firewall counts them."""
BANDWIDTH_SCHEDULE: list[list[str]] = []
"""[when, rate] pairs such as ["mon-fri 08:00-19:00", "1500 KB/s"]; the first match wins, none = no limit."""
BANDWIDTH_SCHEDULE_FILE = ""
"""A JSON file with the same; read again when it changes, without a restart."""
SCHEDULE_TIMEZONE = "Europe/Rome"
"""The clock that BANDWIDTH_SCHEDULE speaks of."""

# -- fetching -------------------------------------------------------------------------------------------------

DNS_SERVERS: list[str] = []
"""Such as ["127.0.0.1:5353"]; empty = the system's."""
PORT_MAP: dict[str, int] = {}
"""{"80": 8080}: connect there instead, the URL unchanged."""
ALLOWED_PRIVATE_NETWORKS: list[str] = []
"""Such as ["127.0.0.0/8"]; else only global addresses are connected to, whatever DNS says."""
MAX_BODY_BYTES = "4 MB"
"""A longer body is cut there and still read for links."""
DOWNLOAD_TIMEOUT = 60.0
"""Seconds for a whole fetch."""
DOWNLOAD_SILENCE_TIMEOUT = 20.0
"""Seconds without a byte before a server is left."""
CONNECT_TIMEOUT = 15.0
"""Seconds for a connection, TLS included."""
MAX_HEADER_BYTES = "64 KB"
"""A longer head is refused."""
MAX_HEADER_COUNT = 256
"""More headers are refused."""
MAX_IDLE_CONNECTIONS = 4000
"""Connections kept open for the next page of a host; they count in MAX_TCP_CONNECTIONS."""
KEEP_ALIVE_SECONDS = 15.0
"""How long such a connection may idle."""
DNS_TRY_TIMEOUT = 5.0
"""Seconds for one DNS query; it is tried twice."""
DNS_MIN_TTL = 60.0
"""Seconds an answer is kept at least."""
DNS_MAX_TTL = 86400.0
"""Seconds an answer is kept at most; c-ares keeps a record for its own TTL, up to an hour, whatever this says."""
DNS_NEGATIVE_TTL = 600.0
"""Seconds that a name is known not to exist."""
DNS_CACHE_SIZE = 200000
"""Names kept in memory."""
DNS_IPV6 = False
"""Ask for AAAA records too."""

# -- the crawl directory (docs/formats.md) --------------------------------------------------------------------

FRONTIER_ORDER = "breadth"
"""breadth: depth, then first come; level: wide coverage first (10 × slashes + labels below the domain)."""
GRAPH_BUFFER = 1800
"""Sequences that fill one buffer of the graph writer while the other is written."""
URLS_BUFFER = 1800
"""The same for the URL list."""
GRAPH_WRITER = "webgraph_it.graph.writer.DoubleBufferedWriter"
"""Or UnbufferedWriter, for comparison."""
COMMIT_INTERVAL = 30.0
"""Seconds; what a crash costs at most. The crawl does not stop for it."""
CHECKPOINT_INTERVAL = 86400.0
"""Seconds; then the next file numbers begin and older files are final. 0 = only on SIGUSR1."""
MIN_FREE_DISK = "1 GB"
"""Below it the crawl pauses, and goes on by itself when there is room."""

LEAN_ENGINE = True
"""Pages go from lease to record in one task of our own; False: through Scrapy's engine and scraper."""

# -- how Scrapy is put together -------------------------------------------------------------------------------

# Our parts are in the _BASE settings: DOWNLOADER_MIDDLEWARES, SPIDER_MIDDLEWARES, ITEM_PIPELINES, EXTENSIONS and
# DOWNLOAD_HANDLERS are yours, and add to them (docs/extending.md). A crawl does not start without one of ours.

DOWNLOADER = "webgraph_it.fetch.downloader.LeanDownloader"
DOWNLOAD_HANDLERS_BASE = dict.fromkeys(
    ("http", "https"), "webgraph_it.fetch.handler.WebgraphDownloadHandler"
)  # and no file:, data:, s3: or ftp:
SCHEDULER = "webgraph_it.frontier.scheduler.FrontierScheduler"
SPIDER_MIDDLEWARES_BASE = {"webgraph_it.urls.middlewares.ScopeSpiderMiddleware": 500}
DOWNLOADER_MIDDLEWARES_BASE = {
    "webgraph_it.urls.middlewares.ScopeDownloaderMiddleware": 100,
    "webgraph_it.frontier.middlewares.LeaseMiddleware": 150,
    "webgraph_it.fetch.robots_middleware.RobotsMiddleware": 200,
    "webgraph_it.fetch.middlewares.IdentityMiddleware": 250,
    "webgraph_it.fetch.middlewares.ConnectionCapMiddleware": 300,
    "webgraph_it.fetch.bandwidth_middleware.BandwidthMiddleware": 400,
}
ITEM_PIPELINES_BASE = {"webgraph_it.graph.pipeline.GraphPipeline": 500}
EXTENSIONS_BASE = {
    "scrapy.extensions.logcount.LogCount": 0,
    "scrapy.extensions.memdebug.MemoryDebugger": 0,
    "scrapy.extensions.closespider.CloseSpider": 0,
    "webgraph_it.crawl.extension.CrawlExtension": 100,
    # Not there, of those that Scrapy would start: CoreStats (CrawlExtension sets the same stats without a signal per
    # page), SpiderState (pickles), TelnetConsole and RemoteControl (execute what they are sent), LogStats (the crawl's
    # own line says more), AutoThrottle (politeness is the frontier's), MemoryUsage, FeedExporter.
}
SPIDER_MIDDLEWARES: dict[str, int | None] = {}
DOWNLOADER_MIDDLEWARES: dict[str, int | None] = {}
ITEM_PIPELINES: dict[str, int | None] = {}
EXTENSIONS: dict[str, int | None] = {}
KNOWN_SETTINGS: list[str] = []
"""Names of settings of your own components, so that -s takes them."""
COMMANDS_MODULE = "webgraph_it.engine.commands"  # crawl, and the commands that look at one page
REMOTE_CONTROL_ENABLED = False  # executes posted Python
TELNETCONSOLE_ENABLED = False
COOKIES_ENABLED = False  # a page is what everybody sees
HTTPPROXY_ENABLED = False  # the environment must not redirect a crawl
RETRY_ENABLED = False  # the frontier retries, durably
REDIRECT_ENABLED = False  # a redirect is an arc
METAREFRESH_ENABLED = False  # so is a refresh
COMPRESSION_ENABLED = False  # the download handler decompresses, with a cap
ROBOTSTXT_OBEY = False  # our own middleware obeys RFC 9309 in full
REFERER_ENABLED = False
CONCURRENT_REQUESTS = 2000  # downloads under way; sockets have their own cap
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 50_000_000  # bytes of bodies waiting for extraction before downloads pause
DOWNLOAD_FAIL_ON_DATALOSS = False  # what came of a page is read all the same
CONCURRENT_ITEMS = 1  # one Page per response; the default costs a hundred tasks each
LOG_LEVEL = "INFO"
LOG_FORMATTER = "webgraph_it.crawl.log.QuietFormatter"
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
ASYNCIO_EVENT_LOOP = "uvloop.Loop"
