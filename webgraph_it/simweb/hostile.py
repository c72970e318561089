"""The hostile corner: servers that try to hang, flood or mislead a crawler. Only with --hostile.

There is one host for each kind of attack, named after it. Nothing leaves 127.0.0.0/8. Attackers answer from healthy
addresses like all hosts. They point to DECOYS, where a listener records every visitor. An event in
the hit log whose address is outside hosts.HEALTHY means that a crawler was misled.

    ATTACKS        what is sent in answer to any path but robots.txt
    DNS_ATTACKS    what DNS says instead of the host's address
    WILDCARD       a domain below which every name is a host, and each links to new ones
    BROKEN_TLS_…   addresses whose HTTPS port does not speak TLS
"""

from collections.abc import Callable, Iterator
from html import escape
from itertools import count, repeat

from webgraph_it.simweb.answers import Answer
from webgraph_it.simweb.hosts import Addresses, Host
from webgraph_it.simweb.html_bombs import BOMBS
from webgraph_it.simweb.packed_bombs import PACKED, packed, zeros
from webgraph_it.simweb.plan import Plan

DECOYS = ("127.2.0.1", "127.0.0.1")
BROKEN_TLS_GARBAGE_ADDRESS = "127.1.253.1"
BROKEN_TLS_SILENT_ADDRESS = "127.1.253.2"
DRIP_SECONDS = 0.5
BOMB_BYTES = 256 << 20
WILDCARD = "hostile-wildcard"
WILDCARD_FIRST_LINKS, WILDCARD_LINKS = 50_000, 20
WILDCARD_MORE = "/altri/"
"""Another page like the front page, with the next WILDCARD_FIRST_LINKS hosts. No page links to it."""
WILDCARD_BOUND = 300
"""Hosts below it that a crawl with simweb's settings contacts."""
_BLOCK_BYTES = 1 << 20

_MANY_ADDRESSES = tuple(f"127.1.{200 + n // 250}.{1 + n % 250}" for n in range(3_999))

DNS_ATTACKS: dict[str, Callable[[Host, int], tuple[str, ...]]] = {
    "hostile-dns-forbidden": lambda host, asked: (DECOYS[0],),
    "hostile-dns-mixed": lambda host, asked: (DECOYS[0], host.address),
    "hostile-dns-many": lambda host, asked: (host.address, *_MANY_ADDRESSES),
    "hostile-dns-rebinding": lambda host, asked: (host.address if asked == 0 else DECOYS[0],),
}
_BROKEN_TLS = {
    "hostile-tls-garbage": BROKEN_TLS_GARBAGE_ADDRESS,
    "hostile-tls-silence": BROKEN_TLS_SILENT_ADDRESS,
}

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
_LINKS = b'<p><a href="/ancora.html">ancora</a> tempo perso</p>\n' * 400
Script = Iterator[tuple[float, bytes]]


# -- scripts: pauses and bytes, without end -----------------------------------------------------------------


def _silence() -> Script:
    yield from repeat((3600.0, b""))


def _drip_head() -> Script:
    yield 0.0, _OK + b"X-Goccia: "
    yield from repeat((DRIP_SECONDS, b"a"))


def _drip_body() -> Script:
    yield 0.0, _OK + b"Content-Length: 1000000\r\n\r\n<html><body>"
    yield from repeat((DRIP_SECONDS, b"a"))


def _endless_headers() -> Script:
    yield 0.0, _OK
    for number in count():
        yield 0.0, b"".join(b"X-Riga-%d-%d: riempitivo\r\n" % (number, n) for n in range(1000))


def _endless_body() -> Script:
    yield 0.0, _OK + b"Transfer-Encoding: chunked\r\n\r\n"
    yield from repeat((0.0, b"%x\r\n%b\r\n" % (len(_LINKS), _LINKS)))


def _endless_chunk() -> Script:
    yield 0.0, _OK + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffff\r\n"
    yield from repeat((0.0, _LINKS))


def _huge_header() -> Script:
    yield 0.0, _OK + b"X-Enorme: " + b"a" * 1_000_000 + b"\r\nContent-Length: 2\r\n\r\nok"


