"""The table of settings: name, default, unit, reader, meaning, and what a resume may change. There is no other.

These derive from it: the values that Scrapy loads (settings.py), validation (`CrawlSettings.read`), what crawl.json
keeps of a crawl (crawl/identity.py, crawl/changes.py), docs/settings.md (settings_page.py) and the defaults in tests.

    settings = CrawlSettings.read({"MAX_BODY_BYTES": "1 MB"})
    settings.MAX_BODY_BYTES                # 1000000, an int; settings["MAX_BODY_BYTES"] is the same
    CrawlSettings.MAX_BODY_BYTES.default   # "4 MB": the row of the table

Pure: it does not import Scrapy. To add a setting, add a row and regenerate docs/settings.md (see settings_page.py).
Longer than 400 lines because it is one table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from enum import Enum
from types import MappingProxyType
from typing import Any, Generic, NoReturn, Self, TypeVar, overload

from webgraph_it.settings_readers import (
    FILE,
    FLAG,
    FLEET_TRANSPORT,
    FOLDER,
    FOLDERS,
    KINDS,
    LANGUAGES,
    LISTEN,
    MISTAKES,
    NAME,
    NETWORKS,
    PAGE,
    PORTS,
    REPETITIONS,
    SCHEDULE,
    SECONDS,
    SERVERS,
    SHARE,
    SIZE,
    SURTS,
    TIMEOUT,
    TIMEZONE,
    TOKEN_FILE,
    TOML_FILE,
    WEIGHTS,
    WRITER,
    Advice,
    Reader,
    count,
    count_or_none,
    limit,
    number,
    one_of,
    text,
    texts,
    whole_number,
)
from webgraph_it.settings_readers import PORT_MAP as PORT_PAIRS

T = TypeVar("T")

MAX_SHOWN = 200
"""Maximum number of characters of a wrong value in an error message."""


class SettingsError(Exception):
    """A wrong value or a wrong name, in one sentence for the operator."""


class OnResume(Enum):
    """What may change when a crawl is resumed. A setting that may not change freely shapes the graph."""

    MAY_CHANGE = "may change"
    FIXED = "fixed"
    MAY_RISE = "may be raised"
    """A limit, where 0 means no limit. What it cut before is reconsidered (crawl/reconsider.py)."""
    MAY_GROW = "may grow"


class Unrecorded(Enum):
    """What it means if the crawl.json of an earlier version lacks a setting that shapes the graph."""

    DAMAGE = "every version recorded it"
    NEW = "the setting is newer than the crawl, and applies from the resume"
    ELSEWHERE = "it was recorded under `settings` if it was given, and otherwise had its default"


class Setting(Generic[T]):
    """One row. On an instance of CrawlSettings the attribute is the value, with its true type."""

    name: str

    def __init__(
        self,
        default: object,
        reader: Reader[T],
        meaning: str,
        on_resume: OnResume = OnResume.MAY_CHANGE,
        unrecorded: Unrecorded = Unrecorded.DAMAGE,
    ) -> None:
        self.default = default
        """As a person would type it: "4 MB"."""
        self.reader = reader
        self.meaning = meaning
        self.on_resume = on_resume
        self.unrecorded = unrecorded

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Section, owner: type) -> T: ...
    def __get__(self, instance: Section | None, owner: type) -> Self | T:
        return self if instance is None else instance[self.name]

    def __set__(self, instance: Section, value: T) -> NoReturn:
        raise AttributeError(f"{self.name} cannot be set: a CrawlSettings never changes")

    def __repr__(self) -> str:
        return f"<Setting {self.name} = {self.default!r}>"

    @property
    def shapes_graph(self) -> bool:
        return self.on_resume is not OnResume.MAY_CHANGE

    @property
    def default_value(self) -> T:
        return self.read(self.default)

    def read(self, found: object) -> T:
        """The value with its true type. Raises SettingsError if it is wrong."""
        try:
            return self.reader.read(found)
        except MISTAKES as error:
            advice = f" {error}" if isinstance(error, Advice) else ""
            raise SettingsError(
                f"{self.name} is {_short(found)}; expected: {self.reader.expected}.{advice}"
            ) from None


def _short(found: object) -> str:
    """Without what a URL has before its host: it may be a password."""
    shown = re.sub("://.*@", "://…@", repr(found))
    return shown if len(shown) <= MAX_SHOWN else f"{shown[:MAX_SHOWN]}…"


class Section:
    """A section of the table, and of its values."""

    title: str
    page: str
    """The page of docs/ that says more."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = MappingProxyType(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]


