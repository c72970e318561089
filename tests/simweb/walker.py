"""A naive crawler, obviously correct: standard library, lxml and dnslib, no crawler code.

It fetches every page once, from the seeds on, a level at a time; it has no politeness and no memory of hosts
but their robots.txt.
"""

import http.client
import re
import socket
import ssl
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

import brotli
import dnslib
import lxml.html

from tests.simweb.readers import document_links

AGENT = "webgraph_it"
TRIES = 3
LAPS = 5
TRAP_PAGES = 30
ROBOTS_BYTES = 500 * 1024
RESOURCES = {
    *("stylesheet", "icon", "shortcut icon", "apple-touch-icon", "mask-icon", "preload", "prefetch"),
    *("modulepreload", "dns-prefetch", "preconnect", "prerender", "manifest", "pingback"),
}
EXTENSIONS = """
    bmp cab gif jpe jpg jpeg png tiff mid mp2 mp3 mp4 wav avi mov mpeg ram rm smil wmv ppt webp svg ico
    tif avif heic psd webm mkv flv m4v mpg 3gp ogv ogg oga flac aac m4a wma aif aiff woff woff2 ttf otf
    eot zip gz tgz bz2 xz 7z rar tar iso dmg exe msi apk jar deb rpm
"""
EXCLUDED = set(EXTENSIONS.split())


class NotThere(Exception):
    """The host does not resolve, or nothing listens."""


class Broken(Exception):
    """The connection ended without an answer."""