_SCRIPTS: dict[str, Callable[[], Script]] = {
    "hostile-silence": _silence,
    "hostile-drip-head": _drip_head,
    "hostile-drip-body": _drip_body,
    "hostile-endless-headers": _endless_headers,
    "hostile-endless-body": _endless_body,
    "hostile-endless-chunk": _endless_chunk,
    "hostile-huge-header": _huge_header,
}


def _play(script: Callable[[], Script]) -> Callable[[str], Answer]:
    return lambda path: Answer(200, b"", keep=False, script=script)


# -- bombs --------------------------------------------------------------------------------------------------


def _packed_bomb(path: str) -> Answer:
    number = path.strip("/").partition(".")[0]
    if path == "/sitemap.xml.gz":
        return _whole(zeros("gzip"), (b"Content-Type: application/gzip",))
    if not number.isdecimal() or int(number) >= len(PACKED):
        return _index([f"/{n}.html" for n in range(len(PACKED))] + ["/sitemap.xml.gz"])
    coding, _ = PACKED[int(number)]
    headers = (b"Content-Type: text/html", b"Content-Encoding: " + coding.encode())
    return _whole(packed(int(number)), headers)


def _html_bomb(path: str) -> Answer:
    number = path.strip("/").partition(".")[0]
    if not number.isdecimal() or int(number) >= len(BOMBS):
        return _index([f"/{n}.html" for n in range(len(BOMBS))])
    return _whole(BOMBS[int(number)](), (b"Content-Type: text/html; charset=utf-8",))


# -- words for a terminal -------------------------------------------------------------------------------------

_TYPES = (
    b"text/\x1b[2J\x1b]0;rubato\x07html",
    b"text/html\x9b31m",
    b"text/" + b"lungo" * 12_000,
    "text/h\u202elmt".encode(),
    b"text/html; charset=\x1b[31m",
    b"%s/%n" + b"\r" * 10,
)


def _media_types(path: str) -> Answer:
    number = path.strip("/").partition(".")[0]
    if not number.isdecimal() or int(number) >= len(_TYPES):
        return _index([f"/{n}.html" for n in range(len(_TYPES))])
    start = b"HTTP/1.1 200 \x1b[2JOK"
    return _whole(b"<p>ciao", (b"Content-Type: " + _TYPES[int(number)],), start)


# -- words for a browser ----------------------------------------------------------------------------------------

_MARKUP = (
    "<script>window.owned=1</script>",
    '"><img src=x onerror="window.owned=1">',
    "<svg/onload=window.owned=1>",
    "'-(window.owned=1)-'",
    "</title></td></table><script>window.owned=1</script>",
    "{{window.owned=1}}",
)
"""Each sets `owned` in a page that takes it for markup or script."""
_MARKUP_TYPE = "/tipo.html"


def _markup(path: str, tld: str) -> Answer:
    """Whoever shows titles, URLs, host names, media types or robots.txt of this host in a browser shows these."""
    if path == "/robots.txt":
        text = "".join(f"# {words}\nDisallow: /vietato/{words}\n" for words in _MARKUP)
        return _whole(f"User-agent: *\n{text}".encode(), (b"Content-Type: text/plain",))
    if path == _MARKUP_TYPE:
        return _whole(b"<p>ciao", (b"Content-Type: text/" + _MARKUP[2].encode(),))
    links = [f"/{words}" for words in _MARKUP] + [f"/cerca?q={words}" for words in _MARKUP]
    links += [f"http://{words}.hostile-markup.{tld}/" for words in _MARKUP]
    links += [f"javascript:{words}" for words in _MARKUP] + [_MARKUP_TYPE]
    body = f"<title>{escape(''.join(_MARKUP))}</title>" + "".join(
        f'<p><a href="{escape(link)}">{escape(link)}</a>\n' for link in links
    )
    return _whole(body.encode(), (b"Content-Type: text/html; charset=utf-8",))


# -- where not to go ----------------------------------------------------------------------------------------

