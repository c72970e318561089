"""Which lines of a robots.txt speak to us (RFC 9309, sections 2.1 to 2.2.4). Bytes in, one group out.

protego, which does the matching, differs from the RFC's authors about groups: it closes a group at an
unknown line and reads `User-agent: Foo Bar` as one name. So the groups are found here, and protego is given
ours alone, under `User-agent: *`. That also keeps what it holds in memory small.

Guarantees: total (any bytes give a group, nothing raises), linear in the length of the text. It does not
fetch, and knows nothing of status codes: see robots.py.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

MAX_TEXT_BYTES = 500 * 1024
"""Section 2.5: the parsing limit is at least 500 KiB."""
MAX_LINE_BYTES = 16 * 1024
"""A longer line is cut, so that it forbids more than it says; one that allows is left out instead."""


class Field(Enum):
    """The lines that we read. The value is how protego spells it."""

    USER_AGENT = "User-agent"
    ALLOW = "Allow"
    DISALLOW = "Disallow"
    CRAWL_DELAY = "Crawl-delay"
    REQUEST_RATE = "Request-rate"
    SITEMAP = "Sitemap"


# Section 2.2.4 lets crawlers accept common misspellings; these are the ones Google accepts, as prefixes.
_SPELLINGS = (
    (Field.USER_AGENT, (b"user-agent", b"useragent", b"user agent")),
    (Field.DISALLOW, (b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw")),
    (Field.ALLOW, (b"allow",)),
    (Field.CRAWL_DELAY, (b"crawl-delay", b"crawldelay", b"crawl delay")),
    (Field.REQUEST_RATE, (b"request-rate", b"request rate")),
    (Field.SITEMAP, (b"sitemap", b"site-map")),
)
_RULES = (Field.ALLOW, Field.DISALLOW)
_LINE_ENDS = re.compile(rb"[\r\n]+")
_PRODUCT_TOKEN = re.compile(rb"[A-Za-z_-]*")
_NOT_PRINTABLE_ASCII = re.compile(rb"[^\x20-\x7e]")
_LEADING_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
_ESCAPED_SLASH = re.compile("%2f", re.IGNORECASE)


@dataclass(slots=True)
class Group:
    """What the text says to one crawler."""

    lines: list[tuple[Field, str]] = field(default_factory=list)
    """Allow, Disallow, Crawl-delay and Request-rate, in order of appearance, ready to be matched."""
    sitemaps: list[str] = field(default_factory=list)
    """Of the whole file: a sitemap belongs to no group."""

    def rules(self) -> int:
        return sum(field in _RULES for field, _ in self.lines)

    def wildcards(self) -> int:
        return sum(value.count("*") for field, value in self.lines if field in _RULES)

    def protego_text(self) -> str:
        return "\n".join(["User-agent: *", *(f"{field.value}: {value}" for field, value in self.lines)])


@dataclass(slots=True)
class _OpenGroup:
    is_ours: bool = False
    is_everybodys: bool = False
    has_rule: bool = False
    lines: list[tuple[Field, str]] = field(default_factory=list)


def group_for(product_token: str, text: bytes) -> Group:
    """The lines of all groups that name the product token; else of all groups for `*`; else none."""
    token = product_token.lower().encode()
    sitemaps: list[str] = []
    ours: list[_OpenGroup] = []
    everybodys: list[_OpenGroup] = []
    group: _OpenGroup | None = None
    for field_, value in _records(text):
        if field_ is Field.SITEMAP:
            sitemaps.append(_text(value))
        elif field_ is Field.USER_AGENT:
            if group is None or group.has_rule:  # a user-agent line ends a group only after a rule
                group = _OpenGroup()
            if _names_everybody(value) and not group.is_everybodys:
                group.is_everybodys = True
                everybodys.append(group)
            elif _token_of(value) == token and not group.is_ours:
                group.is_ours = True
                ours.append(group)
        elif group is not None:  # a rule before the first user-agent line belongs to nobody
            group.has_rule |= field_ in _RULES
            if value:
                group.lines.append((field_, _cleaned(field_, value)))
    return Group([line for each in ours or everybodys for line in each.lines], sitemaps)


def comparable_query(path: str) -> str:
    """`/` and `%2F` are one in a query (section 2.2.2, second row of the table), though two in a path."""
    if "?" not in path:
        return path
    before, _, query = path.partition("?")
    return f"{before}?{_ESCAPED_SLASH.sub('/', query)}"


def first_part(body: bytes) -> bytes:
    """At most MAX_TEXT_BYTES, cut at a line's end, so that half a rule is never read as a whole one."""
    if len(body) <= MAX_TEXT_BYTES:
        return body
    head = body[: MAX_TEXT_BYTES + 1]
    return head[: max(head.rfind(b"\n"), head.rfind(b"\r"), 0)][:MAX_TEXT_BYTES]


def _records(text: bytes) -> Iterator[tuple[Field, bytes]]:
    for line in _LINE_ENDS.split(_as_utf8(text)):
        if record := _record(line):
            yield record


def _record(line: bytes) -> tuple[Field, bytes] | None:
    is_cut = len(line) > MAX_LINE_BYTES
    line = line[:MAX_LINE_BYTES].partition(b"#")[0].strip()
    name, colon, value = line.partition(b":")
    if not colon:  # `Disallow /private`: a common slip
        words = line.split()
        if len(words) != 2:
            return None
        name, value = words
    name = name.strip().lower()
    for field_, spellings in _SPELLINGS:
        if name.startswith(spellings):
            return None if is_cut and field_ is Field.ALLOW else (field_, value.strip())
    return None


def _as_utf8(text: bytes) -> bytes:
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return text.decode("utf-16", "replace").encode()
    return text.removeprefix(b"\xef\xbb\xbf")


def _names_everybody(value: bytes) -> bool:
    return value[:1] == b"*" and not value[1:2].strip()


def _token_of(value: bytes) -> bytes:
    """`WebGraph_it/1.0 (test)` names `webgraph_it`: what follows the product token does not matter."""
    found = _PRODUCT_TOKEN.match(value)
    return found[0].lower() if found else b""


def _cleaned(field_: Field, value: bytes) -> str:
    if field_ is Field.CRAWL_DELAY:
        return _seconds(_text(value))
    return comparable_query(_text(value)) if field_ in _RULES else _text(value)


def _seconds(text: str) -> str:
    """`0,5 secondi` is 0.5: a comma is a point in Italy, and the unit goes without saying."""
    found = _LEADING_NUMBER.match(text)
    return found[0].replace(",", ".") if found else text


def _text(value: bytes) -> str:
    """Printable ASCII: every other octet becomes its escape, whatever encoding it came from."""
    return _NOT_PRINTABLE_ASCII.sub(lambda octet: b"%%%02X" % ord(octet[0]), value).decode("ascii")
