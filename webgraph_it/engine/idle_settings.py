"""Scrapy's settings that have no effect here, and what to set instead: one warning each.

Each belongs to a part of Scrapy that this crawl does not use. A user who adds that part (EXTENSIONS,
DOWNLOADER_MIDDLEWARES, SPIDER_MIDDLEWARES) uses its settings too, and gets no warning.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings
from scrapy.utils.python import global_object_name

from webgraph_it import settings as ours
from webgraph_it.engine.required import COMPONENTS


class Idle(NamedTuple):
    names: tuple[str, ...]
    """Names; a star at the end matches any name that begins so."""
    instead: str
    """One sentence: what decides here instead."""
    part: str = ""
    """The component that would read them."""


DOWNLOADERS, SPIDERS, EXTENSIONS = (
    "scrapy.downloadermiddlewares",
    "scrapy.spidermiddlewares",
    "scrapy.extensions",
)

IDLE = (
    Idle(
        ("DOWNLOAD_DELAY", "DOWNLOAD_DELAY_JITTER", "RANDOMIZE_DOWNLOAD_DELAY", "DOWNLOAD_SLOTS"),
        "HOST_DELAY, DELAY_FACTOR and ADDRESS_DELAY set the delays.",
    ),
    Idle(
        ("CONCURRENT_REQUESTS_PER_DOMAIN", "CONCURRENT_REQUESTS_PER_IP"),
        "A host is asked one thing at a time, an address every ADDRESS_DELAY seconds.",
    ),
    Idle(
        ("AUTOTHROTTLE_*",),
        "DELAY_FACTOR makes the delay of a slow host longer.",
        f"{EXTENSIONS}.throttle.AutoThrottle",
    ),
    Idle(("DEPTH_LIMIT",), "MAX_DEPTH sets the limit.", f"{SPIDERS}.depth.DepthMiddleware"),
    Idle(
        ("DEPTH_PRIORITY", "DEPTH_STATS_VERBOSE"),
        "FRONTIER_ORDER sets the order.",
        f"{SPIDERS}.depth.DepthMiddleware",
    ),
    Idle(("URLLENGTH_LIMIT",), "MAX_URL_LENGTH sets the limit.", f"{SPIDERS}.urllength.UrlLengthMiddleware"),
    Idle(("USER_AGENT",), "The User-Agent is webgraph_it's; CONTACT_URL is the part of it that is yours."),
    Idle(
        ("DEFAULT_REQUEST_HEADERS",),
        "A downloader middleware of your own can set headers.",
        f"{DOWNLOADERS}.defaultheaders.DefaultHeadersMiddleware",
    ),
    Idle(
        ("ROBOTSTXT_OBEY", "ROBOTSTXT_PARSER", "ROBOTSTXT_USER_AGENT"),
        "robots.txt is always obeyed, as webgraph_it.",
        f"{DOWNLOADERS}.robotstxt.RobotsTxtMiddleware",
    ),
    Idle(
        (
            "RETRY_ENABLED",
            "RETRY_HTTP_CODES",
            "RETRY_EXCEPTIONS",
            "RETRY_PRIORITY_ADJUST",
            "RETRY_GIVE_UP_LOG_LEVEL",
        ),
        "The frontier retries: RETRY_TIMES, BACK_OFF, PARK_SECONDS.",
        f"{DOWNLOADERS}.retry.RetryMiddleware",
    ),
    Idle(
        ("REDIRECT_*",),
        "A redirect is an arc of the graph, and its target a page.",
        f"{DOWNLOADERS}.redirect.RedirectMiddleware",
    ),
    Idle(
        ("METAREFRESH_*",),
        "A refresh is an arc of the graph, and its target a page.",
        f"{DOWNLOADERS}.redirect.MetaRefreshMiddleware",
    ),
    Idle(("DOWNLOAD_MAXSIZE", "DOWNLOAD_WARNSIZE"), "MAX_BODY_BYTES sets the limit."),
    Idle(("DNS_TIMEOUT",), "DNS_TRY_TIMEOUT sets it."),
    Idle(("DNSCACHE_ENABLED", "DNSCACHE_SIZE"), "DNS_CACHE_SIZE sets it."),
    Idle(("DNS_RESOLVER", "TWISTED_DNS_RESOLVER"), "DNS_SERVERS names the resolvers."),
    Idle(
        (
            "DOWNLOADER_CLIENT*",
            "DOWNLOAD_TLS_*",
            "DOWNLOAD_VERIFY_CERTIFICATES",
            "DOWNLOAD_BIND_ADDRESS",
            "HTTP2_*",
        ),
        "The download handler here has no such option.",
    ),
    Idle(
        ("MEMUSAGE_*",),
        "Memory is bounded by design (docs/architecture.md); MemoryMax= of systemd is a hard limit.",
        f"{EXTENSIONS}.memusage.MemoryUsage",
    ),
    Idle(
        ("FEEDS", "FEED_*"),
        "The crawl directory holds the graph and the page log (docs/formats.md).",
        f"{EXTENSIONS}.feedexport.FeedExporter",
    ),
    Idle(("HTTPCACHE_*",), "Pages are not kept.", f"{DOWNLOADERS}.httpcache.HttpCacheMiddleware"),
    Idle(
        ("COOKIES_*",),
        "A page is what every visitor sees: no cookies are kept (VISIT_COOKIES).",
        f"{DOWNLOADERS}.cookies.CookiesMiddleware",
    ),
    Idle(
        ("HTTPPROXY_*",),
        "The crawl connects to the hosts itself.",
        f"{DOWNLOADERS}.httpproxy.HttpProxyMiddleware",
    ),
    Idle(("HTTPAUTH_*",), "The crawl does not log in.", f"{DOWNLOADERS}.httpauth.HttpAuthMiddleware"),
    Idle(
        ("COMPRESSION_ENABLED",),
        "The download handler decompresses.",
        f"{DOWNLOADERS}.httpcompression.HttpCompressionMiddleware",
    ),
    Idle(("DOWNLOADER_STATS",), "docs/fetching.md lists the stats.", f"{DOWNLOADERS}.stats.DownloaderStats"),
    Idle(("HTTPERROR_*",), "Errors are part of the record.", f"{SPIDERS}.httperror.HttpErrorMiddleware"),
    Idle(("REFERER_ENABLED", "REFERRER_*"), "No Referer is sent.", f"{SPIDERS}.referer.RefererMiddleware"),
    Idle(("LOGSTATS_INTERVAL",), "The crawl logs a line a minute.", f"{EXTENSIONS}.logstats.LogStats"),
    Idle(("TELNETCONSOLE_*",), "There is no telnet console.", f"{EXTENSIONS}.telnet.TelnetConsole"),
    Idle(("REMOTE_CONTROL_*",), "There is no remote control.", f"{EXTENSIONS}.remote_control.RemoteControl"),
    Idle(("STATSMAILER_RCPTS",), "reports/ has the stats.", f"{EXTENSIONS}.statsmailer.StatsMailer"),
    Idle(
        ("DUPEFILTER_*", "SCHEDULER_*"),
        "The frontier keeps the queues and knows every URL it has seen.",
    ),
)


def warnings_for(settings: BaseSettings) -> Iterator[str]:
    """One sentence for each setting that was changed without effect."""
    parts = {
        _path(part) for name in COMPONENTS for part in settings.get_component_priority_dict_with_base(name)
    }
    for idle in IDLE:
        if idle.part and idle.part in parts:
            continue
        for name in sorted(set(settings) & _names(idle)):
            if _is_changed(settings, name):
                yield f"{name} has no effect here. {idle.instead}"


def _names(idle: Idle) -> set[str]:
    wanted: set[str] = set()
    for name in idle.names:
        beginning = name.removesuffix("*")
        known = (each for each in vars(default_settings) if each.startswith(beginning) and each.isupper())
        wanted.update([name] if beginning == name else known)
    return wanted - {name for name in wanted if name.endswith("_BASE")}


def _is_changed(settings: BaseSettings, name: str) -> bool:
    if (settings.getpriority(name) or 0) < SETTINGS_PRIORITIES["project"]:
        return False
    if (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["cmdline"]:
        return True  # a user who typed it expects an effect
    default = getattr(ours, name, vars(default_settings).get(name))
    found = settings.get(name)
    plain = found.copy_to_dict() if isinstance(found, BaseSettings) else found
    return bool(plain != default and str(plain) != str(default))


def _path(part: Any) -> str:
    return part if isinstance(part, str) else global_object_name(part)