class What(Section):
    title = "What is crawled"
    page = "scope.md"

    CRAWL_NAME = Setting(
        "",
        NAME,
        "Name of the crawl. Its directory and the files of its graph begin with it. Empty = that of the spider.",
        OnResume.FIXED,
        Unrecorded.NEW,
    )
    SEEDS = Setting(
        "",
        text("the path of a seed file, -, or nothing"),
        "File of seeds; `-` reads them from standard input. Empty = the list of the spider. "
        "Each line is a URL, a bare domain, or a SURT prefix with `+` (added) or `-` (excluded).",
        OnResume.MAY_GROW,
    )
    SCOPE_SURTS = Setting(
        ["it,"],
        SURTS,
        "SURT prefixes or hosts: the nodes of the graph. One that begins with `-` excludes what it covers. "
        "The scope of the spider takes the place of this default.",
        OnResume.FIXED,
    )
    ALLOWED_PORTS = Setting(
        [],
        PORTS,
        "Ports to fetch from although browsers block them (`urls/ports.py`: 22, 25, 6667 …). "
        "All other ports are allowed anyway.",
        OnResume.FIXED,
        Unrecorded.NEW,
    )
    EXCLUDED_EXTENSIONS = Setting(
        # Pengo's list (2010), then images, film, sound, fonts and archives since.
        """
        bmp cab gif jpe jpg jpeg png tiff mid mp2 mp3 mp4 wav avi mov mpeg ram rm smil wmv ppt
        webp svg ico tif avif heic psd
        webm mkv flv m4v mpg 3gp ogv
        ogg oga flac aac m4a wma aif aiff
        woff woff2 ttf otf eot
        zip gz tgz bz2 xz 7z rar tar iso dmg exe msi apk jar deb rpm
        """.split(),  # noqa: SIM905 - sixty words are read more easily than sixty quotes
        texts('a JSON list of extensions such as ["gif", "mp3"]'),
        "Extensions of files without links: neither fetched nor in the graph. `.xml.gz` is always allowed.",
        OnResume.FIXED,
    )
    MAX_URL_LENGTH = Setting(
        2083, limit("characters"), "Maximum length of a URL. A longer one is a trap.", OnResume.FIXED
    )
    MAX_PATH_SEGMENTS = Setting(
        20, limit("segments"), "Maximum depth of a path. A deeper one is a trap.", OnResume.FIXED
    )
    MAX_REPEATED_SEGMENTS = Setting(
        3,
        REPETITIONS,
        "A path that repeats a segment, or a series of segments, this many times in a row is a trap.",
        OnResume.FIXED,
    )
    MAX_DEPTH = Setting(
        0,
        limit("links"),
        "Maximum number of links from a seed. Deeper pages are not fetched (quota-cut).",
        OnResume.MAY_RISE,
    )
    MAX_PAGES_PER_HOST = Setting(
        0,
        limit("pages"),
        "Maximum number of pages per host. Further pages are not fetched (quota-cut).",
        OnResume.MAY_RISE,
    )
    MAX_PAGES_PER_DOMAIN = Setting(
        0,
        limit("pages"),
        "Maximum number of pages per site (registrable domain, private suffixes counted), all its hosts together. "
        "Further pages are not fetched (quota-cut).",
        OnResume.MAY_RISE,
        Unrecorded.NEW,
    )
    MAX_HOST_DEPTH = Setting(
        100,
        limit("links"),
        "Maximum number of consecutive links within one host. Deeper pages, such as those of an endless calendar, "
        "are not fetched (trap-cut).",
        OnResume.FIXED,
    )
    MAX_QUERIES_PER_PATH = Setting(
        5000,
        limit("queries"),
        "Maximum number of distinct queries per path. Further ones are not fetched (trap-cut).",
        OnResume.FIXED,
    )
    MAX_HOSTS_PER_DOMAIN = Setting(
        10000,
        limit("hosts"),
        "Maximum number of hosts per registrable domain. Further hosts, such as those of a wildcard in the DNS, "
        "are not fetched (trap-cut).",
        OnResume.FIXED,
        Unrecorded.NEW,
    )
    MAX_SAME_CONTENT = Setting(
        100,
        limit("pages"),
        "Maximum number of pages of a host with the same body. Links of further copies are not followed "
        "(trap-cut).",
        OnResume.FIXED,
    )


