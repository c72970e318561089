"""Every component named in the settings loads, and every handler it defines is connected to its signal."""

import inspect
import re
from pathlib import Path

import pytest
from scrapy import signals
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from webgraph_it import settings as ours
from webgraph_it.crawl.values import CHECKS, SettingsError, check

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
def test_a_component_named_in_settings_loads(path):
    assert inspect.isclass(load_object(path))


SIGNALS = sorted(
    name for name in vars(signals) if not name.startswith("_") and name.islower() and name != "annotations"
)


@pytest.mark.parametrize("path", [path for path in component_paths() if path.startswith("webgraph_it.")])
def test_a_method_named_like_a_signal_is_connected_to_it(path):
    component = load_object(path)
    source = inspect.getsource(inspect.getmodule(component))
    for name in SIGNALS:
        if name in vars(component):
            assert re.search(rf"connect\(\s*\w+\.{name},\s*(signal=)?signals\.{name}", source), name


def project_settings(**changes: object) -> Settings:
    settings = Settings()
    settings.setmodule(ours, priority="project")
    settings.setdict(changes, priority="cmdline")
    return settings


def test_the_defaults_are_right_values():
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
        ("GRAPH_WRITER", "webgraph_it.graph.writer.NoSuch"),
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
    ],
)
def test_a_wrong_value_is_one_sentence_naming_setting_value_and_what_is_expected(name, value):
    with pytest.raises(SettingsError) as refusal:
        check(project_settings(**{name: value}))
    sentence = str(refusal.value)
    assert name in sentence
    assert value in sentence
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
            "webgraph_it.graph.writer.UnbufferedWriter",
            "webgraph_it.graph.writer.UnbufferedWriter",
        ),
        ("COMMIT_INTERVAL", "0.1", 0.1),
        ("PORT_MAP", '{"80": 8080}', {"80": 8080}),
        ("ALLOWED_PORTS", "[22, 6667]", [22, 6667]),
        ("ALLOWED_PORTS", "22,6667", [22, 6667]),
        ("MIN_FREE_DISK", "2 GB", 2_000_000_000),
        ("MAX_BODY_BYTES", "500K", 500_000),
        ("HOST_DELAY", "1.5", 1.5),
        ("EXTRACT_EMBEDDED", "True", True),
    ],
)
def test_a_value_as_typed_becomes_a_value_of_its_type(name, typed, value):
    settings = project_settings(**{name: typed})
    check(settings)
    assert settings.get(name) == value


def test_every_setting_of_ours_is_checked_or_scrapys():
    scrapy_names = set(Settings().keys())
    ours_alone = {name for name in OUR_NAMES if name not in scrapy_names}
    assert ours_alone - set(CHECKS) == set()


def test_every_setting_of_ours_is_documented():
    page = (Path(__file__).parents[1] / "docs/settings.md").read_text()
    scrapy_names = set(Settings().keys())
    missing = [name for name in OUR_NAMES if name not in scrapy_names and f"`{name}`" not in page]
    assert missing == []
