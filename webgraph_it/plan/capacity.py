"""The arithmetic of a crawl: pure functions from a Crawl to days, bytes and connections.

The defaults are the estimate of the Italian web in the thesis that docs/analyse.md cites. Its
units are binary (50 KB is 51,200 bytes). Only so do its 220 GB of hashes come out. Our output says which units it
uses. The bytes per record that we chose ourselves are named constants below, measured on crawls of the
simulated web (60,000 pages, 30 links each). They are estimates for planning, not guarantees."""

from dataclasses import dataclass

from webgraph_it.settings_table import CrawlSettings

DAY = 86_400
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

DIGEST_BYTES = 16
PAGE_LOG_BYTES = 255
"""A line of the page log without its three names (key, url, via)."""
KNOWN_URL_BYTES = 40
"""A URL in the frontier's store, queued or not. A queued one takes about its length more, because it is stored
twice, as key and as URL, and compressed."""
COMPACTION_ROOM = 2.0
"""Factor for the extra space that the store needs during compaction."""
URL_MAP_BYTES = 7
"""A URL in the compact graph's URL map (measured: 5.0 to 6.6)."""
NODE_ROW_BYTES = 14
"""A row of nodes.parquet, its URL included, compressed."""
BV_BITS_PER_ARC = 3.6
"""Bits per arc of cnr-2000 in URL order."""
BV_NODE_BYTES = 3.2
"""A node in `.offsets` (a gamma code) and `.ef` (Elias–Fano), for records of about 200 bits."""
ID_TABLE_BYTES = 17
"""A node in convert's table from digests to ids, held in memory (12, and 3 to 6 for the buckets)."""
RANK_BYTES = 3 * 8 + 4 * 8 + 3 * 4
"""A node in analyse's memory: iteration vectors, results, labels. The arcs are memory-mapped."""
ARCHIVED_SHARE = 0.36
"""What is left of a page in an archive. One that arrives compressed is kept as it arrives."""
CAPTURE_BYTES = 1_450
"""What an archive holds besides: heads of the records, request, metadata with 30 out-links, index line."""
ARCHIVE_MEMORY_BYTES = 80 * MIB
"""What waits to be compressed, payloads that are recognised, index of the present file."""
CRAWLER_BYTES = 700 * MIB
"""The crawler with its workers and the store's caches. It does not grow with the crawl."""
CONNECTION_BYTES = 64 * KIB
"""An open connection's buffers."""


@dataclass(frozen=True, slots=True)
class Crawl:
    """What is to be crawled, and the means."""

    pages: float = 271.1e6
    links_per_page: float = 54.5
    url_bytes: float = 61
    page_bytes: float = 50 * KIB
    pages_per_second: float | None = 90
    """The crawler's maximum speed. None means as fast as the bandwidth allows."""
    bytes_per_second: float | None = None
    """Mean of the bandwidth plan. None means as much as the crawler can use."""
    fetch_seconds: float = 2.0
    """Mean time from opening a connection to the last byte."""
    host_delay_seconds: float = CrawlSettings.HOST_DELAY.default_value
    archived: bool = False
    """Whether the pages are kept (WARC=True)."""


def bandwidth_pages_per_second(crawl: Crawl) -> float | None:
    return None if crawl.bytes_per_second is None else crawl.bytes_per_second / crawl.page_bytes


def speed(crawl: Crawl) -> float:
    """Pages per second: the crawler's speed or that of the bandwidth, whichever is lower."""
    limits = [crawl.pages_per_second, bandwidth_pages_per_second(crawl)]
    known = [limit for limit in limits if limit is not None]
    if not known:
        raise ValueError("neither pages per second nor a bandwidth is given: give at least one")
    return min(known)


def days(crawl: Crawl) -> float:
    return crawl.pages / speed(crawl) / DAY if speed(crawl) else float("inf")


def arcs(crawl: Crawl) -> float:
    return crawl.pages * crawl.links_per_page


def hash_bytes(crawl: Crawl) -> float:
    """Bytes of the children's digests. Like the thesis' figure, it leaves the parents out."""
    return arcs(crawl) * DIGEST_BYTES


def crawl_disk(crawl: Crawl) -> dict[str, float]:
    """Bytes of each part of the crawl directory at the end. For the frontier, when nearly all URLs are queued."""
    archive = {"archive (warc/)": archive_bytes(crawl)} if crawl.archived else {}
    return {
        "shards (graph/)": hash_bytes(crawl) + crawl.pages * DIGEST_BYTES,
        "URL lists (urls/)": crawl.pages * (2 * crawl.url_bytes + 2),
        "page log (pages/)": crawl.pages * (3 * crawl.url_bytes + PAGE_LOG_BYTES),
        "frontier (frontier/), at its fullest": COMPACTION_ROOM
        * frontier_bytes(crawl.pages, crawl.pages, crawl.url_bytes),
        **archive,
    }


def archive_bytes(crawl: Crawl) -> float:
    """The WARC files and their indexes."""
    return crawl.pages * (ARCHIVED_SHARE * crawl.page_bytes + CAPTURE_BYTES)


def frontier_bytes(known: float, waiting: float, url_bytes: float) -> float:
    """The frontier's store when it is not compacting."""
    return known * KNOWN_URL_BYTES + waiting * url_bytes


def graph_disk(crawl: Crawl) -> dict[str, float]:
    """Bytes of each part of the compact graph. The host and domain graphs are small in comparison."""
    nodes, links = crawl.pages, arcs(crawl)
    rows, compressed = 8 * nodes + 4 * links, links * BV_BITS_PER_ARC / 8 + nodes * BV_NODE_BYTES
    return {
        "CSR (offsets, targets)": rows,
        "g4": 4 * (nodes + links),
        "BV (.graph, .offsets, .ef)": compressed,
        "transpose (CSR, BV)": rows + compressed,
        "URL map and nodes": nodes * (URL_MAP_BYTES + NODE_ROW_BYTES),
    }


def memory(crawl: Crawl) -> dict[str, float]:
    """Bytes of memory of each stage."""
    return {
        "crawl": CRAWLER_BYTES
        + connections(crawl) * CONNECTION_BYTES
        + crawl.archived * ARCHIVE_MEMORY_BYTES,
        "convert (digest → id table)": crawl.pages * ID_TABLE_BYTES,
        "analyse (vectors; arcs are mapped)": crawl.pages * RANK_BYTES,
    }


def connections(crawl: Crawl) -> float:
    """Mean number of open connections (Little's law): speed × duration of a fetch."""
    return speed(crawl) * crawl.fetch_seconds


def hosts_needed(crawl: Crawl) -> float:
    """Hosts that must be ready at that speed, if each is visited once per delay."""
    return speed(crawl) * (crawl.host_delay_seconds + crawl.fetch_seconds)