class Links(Section):
    title = "What counts as a link"
    page = "links.md"

    LINK_KINDS_ARCS = Setting(
        ["a", "area", "frame", "iframe", "link", "refresh", "redirect", "xml", "document"],
        KINDS,
        "Kinds of links that are followed and are arcs of the graph.",
        OnResume.FIXED,
    )
    LINK_KINDS_FOLLOWED = Setting(
        [],
        KINDS,
        "Kinds of links that are followed but are not arcs. Their targets are nodes.",
        OnResume.FIXED,
        Unrecorded.ELSEWHERE,
    )
    MAX_LINKS_PER_PAGE = Setting(
        0,
        limit("links"),
        "Maximum number of links of a page, in scope or not. The first ones are kept, and the page log says so "
        "(reason `links-per-page`).",
        OnResume.FIXED,
        Unrecorded.NEW,
    )
    ANCHOR_TEXT = Setting(
        False,
        FLAG,
        "Also keep the texts of links, and which are `rel=nofollow`, in `anchors/`. The graph stays the same.",
        OnResume.FIXED,
        Unrecorded.NEW,
    )
    NOFOLLOW_LABELS = Setting(
        False,
        FLAG,
        "Also keep which links are `rel=nofollow`, in `anchors/`, without texts. The graph stays the same.",
        OnResume.FIXED,
        Unrecorded.NEW,
    )
    SITEMAPS = Setting(
        False,
        FLAG,
        "Also fetch the sitemaps that robots.txt names, and the pages in scope that they list. "
        "These pages are nodes. Being listed is not an arc.",
        OnResume.FIXED,
        Unrecorded.NEW,
    )
    EXTRACT_EMBEDDED = Setting(
        False,
        FLAG,
        "Also follow what pages are made of (kinds `embed`, `css` and `script`), as Heritrix does.",
        OnResume.FIXED,
    )
    EXTRACT_PLAIN_TEXT = Setting(False, FLAG, "Treat absolute URLs in plain text as links.", OnResume.FIXED)
    EXTRACT_WORKERS = Setting(
        -1,
        whole_number("processes, 0 = none, -1 = cores - 1", "processes", least=-1),
        "Processes that extract links. -1 = cores - 1, at least one. 0 = extract in the crawl process.",
    )
    EXTRACT_TIMEOUT = Setting(
        2.0,
        number("seconds of CPU for one document, more than 0", "s of CPU", least=0.001),
        "Maximum CPU time per document. Then the worker is replaced, and the page is kept without links "
        "(reason `timeout`).",
    )
    EXTRACT_MEMORY = Setting(
        "300 MB",
        SIZE,
        "Maximum address space of a worker, its program included. A document that needs more is kept without links "
        "(reason `memory`).",
    )


