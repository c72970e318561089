"""How the value of a setting is read: one Reader for each kind of value.

Pure. A reader accepts what `-s` gives (text, or JSON for lists and objects), what a settings module holds, and a value
that has been read before. Reading twice changes nothing. Anything else raises one of MISTAKES.
"""

import json
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlsplit
from zoneinfo import ZoneInfo

from webgraph_it.fetch.schedule import pairs_of, parse_entries
from webgraph_it.files.received import is_name
from webgraph_it.items import LINK_KINDS
from webgraph_it.units import size_bytes
from webgraph_it.urls import surt

T = TypeVar("T")

MISTAKES = (
    *(ValueError, TypeError, LookupError, ArithmeticError, RecursionError),
    *(AttributeError, ImportError, OSError),  # from loading a class or a time zone
)
"""The exceptions that a reader raises for a wrong value."""


class Advice(ValueError):
    """A wrong value about which there is more to say, in one sentence, than what was expected."""


@dataclass(frozen=True, slots=True)
class Reader(Generic[T]):
    """One kind of value."""

    read: Callable[[Any], T]
    expected: str
    """What an error message says was expected."""
    unit: str = ""


# -- numbers ------------------------------------------------------------------------------------------------


def whole_number(expected: str, unit: str, *, least: int, most: float = float("inf")) -> Reader[int]:
    """An integer, at least `least` and at most `most`."""

    def read(value: Any) -> int:
        number = int(value)
        if not least <= number <= most or number != float(value):
            raise ValueError
        return number

    return Reader(read, expected, unit)


def count(unit: str) -> Reader[int]:
    return whole_number("a whole number, 1 or more", unit, least=1)


def count_or_none(unit: str) -> Reader[int]:
    return whole_number("a whole number, 0 or more", unit, least=0)


def limit(unit: str) -> Reader[int]:
    return whole_number("a whole number, 0 or more (0 = no limit)", unit, least=0)


def number(expected: str, unit: str, *, least: float = 0.0) -> Reader[float]:
    """A finite number, at least `least`."""

    def read(value: Any) -> float:
        found = float(value)
        if not least <= found < float("inf"):
            raise ValueError
        return found

    return Reader(read, expected, unit)


def _share(value: Any) -> float:
    found = float(value)
    if not 0 <= found <= 1:
        raise ValueError
    return found


SHARE = Reader(_share, "a number from 0 to 1, such as 0.1", "")
SECONDS = number("seconds, 0 or more, such as 1.5", "s")
TIMEOUT = number("seconds, more than 0, such as 20", "s", least=0.001)


def _repetitions(value: Any) -> int:
    found = limit("").read(value)
    if found == 1:
        raise ValueError
    return found


REPETITIONS = Reader(_repetitions, "0 (no limit), or 2 or more", "repetitions")

SIZE = Reader(lambda value: size_bytes(str(value)), "a size such as 500 MB or 2 GB", "bytes")


# -- texts --------------------------------------------------------------------------------------------------


def text(expected: str) -> Reader[str]:
    return Reader(_text, expected)


def one_of(*names: str) -> Reader[str]:
    def read(value: Any) -> str:
        if value not in names:
            raise ValueError
        return str(value)

    return Reader(read, " or ".join(names))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _page_or_nothing(value: Any) -> str:
    if value and not re.match(r"https?://\S+\.\S+", _text(value)):
        raise ValueError
    return _text(value)


def _name_or_nothing(value: Any) -> str:
    if value and not is_name(value):
        raise ValueError
    return _text(value)


def _languages(value: Any) -> str:
    if value and not re.fullmatch(r"[a-zA-Z0-9*;=,. -]+", _text(value)):
        raise ValueError
    return _text(value)


def _writer(value: Any) -> str:
    """Loads the class, so that a wrong path is found before the crawl starts."""
    found = pkgutil.resolve_name(_text(value))
    if not all(hasattr(found, name) for name in ("write", "swap", "full")):
        raise ValueError
    return _text(value)


NAME = Reader(_name_or_nothing, "a name of letters, digits, `.`, `_` and `-`, or nothing")
LANGUAGES = Reader(_languages, "languages such as it,en;q=0.5, or nothing")
TOKEN_FILE = text("the path of a file with two tokens, or nothing")


TLS_OPTIONS = frozenset(
    ("ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname")
)
"""What may follow the `?` of rediss://. Everything else about the connection is ours."""


def _transport(value: Any) -> str:
    """Refuses also a password with a `/`, `?` or `#` that is not quoted, because it ends the host."""
    found = _text(value)
    if found == "local" or _is_server(found):
        return found
    if "://" in found and "@" in found:
        raise Advice("In a password write /, ?, # and % as %2F, %3F, %23 and %25.")
    raise ValueError


def _is_server(found: str) -> bool:
    if not found.startswith(("redis://", "rediss://")):
        return False
    parts = urlsplit(found)
    options = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    known = TLS_OPTIONS if parts.scheme == "rediss" else frozenset()
    try:
        is_place = bool(parts.hostname) and parts.port != 0
    except ValueError:  # the port is no number
        return False
    is_database = bool(re.fullmatch("(/[0-9]{0,9})?", parts.path))
    return is_place and is_database and not options - known and not parts.fragment


