"""The table of settings and what follows from it: what Scrapy loads, refusals, the page. Our components load."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scrapy import signals
from scrapy.settings import Settings
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler

from tests.defaults import project_settings, typed
from webgraph_it import settings as ours
from webgraph_it.crawl.values import check
from webgraph_it.engine.parts import dns_settings, fetch_settings
from webgraph_it.engine.scheduler import FrontierScheduler
from webgraph_it.extract import LinkPolicy, link_policy
from webgraph_it.extract.workers import WorkerPool
from webgraph_it.fetch.client import FetchSettings
from webgraph_it.fetch.dns import DnsSettings
from webgraph_it.fetch.plan import Plan
from webgraph_it.fetch.response_parser import Limits as ResponseLimits
from webgraph_it.fetch.schedule import parse_schedule
from webgraph_it.frontier.politeness import Politeness
from webgraph_it.frontier.records import Limits
from webgraph_it.robots.policy import RobotsPolicy
from webgraph_it.settings_page import page
from webgraph_it.settings_table import TABLE, CrawlSettings, SettingsError
from webgraph_it.units import size_bytes
from webgraph_it.urls.scope import Scope
from webgraph_it.urls.seeds import read_seeds

SOURCE = Path(ours.__file__).parent

COMPONENT_DICTS = [
    "ITEM_PIPELINES_BASE",
    "EXTENSIONS_BASE",
    "SPIDER_MIDDLEWARES_BASE",
    "DOWNLOADER_MIDDLEWARES_BASE",
    "DOWNLOAD_HANDLERS_BASE",
]
OUR_NAMES = sorted(name for name in vars(ours) if name.isupper())


def component_paths() -> list[str]:
    paths = [
        value
        for name in OUR_NAMES
        if isinstance(value := getattr(ours, name), str) and re.fullmatch(r"\w+(\.\w+)+\.[A-Z]\w+", value)
    ]
    for name in COMPONENT_DICTS:
        table = getattr(ours, name, {})
        paths += [path for path, order in table.items() if order is not None and "." in path]
        paths += [path for path in table.values() if isinstance(path, str)]
    return sorted(set(paths))


@pytest.mark.parametrize("path", component_paths())
def test_a_component_named_in_settings_loads(path: str) -> None:
    assert inspect.isclass(load_object(path))


SIGNALS = sorted(
    name for name in vars(signals) if not name.startswith("_") and name.islower() and name != "annotations"
)


@pytest.mark.parametrize("path", [path for path in component_paths() if path.startswith("webgraph_it.")])
def test_a_method_named_like_a_signal_is_connected_to_it(path: str) -> None:
    component = load_object(path)
    kinds = [kind for kind in component.__mro__ if kind is not object]
    source = "".join(inspect.getsource(inspect.getmodule(kind)) for kind in kinds)
    for name in SIGNALS:
        if name in vars(component):
            assert re.search(rf"connect\(\s*\w+\.{name},\s*(signal=)?signals\.{name}", source), name


def test_the_defaults_are_right_values() -> None:
    check(project_settings())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SCOPE_SURTS", "[3]"),
        ("HOST_DELAY", "-1"),
        ("HOST_DELAY", "soon"),
        ("HOST_DELAY", "nan"),
        ("MAX_TCP_CONNECTIONS", "0"),
        ("MAX_TCP_CONNECTIONS", "1.5"),
        ("DNS_SERVERS", '["dns.example"]'),
        ("PORT_MAP", '{"80": 99999}'),
        ("PORT_MAP", "80"),
        ("ALLOWED_PORTS", "ftp"),
        ("ALLOWED_PORTS", "[70000]"),
        ("ALLOWED_PORTS", '["22"]'),
        ("ALLOWED_PRIVATE_NETWORKS", '["127.0.0.1/8"]'),
        ("MIN_FREE_DISK", "much"),
        ("FRONTIER_ORDER", "depth"),
        ("CONTACT_URL", "me"),
        ("COMMIT_INTERVAL", "never"),
        ("BANDWIDTH_SCHEDULE", '[["always", "fast"]]'),
        ("EXTRACT_EMBEDDED", "perhaps"),
        ("LINK_KINDS_ARCS", '["banana"]'),
        ("LINK_KINDS_FOLLOWED", '["a", "banana"]'),
        ("GRAPH_WRITER", "no.such"),
        ("GRAPH_WRITER", "webgraph_it.shards.writer.NoSuch"),
        ("GRAPH_WRITER", "pathlib.Path"),
        ("COMMIT_INTERVAL", "0"),
        ("COMMIT_INTERVAL", "0.01"),
        ("DOWNLOAD_TIMEOUT", "0"),
        ("DOWNLOAD_SILENCE_TIMEOUT", "0"),
        ("CONNECT_TIMEOUT", "0"),
        ("DNS_TRY_TIMEOUT", "0"),
        ("EXTRACT_TIMEOUT", "0"),
        ("DNS_SERVERS", '["127.0.0.1:99999"]'),
        ("DNS_SERVERS", '["127.0.0.1:0"]'),
        ("DNS_SERVERS", '["300.0.0.1"]'),
        ("KNOWN_SETTINGS", "[3]"),
        ("MAX_REPEATED_SEGMENTS", "1"),
        ("MAX_BODY_BYTES", "9" * 400),
        ("SCHEDULE_TIMEZONE", "Europe"),
        ("SCOPE_SURTS", "[" * 100_000),
    ],
)
def test_a_wrong_value_is_one_sentence_naming_setting_value_and_what_is_expected(
    name: str, value: str
) -> None:
    with pytest.raises(SettingsError) as refusal:
        check(project_settings(**{name: value}))
    sentence = str(refusal.value)
    assert name in sentence
    assert value[:100] in sentence
    assert len(sentence) < 500
    assert "expected" in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("SCOPE_SURTS", '["it,", "com,esempio)/italia/"]', ["it,", "com,esempio)/italia/"]),
        ("SCOPE_SURTS", "it,unipd,", ["it,unipd,"]),
        ("DNS_SERVERS", '["127.0.0.1:5353"]', ["127.0.0.1:5353"]),
        ("DNS_SERVERS", "127.0.0.1:5353,127.0.0.2", ["127.0.0.1:5353", "127.0.0.2"]),
        ("DNS_SERVERS", '["[::1]:53"]', ["[::1]:53"]),
        (
            "GRAPH_WRITER",
            "webgraph_it.shards.writer.UnbufferedWriter",
            "webgraph_it.shards.writer.UnbufferedWriter",
        ),
        ("COMMIT_INTERVAL", "0.1", 0.1),
        ("PORT_MAP", '{"80": 8080}', {"80": 8080}),
        ("ALLOWED_PORTS", "[22, 6667]", [22, 6667]),
        ("ALLOWED_PORTS", "22,6667", [22, 6667]),
        ("MIN_FREE_DISK", "2 GB", 2_000_000_000),
        ("MAX_BODY_BYTES", "500K", 500_000),
        ("HOST_DELAY", "1.5", 1.5),
        ("EXTRACT_EMBEDDED", "True", True),
        ("BANDWIDTH_SCHEDULE", '["*", "400 KB/s"]', [["*", "400 KB/s"]]),
        ("EXTRACT_MEMORY", "1.5 GiB", 1_610_612_736),
    ],
)
def test_a_value_as_typed_becomes_a_value_of_its_type(name: str, typed: str, value: object) -> None:
    settings = project_settings(**{name: typed})
    check(settings)
    assert settings.get(name) == value


def test_scrapy_loads_the_defaults_of_the_table() -> None:
    settings = project_settings()
    assert {name: settings.get(name) for name in TABLE} == {name: row.default for name, row in TABLE.items()}


def test_every_setting_that_scrapy_loads_from_us_is_in_the_table_or_scrapys() -> None:
    assert set(OUR_NAMES) - set(Settings()) - set(TABLE) == set()


def test_a_default_that_scrapy_changes_leaves_the_table_as_it_is() -> None:
    project_settings()["LINK_KINDS_FOLLOWED"].append("css")
    assert TABLE["LINK_KINDS_FOLLOWED"].default == []


def test_reading_a_value_twice_changes_nothing() -> None:
    once = typed()
    assert typed(**once) == once


def test_the_values_cannot_be_set() -> None:
    with pytest.raises(AttributeError, match="HOST_DELAY cannot be set"):
        CrawlSettings.read({}).HOST_DELAY = 0.0


def test_the_table_imports_no_scrapy() -> None:
    code = "import sys, webgraph_it.settings, webgraph_it.crawl.values; print('scrapy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


# -- no other default --------------------------------------------------------------------------------------------

WITHOUT_DEFAULT = {
    FetchSettings: "connection_cap idle_cap idle_seconds connect_seconds total_seconds silence_seconds limits port_map "
    "allowed_ports",
    DnsSettings: "servers timeout minimum_ttl maximum_ttl negative_ttl cache_size ipv6",
    ResponseLimits: "head_bytes header_count body_bytes",
    Politeness: "host_delay_seconds delay_factor address_delay_seconds crawl_delay_max_seconds retry_times "
    "back_off_seconds park_seconds",
    Limits: "max_pages_per_host max_depth max_host_depth max_queries_per_path max_same_content max_hosts_per_domain",
    RobotsPolicy: "retry_seconds",
    Scope: "surts fetch_only exclusions allowed_ports excluded_extensions max_url_length max_path_segments "
    "max_repeated_segments",
    read_seeds: "surts",
    LinkPolicy: "arcs followed plain_text",
    link_policy: "arcs followed embedded plain_text",
    WorkerPool: "workers cpu_seconds memory_bytes",
    parse_schedule: "timezone",
    Plan: "value path timezone",
}
"""What the parts of a crawl are given by settings."""


@pytest.mark.parametrize("part", WITHOUT_DEFAULT, ids=lambda part: part.__name__)
def test_what_a_setting_gives_has_no_second_default(part: Callable[..., object]) -> None:
    parameters = inspect.signature(part).parameters
    names = WITHOUT_DEFAULT[part].split()
    assert [name for name in names if parameters[name].default is not inspect.Parameter.empty] == []


def test_no_setting_of_ours_is_asked_for_with_a_default_of_the_callers() -> None:
    """`settings.getint("MAX_BODY_BYTES", 5_000_000)` would be a second default."""
    asked = re.compile(r'\.get(?!priority)\w*\(\s*"([A-Z_]+)"(?:,\s*(?!CrawlSettings)[^)\s]|\) or )')
    assert [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in SOURCE.rglob("*.py")
        for name in asked.findall(path.read_text())
        if name in TABLE
    ] == []


DELAYS = [
    *("HOST_DELAY", "DELAY_FACTOR", "ADDRESS_DELAY", "CRAWL_DELAY_MAX"),
    *("RETRY_TIMES", "BACK_OFF", "PARK_SECONDS"),
]
LIMITS = [
    *("MAX_PAGES_PER_HOST", "MAX_DEPTH", "MAX_HOST_DEPTH"),
    *("MAX_QUERIES_PER_PATH", "MAX_SAME_CONTENT", "MAX_HOSTS_PER_DOMAIN"),
]
FETCHING = [
    *("MAX_TCP_CONNECTIONS", "MAX_IDLE_CONNECTIONS", "KEEP_ALIVE_SECONDS"),
    *("CONNECT_TIMEOUT", "DOWNLOAD_TIMEOUT", "DOWNLOAD_SILENCE_TIMEOUT"),
]
RESPONSES = ["MAX_HEADER_BYTES", "MAX_HEADER_COUNT", "MAX_BODY_BYTES"]
DNS = ["DNS_TRY_TIMEOUT", "DNS_MIN_TTL", "DNS_MAX_TTL", "DNS_NEGATIVE_TTL", "DNS_CACHE_SIZE"]


def test_each_part_of_a_crawl_gets_its_own_setting(tmp_path: Path) -> None:
    """Every setting has a value that no other has."""
    value = {name: 200 - n for n, name in enumerate((*FETCHING, *RESPONSES, *DNS, *DELAYS, *LIMITS))}
    values = typed(
        **value, ALLOWED_PORTS=[22], PORT_MAP={"80": 8080}, DNS_SERVERS=["127.0.0.9"], DNS_IPV6=True
    )

    scheduler = FrontierScheduler.from_crawler(get_crawler(settings_dict={**values, "JOBDIR": str(tmp_path)}))
    assert scheduler._politeness == Politeness(*(value[name] for name in DELAYS))
    assert scheduler.limits == Limits(*(value[name] for name in LIMITS))
    responses = ResponseLimits(*(value[name] for name in RESPONSES))
    assert fetch_settings(values) == FetchSettings(
        *(value[name] for name in FETCHING), responses, {80: 8080}, frozenset([22])
    )
    assert dns_settings(values) == DnsSettings(("127.0.0.9",), *(value[name] for name in DNS), True)


# -- the page ------------------------------------------------------------------------------------------------------

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs/settings.md"


def test_the_page_is_the_one_that_the_table_makes() -> None:
    """If not: python -m webgraph_it.settings_page > docs/settings.md"""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_page_says_every_default() -> None:
    """Read from the page as a reader does, and compared by value."""
    cells = [
        line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    said = {cell[0].removeprefix("| ").strip("`"): cell[1].strip().strip("`") for cell in cells}
    values = {name: row.read(said[name]) for name, row in TABLE.items()}
    assert said.keys() == TABLE.keys()
    assert values == typed()


def test_a_default_that_another_page_mentions_is_the_default() -> None:
    """`KEEP_ALIVE_SECONDS` (15 s), `MAX_IDLE_CONNECTIONS` (4,000): a number in brackets after a name."""
    mentioned = re.compile(r"`([A-Z_]+)` \((\d[\d,.]*)(?: ([KMGT]i?B))?\b")
    said = [
        (page.name, name, size_bytes(number.replace(",", "") + unit), float(TABLE[name].default_value))
        for page in (PROJECT / "README.md", *PROJECT.glob("docs/*.md"))
        for name, number, unit in mentioned.findall(page.read_text(encoding="utf-8"))
        if name in TABLE
    ]
    assert len(said) >= 5
    assert [mention for mention in said if mention[2] != mention[3]] == []