_ASTRAY = (
    "http://127.2.0.1/",
    "https://127.2.0.1/",
    "http://2130837505/",
    "http://0x7f020001/",
    "http://0177.2.0.1/",
    "http://127.2.1/",
    "http://127.0.0.1/",
    "http://localhost/",
    "http://[::ffff:127.2.0.1]/",
    "http://hostile-dns-forbidden.{tld}/segreto.html",
)


def _redirect(path: str, tld: str) -> Answer:
    number = path.strip("/").partition(".")[0]
    if not number.isdecimal() or int(number) >= len(_ASTRAY):
        return _index([f"/{n}.html" for n in range(len(_ASTRAY))])
    location = b"Location: " + _ASTRAY[int(number)].format(tld=tld).encode()
    return _whole(b"", (location,), b"HTTP/1.1 302 Found")


def _wildcard(path: str, tld: str) -> Answer:
    """50,000 new hosts on the front page, and 20 more on each of them. Page `/7/` is that of the host n7."""
    number = path.strip("/")
    own, links = (int(number), WILDCARD_LINKS) if number.isdecimal() else (0, WILDCARD_FIRST_LINKS)
    first = (own or path == WILDCARD_MORE) * WILDCARD_FIRST_LINKS + 1
    return _index([f"http://n{n}.{WILDCARD}.{tld}/{n}/" for n in range(first, first + links)])


def above_wildcard(name: str) -> str:
    """`n7.hostile-wildcard.it` → `hostile-wildcard.it`. Any other name is unchanged."""
    _, found, tld = name.partition(f".{WILDCARD}.")
    return f"{WILDCARD}.{tld}" if found else name


def _harmless(path: str) -> Answer:
    """Answered over HTTP by the hosts whose attack is in their DNS or in their TLS."""
    return _index(["/seconda.html"])


ATTACKS: dict[str, Callable[..., Answer]] = {
    **{kind: _play(script) for kind, script in _SCRIPTS.items()},
    "hostile-packed-bombs": _packed_bomb,
    "hostile-html-bombs": _html_bomb,
    "hostile-types": _media_types,
    "hostile-redirects": _redirect,
    "hostile-robots": _play(_endless_body),
    WILDCARD: _wildcard,
    **dict.fromkeys(_BROKEN_TLS, _harmless),
    **dict.fromkeys(DNS_ATTACKS, _harmless),
    "hostile-markup": _markup,
}
_LEADING_AWAY = ("hostile-redirects", WILDCARD, "hostile-markup")
"""These name other hosts, so they are told the top-level domain."""


def attack(host: Host, path: str) -> Answer | None:
    """The answer of a hostile host. None means the same as any other host (its robots.txt)."""
    (kind,) = host.traits
    if path == "/robots.txt" and kind not in ("hostile-robots", "hostile-markup"):
        return None
    return ATTACKS[kind](path, *[host.name.rpartition(".")[2]] * (kind in _LEADING_AWAY))


def is_hostile(host: Host) -> bool:
    return bool(host.traits & ATTACKS.keys())


def hostile_hosts(plan: Plan, first_number: int) -> list[Host]:
    """One host for each attack."""
    addresses = Addresses(plan, "hostile")
    return [
        Host(
            first_number + n,
            f"{kind}.it",
            plan.pages,
            1,
            _BROKEN_TLS.get(kind) or addresses.pick(),
            scheme="https" if kind in _BROKEN_TLS else "http",
            traits=frozenset({kind}),
        )
        for n, kind in enumerate(ATTACKS)
    ]


def _index(paths: list[str]) -> Answer:
    body = "".join(f'<p><a href="{path}">qui</a>\n' for path in paths).encode()
    return _whole(body, (b"Content-Type: text/html; charset=utf-8",))


def _whole(body: bytes, headers: tuple[bytes, ...], start: bytes = b"HTTP/1.1 200 OK") -> Answer:
    lines = [start, *headers, b"Content-Length: %d" % len(body), b"", b""]
    return Answer(int(start.split()[1]), b"\r\n".join(lines) + body)