FILE = text("the path of a JSON file, or nothing")
TOML_FILE = text("the path of a TOML file, or nothing")
FOLDER = text("the JOBDIR of an earlier crawl, or nothing")
PAGE = Reader(_page_or_nothing, "a page such as https://example.it/crawl that says who crawls and why")
TIMEZONE = Reader(lambda value: ZoneInfo(_text(value)).key, "a time zone such as Europe/Rome")
WRITER = Reader(_writer, "the path of a writer class")
FLEET_TRANSPORT = Reader(
    _transport,
    "local, or a server such as redis://broker.example:6379/0 or rediss://user:password@broker.example/0",
)
FLAG = Reader(
    lambda value: {"true": True, "1": True, "false": False, "0": False}[str(value).lower()], "true or false"
)


# -- lists and objects --------------------------------------------------------------------------------------


def texts(expected: str) -> Reader[list[str]]:
    """A JSON list of texts. A single text, or several separated by commas, is accepted, too."""
    return Reader(_texts, expected)


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _is_bare(value: Any) -> bool:
    """True for a list typed without brackets."""
    return isinstance(value, str) and not value.lstrip().startswith("[")


def _texts(value: Any) -> list[str]:
    if _is_bare(value):
        value = [part.strip() for part in value.split(",") if part.strip()]
    items = _json(value)
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise TypeError
    return list(items)


FOLDERS = texts('a JSON list of crawl directories such as ["crawls/italy-1", "crawls/italy-2"]')
PATHS = (FILE, TOML_FILE, TOKEN_FILE, FOLDER, FOLDERS)
"""The crawl stores the absolute path, so that it can be resumed from another working directory."""


def _surts(value: Any) -> list[str]:
    """Spaces separate prefixes where there are no brackets, because a prefix ends with a comma, as in `it,`."""
    prefixes = [surt.signed_prefix(item) for item in (value.split() if _is_bare(value) else _texts(value))]
    if all(prefix.startswith("-") for prefix in prefixes):
        raise ValueError
    return prefixes


def _kinds(value: Any) -> list[str]:
    kinds = _texts(value)
    if not set(kinds) <= set(LINK_KINDS):
        raise ValueError
    return kinds


def _ports(value: Any) -> list[int]:
    ports = _json(f"[{value}]" if _is_bare(value) else value)
    if not isinstance(ports, list | tuple) or not all(_is_port(port) for port in ports):
        raise ValueError
    return list(ports)


def _port_map(value: Any) -> dict[str, int]:
    ports = {str(int(port)): int(instead) for port, instead in dict(_json(value)).items()}
    if not all(_is_port(int(port)) and _is_port(instead) for port, instead in ports.items()):
        raise ValueError
    return ports


def _is_port(port: Any) -> bool:
    return type(port) is int and 0 < port < 65536


def _servers(value: Any) -> list[str]:
    servers = _texts(value)
    for server in servers:
        match = re.fullmatch(r"(?:([0-9.]+)|\[([0-9a-fA-F:.]+)\])(?::([0-9]{1,5}))?", server)
        if match is None or not _is_port(int(match[3] or 53)):
            raise ValueError
        ip_address(match[1] or match[2])
    return servers


def listen_address(text: str) -> tuple[str, int]:
    """Address and port of `127.0.0.1:6060` or `[::1]:6060`; ValueError for anything else, a name too."""
    match = re.fullmatch(r"(?:([0-9.]+)|\[([0-9a-fA-F:.]+)\]):([0-9]{1,5})", text)
    if match is None or not _is_port(int(match[3])):
        raise ValueError
    return str(ip_address(match[1] or match[2])), int(match[3])


def _listen(value: Any) -> str:
    if _text(value):
        listen_address(value)
    return _text(value)


def _networks(value: Any) -> list[str]:
    return [str(ip_network(item)) for item in _texts(value)]


def _schedule(value: Any) -> list[list[str]]:
    parse_entries(value)
    return [list(pair) for pair in pairs_of(value)]


def _weights(value: Any) -> dict[str, int]:
    weights = dict(_json(value))
    for word, weight in weights.items():
        if not word.isalnum() or type(weight) is not int or abs(weight) > 1000:
            raise ValueError
    return {word.lower(): weight for word, weight in weights.items()}


WEIGHTS = Reader(_weights, 'a JSON object of words and whole numbers up to 1000 such as {"empregos": 10}')
SURTS = Reader(
    _surts,
    'a JSON list of SURT prefixes or hosts such as ["it,"], at least one of them without a -',
)
KINDS = Reader(_kinds, f"a JSON list of some of {', '.join(LINK_KINDS)}")
PORTS = Reader(_ports, "a JSON list of ports such as [6667]")
PORT_MAP = Reader(_port_map, 'a JSON object such as {"80": 8080, "443": 8443}')
SERVERS = Reader(_servers, 'a JSON list such as ["127.0.0.1:5353"]')
LISTEN = Reader(_listen, "an address and a port such as 127.0.0.1:6060, or nothing")
NETWORKS = Reader(_networks, 'a JSON list of networks such as ["127.0.0.0/8"]')
SCHEDULE = Reader(_schedule, 'a JSON list such as [["mon-fri 08:00-19:00", "1500 KB/s"]]')