class Politeness(Section):
    title = "Politeness"
    page = "politeness.md"

    CONTACT_URL = Setting(
        "",
        PAGE,
        "Page that says who crawls and why. It is part of the User-Agent. Required to crawl public addresses.",
    )
    FROM_EMAIL = Setting(
        "", text("an e-mail address, or nothing"), "Value of the From header. Empty = no header."
    )
    HOST_DELAY = Setting(
        2.0, SECONDS, "Pause between the end of a fetch and the next fetch from the same host."
    )
    DELAY_FACTOR = Setting(
        5.0,
        number("a number, 0 or more (0 = off), times the last fetch", "× last fetch"),
        "Multiple of the last fetch's duration (at most 30 s), if longer than HOST_DELAY. 0 = off.",
    )
    ADDRESS_DELAY = Setting(
        0.5,
        SECONDS,
        "Pause between two fetches from the same IP address, or from the same /64 network of IPv6. "
        "Shared hosting puts thousands of sites on one address.",
    )
    CRAWL_DELAY_MAX = Setting(
        60.0, SECONDS, "Maximum Crawl-delay. A longer one in robots.txt is reduced to this."
    )
    RETRY_TIMES = Setting(
        3,
        count_or_none("attempts"),
        "Retries of a URL after a temporary failure (5xx, 429, reset connections, timeouts).",
    )
    BACK_OFF = Setting(
        1.0,
        SECONDS,
        "Pause of a host after a failure. It doubles with each consecutive failure, up to 5 minutes.",
    )
    PARK_SECONDS = Setting(
        1800.0,
        SECONDS,
        "Pause after six consecutive failures (no answer, 429 or 503). A host that fails again after the second pause "
        "is given up.",
    )
    ROBOTS_RETRY_DELAY = Setting(
        60.0,
        SECONDS,
        "Pause before a robots.txt that could not be reached is requested again. It doubles each time. "
        "After four failures the host's pages are recorded as `robots-denied`.",
    )


class Budget(Section):
    title = "Connections and bandwidth"
    page = "operations.md"

    MAX_TCP_CONNECTIONS = Setting(
        5000,
        count("sockets"),
        "Maximum number of open sockets, including idle and closing ones, as a firewall counts them.",
    )
    BANDWIDTH_SCHEDULE = Setting(
        [],
        SCHEDULE,
        'List of [when, rate] such as ["mon-fri 08:00-19:00", "1500 KB/s"]. The first match applies. '
        "Without a match there is no limit.",
    )
    BANDWIDTH_SCHEDULE_FILE = Setting(
        "", FILE, "JSON file with such a list, used instead. It is reloaded whenever it changes."
    )
    RULES_FILE = Setting(
        "",
        TOML_FILE,
        "TOML file with rules for parts of the web (console.md). It is read again whenever it changes.",
    )
    SCHEDULE_TIMEZONE = Setting("Europe/Rome", TIMEZONE, "Time zone of BANDWIDTH_SCHEDULE.")


class Fetching(Section):
    title = "Fetching"
    page = "fetching.md"

    DNS_SERVERS = Setting(
        [], SERVERS, 'DNS servers, such as ["127.0.0.1:5353"]. Empty = those of /etc/resolv.conf.'
    )
    PORT_MAP = Setting(
        {}, PORT_PAIRS, 'Connect to other ports: {"80": 8080} uses 8080 instead of 80. URLs do not change.'
    )
    ALLOWED_PRIVATE_NETWORKS = Setting(
        [],
        NETWORKS,
        'Networks such as ["127.0.0.0/8"] that may be connected to. Otherwise only global addresses are, '
        "whatever DNS says.",
    )
    ACCEPT_LANGUAGE = Setting(
        "it,en;q=0.5", LANGUAGES, "Value of the Accept-Language header. Empty = no header."
    )
    VISIT_COOKIES = Setting(
        True,
        FLAG,
        "Follow a redirect of a page to itself that sets a cookie once, with that cookie, for that visit only. "
        "Nothing is kept. False: such a page is an error (`redirect-loop`).",
        OnResume.FIXED,
        Unrecorded.NEW,
    )
    MAX_BODY_BYTES = Setting(
        "4 MB",
        SIZE,
        "Maximum length of a body. A longer one is truncated, and links are extracted from what is there.",
        OnResume.FIXED,
    )
    DOWNLOAD_TIMEOUT = Setting(60.0, TIMEOUT, "Maximum duration of a fetch.")
    DOWNLOAD_SILENCE_TIMEOUT = Setting(20.0, TIMEOUT, "Maximum time without a byte from the server.")
    CONNECT_TIMEOUT = Setting(15.0, TIMEOUT, "Maximum time to connect, TLS included.")
    MAX_HEADER_BYTES = Setting(
        "64 KB", SIZE, "Maximum length of a response's head. A longer one is an error."
    )
    MAX_HEADER_COUNT = Setting(
        256, count("headers"), "Maximum number of headers of a response. More are an error."
    )
    MAX_IDLE_CONNECTIONS = Setting(
        4000,
        count_or_none("connections"),
        "Maximum number of connections kept open for the next page of their host. They count in MAX_TCP_CONNECTIONS.",
    )
    KEEP_ALIVE_SECONDS = Setting(15.0, SECONDS, "Maximum time that such a connection stays idle.")
    DNS_TRY_TIMEOUT = Setting(5.0, TIMEOUT, "Timeout of one DNS query. Each query is tried twice.")
    DNS_MIN_TTL = Setting(60.0, SECONDS, "Minimum time that a DNS answer is cached.")
    DNS_MAX_TTL = Setting(
        86400.0,
        SECONDS,
        "Maximum time that a DNS answer is cached. c-ares itself caches a record for its TTL, up to an hour.",
    )
    DNS_NEGATIVE_TTL = Setting(600.0, SECONDS, "Time for which a name that does not exist is cached.")
    DNS_CACHE_SIZE = Setting(200000, count("names"), "Maximum number of names in the DNS cache.")
    DNS_IPV6 = Setting(False, FLAG, "Ask for the AAAA records of a host that has no A record.")