class Response(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


# -- names --------------------------------------------------------------------------------------------------


def clean(url: str) -> str | None:
    """http or https, without fragment, in ASCII."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = parts.port
    except (ValueError, UnicodeError):
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    shown = f":{port}" if port and port != {"http": 80, "https": 443}[parts.scheme] else ""
    path = quote(without_dots(parts.path or "/"), safe="/%:;()=&,~+!*'@$-._")
    query = f"?{quote(parts.query, safe='/%:;()=&,~+!*@$-._?')}" if parts.query else ""
    return f"{parts.scheme}://{host}{shown}{path}{query}"


def without_dots(path: str) -> str:
    return urlsplit(urljoin("http://x/", path)).path if "/." in path else path


def key(url: str) -> str:
    parts = urlsplit(url)
    labels = (parts.hostname or "").removeprefix("www.").split(".")
    path = re.sub(r";jsessionid=[^;/]*|/\(S\([^()/]*\)\)(?=/)", "", parts.path, flags=re.IGNORECASE)
    session = re.compile(
        r"(jsessionid|phpsessid|aspsessionid\w{8}|cfid|cftoken)=.*|sid=\w{32,}", re.IGNORECASE
    )
    query = "&".join(p for p in parts.query.split("&") if p and not session.fullmatch(p))
    whole = f"{path}?{query}" if query else path
    whole = re.sub("%[0-9a-fA-F]{2}", lambda escape: escape[0].upper(), whole)
    return ",".join(reversed(labels)) + ")" + whole


def excluded(url: str) -> bool:
    """What no crawler should ask for: a mail server, or a file without links."""
    if urlsplit(url).port == 25:
        return True
    name = urlsplit(url).path.lower().rpartition("/")[2]
    return not name.endswith(".xml.gz") and "." in name and name.rpartition(".")[2] in EXCLUDED


def spellings(url: str) -> list[str]:
    """The URL, then with the other scheme, and with and without www."""
    scheme, rest = url.split("://")
    other = {"http": "https", "https": "http"}[scheme]
    twin = rest.removeprefix("www.") if rest.startswith("www.") else f"www.{rest}"
    return [url, f"{other}://{rest}", f"{scheme}://{twin}", f"{other}://{twin}"]


# -- the network --------------------------------------------------------------------------------------------


class Network:
    """DNS and HTTP by the settings of a simulated web."""

    def __init__(self, settings: dict) -> None:
        address, port = settings["DNS_SERVERS"][0].split(":")
        self._name_server = (address, int(port))
        self._ports = {"http": settings["PORT_MAP"]["80"], "https": settings["PORT_MAP"]["443"]}
        self._addresses: dict[str, str] = {}
        self._context = ssl._create_unverified_context()

    def resolve(self, name: str) -> str:
        if name not in self._addresses:
            self._addresses[name] = self._ask(name)
        return self._addresses[name]

    def _ask(self, name: str) -> str:
        query = dnslib.DNSRecord.question(name)
        for _ in range(TRIES):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
                udp.settimeout(0.8)
                udp.sendto(query.pack(), self._name_server)
                try:
                    reply = dnslib.DNSRecord.parse(udp.recv(4096))
                except TimeoutError:
                    continue
            addresses = [str(record.rdata) for record in reply.rr if record.rtype == dnslib.QTYPE.A]
            if addresses:
                return addresses[0]
        raise NotThere(name)

    def get(self, url: str, cookie: str = "") -> Response:
        parts = urlsplit(url)
        address, port = self.resolve(parts.hostname or ""), self._ports[parts.scheme]
        if parts.scheme == "https":
            connection = http.client.HTTPSConnection(address, port, timeout=10, context=self._context)
        else:
            connection = http.client.HTTPConnection(address, port, timeout=10)
        try:
            connection.connect()
        except ConnectionRefusedError as error:
            raise NotThere(url) from error
        try:
            return self._exchange(connection, parts.netloc, url.partition(parts.netloc)[2], cookie)
        except (OSError, http.client.HTTPException) as error:
            raise Broken(url) from error
        finally:
            connection.close()

    def _exchange(
        self, connection: http.client.HTTPConnection, host: str, target: str, cookie: str
    ) -> Response:
        connection.putrequest("GET", target, skip_host=True, skip_accept_encoding=True)
        for name, value in {
            "Host": host,
            "User-Agent": AGENT,
            "Accept-Encoding": "gzip, deflate, br",
            **({"Cookie": cookie} if cookie else {}),
        }.items():
            connection.putheader(name, value)
        connection.endheaders()
        with connection.getresponse() as response:
            try:
                body = response.read()
            except http.client.IncompleteRead as error:
                body = error.partial
            headers = {name.lower(): value for name, value in reversed(response.getheaders())}
        return Response(response.status, headers, decoded(body, headers.get("content-encoding", "")))


def first_cookie(response: Response) -> str:
    return response.headers.get("set-cookie", "").partition(";")[0]


def decoded(body: bytes, coding: str) -> bytes:
    if coding == "gzip":
        return zlib.decompress(body, 31)
    if coding == "deflate":
        try:
            return zlib.decompress(body)
        except zlib.error:
            return zlib.decompress(body, -15)
    return brotli.decompress(body) if coding == "br" else body


# -- robots.txt ---------------------------------------------------------------------------------------------


def rules(text: str) -> list[tuple[str, bool]]:
    """The (pattern, allowed) pairs that concern us: our group's if there is one, else those of `*`."""
    groups: dict[str, list[tuple[str, bool]]] = {}
    agents: list[str] = []
    in_rules = False
    for line in text.splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        name, value = name.strip().lower(), value.strip()
        if name == "user-agent":
            agents = [*agents, value.lower()] if not in_rules else [value.lower()]
            in_rules = False
            for agent in agents:
                groups.setdefault(agent, [])
        elif name in ("allow", "disallow") and colon:
            in_rules = True
            for agent in agents:
                groups[agent] += [(value, name == "allow")] if value else []
    return groups.get(AGENT, groups.get("*", []))


def allowed(path: str, pairs: list[tuple[str, bool]]) -> bool:
    """The longest pattern that matches decides; between equals, allow."""
    matching = [(len(pattern), allow) for pattern, allow in pairs if regular(pattern).match(path)]
    return max(matching)[1] if matching else True


def regular(pattern: str) -> re.Pattern[str]:
    body = re.escape(pattern.removesuffix("$")).replace(r"\*", ".*")
    return re.compile(body + ("$" if pattern.endswith("$") else ""))


# -- pages --------------------------------------------------------------------------------------------------


def text_of(response: Response) -> str:
    declared = re.search(r"charset=([\w-]+)", response.headers.get("content-type", ""))
    meta = re.search(rb"charset=[\"']?([\w-]+)", response.body[:1024])
    if declared or meta:
        charset = declared[1] if declared else meta[1].decode()
        return response.body.decode(charset, "replace")  # a wrong length may cut a character in two
    try:
        return response.body.decode("utf-8")
    except UnicodeDecodeError:
        return response.body.decode("windows-1252")


def links_of(url: str, response: Response) -> list[str]:
    """Every hyperlink, absolute."""
    headers = response.headers
    if re.search("nofollow|none", headers.get("x-robots-tag", "")):
        return []
    links = re.findall(r"<([^>]*)>; rel=\"next\"", headers.get("link", ""))
    links += re.findall(r"url=(.*)", headers.get("refresh", ""))
    media_type = headers.get("content-type", "")
    if "text/html" not in media_type:
        return [urljoin(url, link) for link in links + document_links(media_type, response.body)]
    tree = lxml.html.document_fromstring(text_of(response))
    if any(re.search("nofollow|none", content, re.IGNORECASE) for content in robots_metas(tree)):
        return []
    base = urljoin(url, next(iter(tree.xpath("//base/@href")), ""))
    return [urljoin(base, link.strip()) for link in links + html_links(tree)]


def robots_metas(tree: lxml.html.HtmlElement) -> list[str]:
    return [m.get("content", "") for m in tree.iter("meta") if m.get("name", "").lower() in ("robots", AGENT)]


def html_links(tree: lxml.html.HtmlElement) -> list[str]:
    links = tree.xpath("//a/@href | //area/@href | //frame/@src | //iframe/@src")
    links += [
        e.get("href") for e in tree.iter("link") if e.get("href") and e.get("rel").lower() not in RESOURCES
    ]
    refreshes = [m.get("content") for m in tree.iter("meta") if m.get("http-equiv", "").lower() == "refresh"]
    return links + [url for content in refreshes for url in re.findall(r"url=(.*)", content)]


# -- the walk -----------------------------------------------------------------------------------------------


class Walker:
    """Walks from the seeds until nothing new is found; then `nodes` and `arcs` hold the graph in scope."""

    def __init__(self, seeds: list[str], settings: dict, trap_hosts: list[str]) -> None:
        self.nodes: dict[str, str] = {}
        self.arcs: set[tuple[str, str]] = set()
        self._network = Network(settings)
        self._seeds = seeds
        self._portals = [
            key(seed).rpartition("/")[0] + "/" for seed in seeds if not key(seed).startswith("it,")
        ]
        self._trap_hosts = trap_hosts
        self._rules: dict[str, list[tuple[str, bool]] | None] = {}
        self._listed: dict[str, str] = {}
        """What sitemaps list."""
        self._follows_sitemaps = settings.get("SITEMAPS", False)
        self._lock = threading.Lock()

    def walk(self) -> "Walker":
        level = {key(seed): seed for seed in self._seeds}
        with ThreadPoolExecutor(8) as pool:
            while level:
                found: dict[str, str] = {}
                for children in pool.map(lambda item: self._visit(*item), level.items()):
                    found |= children
                found |= self._listed
                level = {k: url for k, url in found.items() if k not in self.nodes and self._enough(k)}
        self.nodes = {k: state for k, state in self.nodes.items() if k.startswith("it,")}
        self.arcs = {(a, b) for a, b in self.arcs if a.startswith("it,") and b.startswith("it,")}
        return self

    def _enough(self, node: str) -> bool:
        """A trap is left after TRAP_PAGES pages."""
        trap = next((host for host in self._trap_hosts if node.startswith(host)), None)
        return trap is None or sum(k.startswith(trap) for k in self.nodes) < TRAP_PAGES

    def _visit(self, node: str, url: str) -> dict[str, str]:
        state, children = self._fetch_some_spelling(node, url)
        with self._lock:
            self.nodes[node] = state
            self.arcs |= {(node, child) for child in children}
        return children

    def _fetch_some_spelling(self, node: str, url: str) -> tuple[str, dict[str, str]]:
        for spelling in spellings(url):
            try:
                return self._fetch(node, spelling)
            except NotThere:
                continue
            except Broken:
                break
        return "error", {}

    def _fetch(self, node: str, url: str) -> tuple[str, dict[str, str]]:
        cookie = ""
        for _ in range(LAPS + 1):
            if not self._permitted(url):
                return "robots-denied", {}
            response = self._patiently(url, cookie)
            cookie = first_cookie(response)
            if response.status >= 400:
                return "error", {}
            location = response.headers.get("location")
            if response.status < 300 or not location:
                return "fetched", self._in_scope(links_of(url, response))
            target = clean(urljoin(url, location)) or ""
            if key(target) != node:
                return "redirect", self._in_scope([target])
            url = target
        return "error", {}

    def _patiently(self, url: str, cookie: str = "") -> Response:
        """Errors that may recover are tried again."""
        for turn in range(TRIES):
            try:
                response = self._network.get(url, cookie)
            except Broken:
                if turn == TRIES - 1:
                    raise
                continue
            if response.status not in (429, 500, 503):
                break
            time.sleep(int(response.headers.get("retry-after", "0")))
        return response

    def _in_scope(self, links: list[str]) -> dict[str, str]:
        urls = [url for url in map(clean, links) if url and not excluded(url)]
        return {key(url): url for url in urls if self._wanted(key(url))}

    def _wanted(self, node: str) -> bool:
        return node.startswith(("it,", *self._portals))

    def _permitted(self, url: str) -> bool:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._rules:
            self._rules[origin] = self._robots(f"{origin}/robots.txt")
        pairs = self._rules[origin]
        return pairs is not None and allowed(url.removeprefix(origin), pairs)

    def _robots(self, url: str) -> list[tuple[str, bool]] | None:
        """The rules of a robots.txt; None: all is forbidden."""
        for _ in range(LAPS + 1):
            try:
                response = self._patiently(url)
            except Broken:
                return None
            if response.status == 429 or response.status >= 500:
                return None
            if response.status < 300:
                text = response.body[:ROBOTS_BYTES].decode("utf-8", "replace")
                for sitemap in (
                    re.findall("^Sitemap: (.*)$", text, re.MULTILINE) if self._follows_sitemaps else []
                ):
                    self._read_sitemap(sitemap, 0)
                return rules(text)
            if response.status >= 400:
                return []
            url = urljoin(url, response.headers["location"])
        return []

    def _read_sitemap(self, url: str, level: int) -> None:
        """An index leads to sitemaps of its own host, and a redirect anywhere on it."""
        if level > LAPS or not self._wanted(key(url)):
            return
        response = self._patiently(url)
        if "location" in response.headers:
            self._read_sitemap(urljoin(url, response.headers["location"]), level + 1)
            return
        body = zlib.decompress(response.body, 31) if response.body[:2] == b"\x1f\x8b" else response.body
        text = re.sub("<!--.*?-->", "", body.decode("utf-8"), flags=re.DOTALL)
        urls = re.findall("<loc>(.*?)</loc>", text) or [
            line for line in text.split() if line.startswith("http")
        ]
        if "<sitemapindex" in text:
            for child in urls:
                if urlsplit(child).netloc == urlsplit(url).netloc:
                    self._read_sitemap(child, level + 1)
        else:
            with self._lock:
                self._listed |= self._in_scope(urls)
