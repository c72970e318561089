"""Settings as people type them, turned into values once, at the border.

A wrong value is one sentence naming the setting, what was found and what is expected. Lists and dicts given
with -s are JSON. After `check`, every setting in CHECKS holds a value of its true type.
"""

import json
import re
from collections.abc import Callable, Mapping
from ipaddress import ip_address, ip_network
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from webgraph_it.extract import KINDS
from webgraph_it.fetch.schedule import parse_schedule
from webgraph_it.urls import surt


class SettingsError(Exception):
    """One sentence for the operator."""


class Check(NamedTuple):
    expected: str
    parse: Callable[[Any], Any]


def check(settings: BaseSettings) -> None:
    """Replace each setting by its parsed value, or raise SettingsError."""
    for name, rule in CHECKS.items():
        check_one(settings, name, rule)


def check_one(settings: BaseSettings, name: str, rule: Check) -> None:
    """Replace one setting by its parsed value, or raise SettingsError."""
    found = settings.get(name)
    try:
        value = rule.parse(found)
    except (ValueError, TypeError, KeyError, NameError, ImportError):
        raise SettingsError(f"{name} is {found!r}; expected: {rule.expected}.") from None
    # One more than as typed: Scrapy merges the command line into the crawl's settings once again.
    settings.set(name, value, priority=(settings.getpriority(name) or 0) + 1)


# -- readers ------------------------------------------------------------------------------------------------


def _whole(least: int) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        number = int(value)
        if number < least or number != float(value):
            raise ValueError
        return number

    return parse


def _seconds(value: Any) -> float:
    seconds = float(value)
    if not 0 <= seconds < float("inf"):
        raise ValueError
    return seconds


def _time_limit(least: float = 0.001) -> Callable[[Any], float]:
    """Nothing can be done in no time."""

    def parse(value: Any) -> float:
        seconds = _seconds(value)
        if seconds < least:
            raise ValueError
        return seconds

    return parse