class Directory(Section):
    title = "The crawl directory"
    page = "formats.md"

    FRONTIER_ORDER = Setting(
        "breadth",
        one_of("breadth", "level", "outside", "keywords", "popular"),
        "`breadth`: by depth, then first come, first served. `level`: wide coverage first "
        "(10 × slashes + labels below the domain). `outside`: first what other sites link to. "
        "`keywords`: by FRONTIER_KEYWORDS. `popular`: by the number of links, as the last plan counted them "
        "(webgraph-it recrawl plan).",
    )
    FRONTIER_KEYWORDS = Setting(
        {},
        WEIGHTS,
        'Weight of each word of a URL or of the text of the link to it, such as {"empregos": 10, "login": -5}. '
        "The larger sum is fetched first.",
    )
    RECRAWL_SHARE = Setting(
        0.1,
        SHARE,
        "Share of a host's fetches that are planned re-visits, as long as the host has new URLs, too.",
    )
    CONTINUOUS = Setting(
        False,
        FLAG,
        "Whether the crawl continues when nothing is left to fetch: it plans re-visits every RECRAWL_PLAN_INTERVAL.",
    )
    RECRAWL_PLAN_INTERVAL = Setting(
        86400.0,
        number("seconds between two plans, 1 or more", "s", least=1),
        "Time between two plans of a continuous crawl.",
    )
    DELTAFETCH_ENABLED = Setting(
        False,
        FLAG,
        "Whether to fetch only what the crawl in DELTAFETCH_DIR has not fetched. A link to a known page is an arc.",
    )
    DELTAFETCH_DIR = Setting(
        "",
        FOLDER,
        "JOBDIR of the earlier crawl.",
    )
    DELTAFETCH_RESET = Setting(
        False,
        FLAG,
        "Whether to forget what the earlier crawl has fetched. That crawl itself is not changed.",
    )
    GRAPH_BUFFER = Setting(
        1800,
        whole_number("sequences in a buffer, 1 or more", "sequences", least=1),
        "Size of a buffer of the graph writer. One fills while the other is written.",
    )
    URLS_BUFFER = Setting(
        1800,
        whole_number("sequences in a buffer, 1 or more", "sequences", least=1),
        "Size of a buffer of the writer of the URL list.",
    )
    GRAPH_WRITER = Setting(
        "webgraph_it.shards.writer.DoubleBufferedWriter",
        WRITER,
        "Class of the writers. `webgraph_it.shards.writer.UnbufferedWriter` is for comparison.",
    )
    COMMIT_INTERVAL = Setting(
        30.0,
        number("seconds between commits, 0.1 or more", "s", least=0.1),
        "Time between commits: a crash loses no more than this. The crawl does not pause to commit.",
    )
    CHECKPOINT_INTERVAL = Setting(
        86400.0,
        number("seconds between checkpoints, 0 = only when asked", "s"),
        "Time between checkpoints. A checkpoint starts the next file numbers, and older files are final. "
        "0 = only on SIGUSR1.",
    )
    MIN_FREE_DISK = Setting(
        "1 GB",
        SIZE,
        "Minimum free disk space. Below it the crawl pauses, and resumes by itself when there is room.",
    )
    LEAN_ENGINE = Setting(
        True, FLAG, "Handle a page in one task of our own. False: in Scrapy's engine and scraper."
    )


