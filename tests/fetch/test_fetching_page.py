"""docs/fetching.md names every reason, flag, stat and setting of the engine."""

import re
from pathlib import Path

import pytest

from webgraph_it.fetch import decode, response_parser
from webgraph_it.fetch.dns import _REASONS
from webgraph_it.fetch.guard import Refusal
from webgraph_it.fetch.sockets import LOCAL
from webgraph_it.settings_table import TABLE
from webgraph_it.units import size_bytes

PROJECT = Path(__file__).parents[2]
PAGE = (PROJECT / "docs" / "fetching.md").read_text()
ROOM = PROJECT / "webgraph_it" / "fetch"
PARTS = PROJECT / "webgraph_it" / "engine" / "parts.py"
MODULES = ("client", "sockets", "connection", "response_head", "response_parser", "dns")
SOURCE = "".join((ROOM / f"{name}.py").read_text() for name in MODULES)

REASONS = set(re.findall(r'(?:FetchError|BadResponse)\(\s*"([a-z-]+)"', SOURCE)) | {
    *LOCAL.values(),
    "unreachable",
}
FLAGS = {getattr(decode, name) for name in ("BOMB", "UNDECODABLE", "PARTLY_DECODED")} | {
    getattr(response_parser, name) for name in ("CUT_BODY", "CUT_FRAMING", "DATA_LOSS", "NOT_CHUNKED")
}
SETTINGS = set(re.findall(r'settings(?:\.get\w*\(|\[)"([A-Z_0-9]+)"', PARTS.read_text()))
STATS = set(re.findall(r'_count\("([a-z_/]+)"', SOURCE)) | {"connections/peak"}


@pytest.mark.parametrize("name", sorted(REASONS | FLAGS))
def test_every_reason_and_flag_is_explained(name: str) -> None:
    assert f"`{name}`" in PAGE or f"fetch/error/{name}`" in PAGE


@pytest.mark.parametrize(
    "name", sorted({f"dns-{reason}" for reason in _REASONS.values()} | {r.value for r in Refusal})
)
def test_every_way_of_not_finding_an_address_is_explained(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", sorted(STATS))
def test_every_stat_is_named(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("row", re.findall(r"^\| [^|]+ \| (`[A-Z][^|]+) \| ([^|]+) \|", PAGE, re.MULTILINE))
def test_the_default_of_a_limit_is_that_of_the_table(row: tuple[str, str]) -> None:
    names, defaults = re.findall(r"`([A-Z_]+)`", row[0]), row[1].split(", ")
    said = [size_bytes(default.removesuffix(" each").removesuffix(" s")) for default in defaults]
    assert said == [TABLE[name].default_value for name in names]


@pytest.mark.parametrize(
    "name", sorted(SETTINGS - {"CONTACT_URL", "DNS_SERVERS", "PORT_MAP", "ROBOTS_RETRY_DELAY"})
)
def test_every_setting_of_the_engine_is_named(name: str) -> None:
    assert f"`{name}`" in PAGE