def _flag(value: Any) -> bool:
    return {"true": True, "1": True, "false": False, "0": False}[str(value).lower()]


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _texts(value: Any) -> list[str]:
    """A JSON list of texts; a single text, or several with commas, is what people type too."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        value = [part.strip() for part in value.split(",") if part.strip()]
    items = _json(value)
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise ValueError
    return list(items)


def _networks(value: Any) -> list[str]:
    return [str(ip_network(text)) for text in _texts(value)]


def _surts(value: Any) -> list[str]:
    """Prefixes end with a comma, as in `it,`: so commas do not separate them. One with a `-` excludes."""
    texts = [value] if isinstance(value, str) and not value.lstrip().startswith("[") else _texts(value)
    prefixes = [surt.signed_prefix(text) for text in texts]
    if all(prefix.startswith("-") for prefix in prefixes):
        raise ValueError
    return prefixes


def _ports(value: Any) -> dict[str, int]:
    ports = {str(int(port)): int(instead) for port, instead in dict(_json(value)).items()}
    if not all(0 < int(port) < 65536 and 0 < instead < 65536 for port, instead in ports.items()):
        raise ValueError
    return ports


def _port_numbers(value: Any) -> list[int]:
    ports = _json(f"[{value}]" if isinstance(value, str) and not value.lstrip().startswith("[") else value)
    if not isinstance(ports, list | tuple) or not all(
        type(port) is int and 0 < port < 65536 for port in ports
    ):
        raise ValueError
    return list(ports)


def _servers(value: Any) -> list[str]:
    servers = _texts(value)
    for server in servers:
        match = re.fullmatch(r"(?:([0-9.]+)|\[([0-9a-fA-F:.]+)\])(?::([0-9]{1,5}))?", server)
        if match is None or not 0 < int(match[3] or 53) < 65536:
            raise ValueError
        ip_address(match[1] or match[2])
    return servers


def _kinds(value: Any) -> list[str]:
    kinds = _texts(value)
    if not set(kinds) <= set(KINDS):
        raise ValueError
    return kinds


def _writer(value: Any) -> str:
    """A class with what the shards ask of a writer; it is loaded here so that a wrong path is found at once."""
    found = load_object(_text(value))
    if not all(hasattr(found, name) for name in ("write", "swap", "full")):
        raise ValueError
    return _text(value)


_UNITS: Mapping[str, int] = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


def _size(value: Any) -> int:
    match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?B?)\s*", str(value), re.IGNORECASE)
    if not match:
        raise ValueError
    unit = match[2].lower()
    return int(float(match[1]) * _UNITS[unit if unit in _UNITS else unit + "b"])


def _choice(*names: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if value not in names:
            raise ValueError
        return str(value)

    return parse


def _schedule(value: Any) -> list[list[str]]:
    parse_schedule(value)
    return [list(pair) for pair in _json(value)]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _web_address(value: Any) -> str:
    if value and not re.match(r"https?://\S+\.\S+", _text(value)):
        raise ValueError
    return _text(value)


_DELAY = Check("seconds, 0 or more, such as 1.5", _seconds)
_TIMEOUT = Check("seconds, more than 0, such as 20", _time_limit())
_COUNT = Check("a whole number, 1 or more", _whole(1))
_NUMBER = Check("a whole number, 0 or more", _whole(0))
_LIMIT = Check("a whole number, 0 or more (0 = no limit)", _whole(0))
_SIZE = Check("a size such as 500 MB or 2 GB", _size)
_FLAG = Check("true or false", _flag)

CHECKS: dict[str, Check] = {
    "SEEDS": Check("the path of a seed file", _text),
    "SCOPE_SURTS": Check(
        'a JSON list of SURT prefixes such as ["it,"], at least one of them without a -', _surts
    ),
    "ALLOWED_PORTS": Check("a JSON list of ports such as [6667]", _port_numbers),
    "EXCLUDED_EXTENSIONS": Check('a JSON list of extensions such as ["gif", "mp3"]', _texts),
    "CONTACT_URL": Check(
        "a page such as https://example.it/crawl that says who crawls and why", _web_address
    ),
    "HOST_DELAY": _DELAY,
    "DELAY_FACTOR": Check("a number, 0 or more (0 = off), times the last fetch", _seconds),
    "ADDRESS_DELAY": _DELAY,
    "CRAWL_DELAY_MAX": _DELAY,
    "RETRY_TIMES": _NUMBER,
    "BACK_OFF": _DELAY,
    "PARK_SECONDS": _DELAY,
    "ROBOTS_RETRY_DELAY": _DELAY,
    "MAX_TCP_CONNECTIONS": _COUNT,
    "BANDWIDTH_SCHEDULE": Check('a JSON list such as [["mon-fri 08:00-19:00", "1500 KB/s"]]', _schedule),
    "BANDWIDTH_SCHEDULE_FILE": Check("the path of a JSON file, or nothing", _text),
    "DNS_SERVERS": Check('a JSON list such as ["127.0.0.1:5353"]', _servers),
    "PORT_MAP": Check('a JSON object such as {"80": 8080, "443": 8443}', _ports),
    "ALLOWED_PRIVATE_NETWORKS": Check('a JSON list of networks such as ["127.0.0.0/8"]', _networks),
    "GRAPH_BUFFER": Check("sequences in a buffer, 1 or more", _whole(1)),
    "URLS_BUFFER": Check("sequences in a buffer, 1 or more", _whole(1)),
    "COMMIT_INTERVAL": Check("seconds between commits, 0.1 or more", _time_limit(0.1)),
    "CHECKPOINT_INTERVAL": Check("seconds between checkpoints, 0 = only when asked", _seconds),
    "MAX_URL_LENGTH": _LIMIT,
    "MAX_PATH_SEGMENTS": _LIMIT,
    "MAX_REPEATED_SEGMENTS": Check("0 (no limit), or 2 or more", lambda v: _whole(2)(v) if int(v) else 0),
    "MAX_PAGES_PER_HOST": _LIMIT,
    "MAX_DEPTH": _LIMIT,
    "MAX_HOST_DEPTH": _LIMIT,
    "MAX_QUERIES_PER_PATH": _LIMIT,
    "MAX_SAME_CONTENT": _LIMIT,
    "MAX_HOSTS_PER_DOMAIN": _LIMIT,
    "MIN_FREE_DISK": _SIZE,
    "MAX_BODY_BYTES": _SIZE,
    "DOWNLOAD_TIMEOUT": _TIMEOUT,
    "DOWNLOAD_SILENCE_TIMEOUT": _TIMEOUT,
    "CONNECT_TIMEOUT": _TIMEOUT,
    "MAX_HEADER_BYTES": _SIZE,
    "MAX_HEADER_COUNT": _COUNT,
    "MAX_IDLE_CONNECTIONS": _NUMBER,
    "KEEP_ALIVE_SECONDS": _DELAY,
    "DNS_TRY_TIMEOUT": _TIMEOUT,
    "DNS_MIN_TTL": _DELAY,
    "DNS_MAX_TTL": _DELAY,
    "DNS_NEGATIVE_TTL": _DELAY,
    "DNS_CACHE_SIZE": _COUNT,
    "DNS_IPV6": _FLAG,
    "LEAN_ENGINE": _FLAG,
    "GRAPH_WRITER": Check("the path of a writer class", _writer),
    "FROM_EMAIL": Check("an e-mail address, or nothing", _text),
    "SCHEDULE_TIMEZONE": Check("a time zone such as Europe/Rome", lambda zone: ZoneInfo(_text(zone)).key),
    "FRONTIER_ORDER": Check("breadth or level", _choice("breadth", "level")),
    "LINK_KINDS_ARCS": Check(f"a JSON list of some of {', '.join(KINDS)}", _kinds),
    "LINK_KINDS_FOLLOWED": Check(f"a JSON list of some of {', '.join(KINDS)}", _kinds),
    "EXTRACT_WORKERS": Check("processes, 0 = none, -1 = cores - 1", _whole(-1)),
    "EXTRACT_TIMEOUT": Check("seconds of CPU for one document, more than 0", _time_limit()),
    "EXTRACT_MEMORY": _SIZE,
    "EXTRACT_EMBEDDED": _FLAG,
    "EXTRACT_PLAIN_TEXT": _FLAG,
    "KNOWN_SETTINGS": Check('a JSON list of names such as ["MY_LIMIT"]', _texts),
}