class Fleet(Section):
    title = "A fleet of crawls"
    page = "fleet.md"

    FLEET = Setting(
        "local",
        FLEET_TRANSPORT,
        "What carries links and statuses between the members: `local` is the directory of the fleet, on one machine; "
        "`redis://…` or `rediss://…` is a Redis or Valkey server. It may have a password, so it is not remembered.",
    )
    FLEET_SIZE = Setting(
        0,
        whole_number("members, 1 to 1024; 0 = no fleet", "members", least=0, most=1024),
        "Number of members that crawl together. 0 = no fleet.",
        OnResume.FIXED,
        Unrecorded.NEW,
    )
    FLEET_MEMBER = Setting(
        0,
        whole_number("the number of a member, from 1; 0 = no fleet", "", least=0, most=1024),
        "Which member this process is. JOBDIR is the directory of the fleet, and this member uses `member-01/` in it.",
    )


class Archives(Section):
    title = "Archives"
    page = "archives.md"

    WARC = Setting(
        False, FLAG, "Keep what is sent and received as WARC files, in `warc/` of the crawl directory."
    )
    WARC_FILE_SIZE = Setting(
        "1 GB", SIZE, "Size at which the next WARC file begins, and with it the next number of all files."
    )


class Console(Section):
    title = "The console"
    page = "console.md"

    CONSOLE = Setting(
        "",
        LISTEN,
        "Where the crawl serves its page, REST and metrics, such as 127.0.0.1:6060. Empty = nowhere.",
    )
    CONSOLE_TOKENS = Setting(
        "",
        TOKEN_FILE,
        "TOML file of mode 0600 with the tokens `reader` and `operator`. Needed unless CONSOLE is a loopback address.",
    )
    CONSOLE_HOSTS = Setting(
        [],
        texts('a JSON list of names such as ["crawl.example.it"]'),
        "Names by which browsers may call the console, besides its own address.",
    )
    CONSOLE_MEMBERS = Setting(
        [],
        FOLDERS,
        "Crawls of this machine that the console shows and steers, too. Empty = the other members of the same fleet, "
        "if JOBDIR is one of its folders member-01, member-02 …",
    )


class Components(Section):
    title = "Components of your own"
    page = "extending.md"

    KNOWN_SETTINGS = Setting(
        [],
        texts('a JSON list of names such as ["MY_LIMIT"]'),
        "Names of the settings of your own components, so that -s accepts them.",
    )


SECTIONS: tuple[type[Section], ...] = (
    *(What, Links, Politeness, Budget, Fetching, Directory),
    *(Archives, Fleet, Console, Components),
)


class CrawlSettings(
    What, Links, Politeness, Budget, Fetching, Directory, Archives, Fleet, Console, Components
):
    """The values of all our settings. They are read once, have their true types, and never change."""

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Read what was given. A missing setting has its default. SettingsError for the first wrong value."""
        return cls({name: row.read(given.get(name, row.default)) for name, row in TABLE.items()})


def rows_of(section: type[Section]) -> list[Setting[Any]]:
    """The rows of a section, in order."""
    return [row for row in vars(section).values() if isinstance(row, Setting)]


def as_typed() -> dict[str, Any]:
    """Every name with its default as a person would type it. Scrapy loads these."""
    return {name: copy(row.default) for name, row in TABLE.items()}


TABLE = {row.name: row for section in SECTIONS for row in rows_of(section)}
"""Every row by its name."""
