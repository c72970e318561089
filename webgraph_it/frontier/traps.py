"""Limits for sites on which a crawl would never end: counters on disk, and the reasons that follow from them.

A calendar links to the next month for ever, a broken relative link nests one directory deeper each time, a
search form has a page for every query, a DNS wildcard has a host for every name. Each counter limits one
such pattern, so that every crawl of finitely many domains ends: at most max_hosts_per_domain hosts below a domain,
max_host_depth + 1 pages deep on a host without leaving it, max_queries_per_path queries of one path, and no new
URLs from the copies of a page after the first max_same_content ones.
"""

from webgraph_it.items import Link
from webgraph_it.urls.domains import load_suffixes, site_above

from .layers import Layers
from .layout import CONTENT, DOMAIN, NUMBER, QUERIES, host_of
from .records import Limits


class Traps:
    """Predicates that count. Each returns why a link is not queued, or an empty string."""

    def __init__(self, layers: Layers, limits: Limits) -> None:
        self._layers = layers
        self._limits = limits
        if limits.max_hosts_per_domain:
            load_suffixes()

    def same_content(self, page_key: str, content_digest: str) -> str:
        """Count one more page with this content. Called once per page, before its links."""
        if not (content_digest and page_key and self._limits.max_same_content):
            return ""
        content = bytes.fromhex(content_digest)[:8]
        copies = self._count(CONTENT + host_of(page_key).encode() + b")" + content)
        return "same-content" if copies > self._limits.max_same_content else ""

    def host_depth(self, depth: int) -> str:
        limit = self._limits.max_host_depth
        return "host-depth" if limit and depth > limit else ""

    def queries(self, link: Link) -> str:
        """Count one more distinct query on the path of a new link."""
        limit = self._limits.max_queries_per_path
        if not limit or "?" not in link.key:
            return ""
        path = link.key.partition("?")[0]
        return "queries-per-path" if self._count(QUERIES + path.encode()) > limit else ""

    def hosts(self, host: str) -> str:
        """Why a host that has no URL yet is one too many below its domain, or an empty string."""
        limit = self._limits.max_hosts_per_domain
        domain = site_above(host) if limit else ""
        if not domain:
            return ""
        stored = self._layers.get(DOMAIN + domain.encode())
        return "hosts-per-domain" if stored is not None and NUMBER.unpack(stored)[0] >= limit else ""

    def count_host(self, host: str) -> None:
        """A host has its first URL."""
        if self._limits.max_hosts_per_domain and (domain := site_above(host)):
            self._count(DOMAIN + domain.encode())

    def _count(self, key: bytes) -> int:
        stored = self._layers.get(key)
        number = 1 if stored is None else NUMBER.unpack(stored)[0] + 1
        self._layers.put(key, NUMBER.pack(number))
        return number
