"""Finds the lines of a robots.txt that apply to us (RFC 9309, sections 2.1 to 2.2.4). Bytes in, one group out.

protego reads groups differently from the RFC's authors: it closes a group at an unknown line and reads
`User-agent: Foo Bar` as one name. So the groups are found here, and protego reads only the delays of ours.

Guarantees: total (any bytes give a group, nothing raises), linear in the length of the text: about a microsecond
a line. It does not fetch, and does not know status codes: see policy.py.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

MAX_TEXT_BYTES = 500 * 1024
"""Section 2.5: the parsing limit is at least 500 KiB."""
MAX_LINE_BYTES = 16 * 1024
"""A longer disallow line is truncated, so that it forbids more than it says. A longer allow line is ignored."""


class Field(Enum):
    """The lines that we read. The value is how protego spells it."""

    USER_AGENT = "User-agent"
    ALLOW = "Allow"
    DISALLOW = "Disallow"
    CRAWL_DELAY = "Crawl-delay"
    REQUEST_RATE = "Request-rate"
    SITEMAP = "Sitemap"


# Section 2.2.4 allows common misspellings. These are the ones that Google accepts, as prefixes.
_SPELLINGS = (
    (Field.USER_AGENT, "user-agent|useragent|user agent"),
    (Field.DISALLOW, "disallow|dissallow|dissalow|disalow|diasllow|disallaw"),
    (Field.ALLOW, "allow"),
    (Field.CRAWL_DELAY, "crawl-delay|crawldelay|crawl delay"),
    (Field.REQUEST_RATE, "request-rate|request rate"),
    (Field.SITEMAP, "sitemap|site-map"),
)
_USER_AGENT, _ALLOW, _DISALLOW = Field.USER_AGENT, Field.ALLOW, Field.DISALLOW  # looked up once, not per line
_FIELDS = (Field.USER_AGENT, *(field for field, _ in _SPELLINGS))  # groups of a pattern are counted from 1
_BLANKS = " \t\x0b\x0c"
_NAME = re.compile(
    f"[{_BLANKS}]*(?:{'|'.join(f'({spelling})' for _, spelling in _SPELLINGS)})", re.IGNORECASE | re.ASCII
)
_PRODUCT_TOKEN = re.compile("[A-Za-z_-]*")
_ESCAPES = {octet: f"%{octet:02X}" for octet in range(256) if not 0x20 <= octet <= 0x7E}
_LEADING_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_DELAYS = 100
"""Only the last ones are read: a delay without a value is skipped."""


@dataclass(slots=True, eq=False)
class Group:
    """What the text says to one crawler."""

    allows: list[str] = field(default_factory=list)
    """Paths as written, one character per octet."""
    disallows: list[str] = field(default_factory=list)
    delays: list[tuple[Field, str]] = field(default_factory=list)
    """Crawl-delay and Request-rate, in order of appearance."""
    sitemaps: list[str] = field(default_factory=list)
    """From the whole file: a sitemap does not belong to a group."""

    def __bool__(self) -> bool:
        return bool(self.allows or self.disallows or self.delays)

    def rules(self) -> int:
        return len(self.allows) + len(self.disallows)

    def wildcards(self) -> int:
        return "".join(self.allows).count("*") + "".join(self.disallows).count("*")

    def delays_text(self) -> str:
        """The delays as a robots.txt of their own, for protego."""
        lines = (f"{field.value}: {value}" for field, value in self.delays[-_MAX_DELAYS:])
        return "\n".join(["User-agent: *", *lines])


def group_for(product_token: str, text: bytes) -> Group:
    """The lines of all groups that name the product token; otherwise of all groups for `*`; otherwise none."""
    token = product_token.lower()
    ours, everybodys, sitemaps = Group(), Group(), list[str]()
    is_named = after_rule = after_delay = False
    readers: list[Group] = []  # whom a rule is for: a user-agent line after a rule begins a new group
    waiters: list[
        Group
    ] = []  # whom a delay is for: one after a delay, too (a delay is not for those named later)
    for field_, value in _records(text):
        if field_ is _DISALLOW or field_ is _ALLOW:
            after_rule = True
            for group in readers if value else ():
                (group.allows if field_ is _ALLOW else group.disallows).append(value)
        elif field_ is _USER_AGENT:
            readers = [] if after_rule else readers
            waiters = [] if after_rule or after_delay else waiters
            after_rule = after_delay = False
            if _names_everybody(value):
                readers, waiters = _with(everybodys, readers), _with(everybodys, waiters)
            elif _token_of(value) == token:
                is_named = True
                readers, waiters = _with(ours, readers), _with(ours, waiters)
        elif field_ is Field.SITEMAP:
            sitemaps.append(_text(value))
        else:
            after_delay = True
            for group in waiters if value else ():
                group.delays.append(
                    (field_, _seconds(value) if field_ is Field.CRAWL_DELAY else _text(value))
                )
    group = ours if is_named else everybodys
    group.sitemaps = sitemaps
    return group


def _with(group: Group, groups: list[Group]) -> list[Group]:
    return groups if group in groups else [*groups, group]


def first_part(body: bytes) -> bytes:
    """At most MAX_TEXT_BYTES, cut at the end of a line, so that half a rule is never read as a whole one."""
    if len(body) <= MAX_TEXT_BYTES:
        return body
    head = body[: MAX_TEXT_BYTES + 1]
    return head[: max(head.rfind(b"\n"), head.rfind(b"\r"), 0)][:MAX_TEXT_BYTES]


def _records(text: bytes) -> Iterator[tuple[Field, str]]:
    """Field and value of every line that has them; the value's octets as characters U+0000 to U+00FF."""
    fields: dict[str, Field | None] = {}
    for line in _as_octets(text).replace("\r", "\n").split("\n"):
        is_cut = len(line) > MAX_LINE_BYTES
        if is_cut:
            line = line[:MAX_LINE_BYTES]
        if "#" in line:
            line = line.partition("#")[0]
        name, colon, value = line.partition(":")
        if name not in fields:
            fields[name] = _field(name)
        field_ = fields[name]
        if field_ is None or (is_cut and field_ is _ALLOW):
            continue
        if not colon:  # `Disallow /private`: a common mistake
            words = line.encode("latin-1").split()
            if len(words) != 2:
                continue
            value = words[1].decode("latin-1")
        yield field_, value.strip(_BLANKS)


def _field(name: str) -> Field | None:
    match = _NAME.match(name)
    return None if match is None else _FIELDS[match.lastindex or 0]


def _as_octets(text: bytes) -> str:
    """One character per octet, without the byte order mark or the beginning of one."""
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = text.decode("utf-16", "replace").encode()
    mark = next(size for size in (3, 2, 1, 0) if text.startswith(_BYTE_ORDER_MARK[:size]))
    return text[mark:].decode("latin-1")


def _names_everybody(value: str) -> bool:
    return value[:1] == "*" and not value[1:2].strip(_BLANKS)


def _token_of(value: str) -> str:
    """`WebGraph_it/1.0 (test)` names `webgraph_it`: what follows the product token does not matter."""
    found = _PRODUCT_TOKEN.match(value)
    return found[0].lower() if found else ""


def _seconds(text: str) -> str:
    """`0,5 secondi` is 0.5: Italy writes a decimal comma, and the unit is always seconds."""
    found = _LEADING_NUMBER.match(text)
    return found[0].replace(",", ".") if found else _text(text)


def _text(value: str) -> str:
    """Printable ASCII: every other octet becomes its escape, whatever encoding it came from."""
    return value if value.isascii() and value.isprintable() else value.translate(_ESCAPES)
