"""The plan as text for a terminal."""

from dataclasses import replace

from webgraph_it.plan.capacity import (
    DAY,
    GIB,
    KIB,
    MIB,
    Crawl,
    arcs,
    bandwidth_pages_per_second,
    connections,
    crawl_disk,
    days,
    graph_disk,
    hash_bytes,
    hosts_needed,
    memory,
    speed,
)
from webgraph_it.plan.pending import peak

THESIS_RATE = 3.4 * MIB
THESIS_DAYS = 83


def plan_text(crawl: Crawl, growth_pages: float, growth_links: float) -> str:
    """The whole plan, one block per question."""
    blocks = [
        _what(crawl),
        _time(crawl),
        _table("Disk of the crawl directory", crawl_disk(crawl)),
        _table("Disk of the compact graph", graph_disk(crawl)),
        _table("Memory, stage by stage (they do not add up)", memory(crawl), total=False),
        _thesis(crawl),
        _growth(growth_pages, growth_links),
    ]
    return "\n\n".join(block for block in blocks if block)


def size(count: float) -> str:
    """Bytes in a suitable unit, binary as in the thesis."""
    for unit, name in ((1 << 40, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if count >= unit:
            return f"{count / unit:,.1f} {name}"
    return f"{count:,.0f} B"


def _what(crawl: Crawl) -> str:
    million, billion = crawl.pages / 1e6, arcs(crawl) / 1e9
    received = size(crawl.pages * crawl.page_bytes)
    return (
        f"{million:,.1f} million pages, {crawl.links_per_page:g} links each: {billion:,.2f} billion arcs\n"
        f"{crawl.url_bytes:g} bytes per URL, {size(crawl.page_bytes)} per page: {received} to receive"
    )


def _time(crawl: Crawl) -> str:
    used = speed(crawl) * crawl.page_bytes
    rows = [
        ("network used", f"{size(used)}/s = {used * 8 / 1e6:,.1f} Mbit/s"),
        (
            "connections",
            f"about {connections(crawl):,.0f} open at a time ({crawl.fetch_seconds:g} s per fetch)",
        ),
        ("hosts", f"at least {hosts_needed(crawl):,.0f} ready at any time ({_delay(crawl)})"),
    ]
    if (by_bandwidth := bandwidth_pages_per_second(crawl)) is not None:
        narrow = by_bandwidth <= (crawl.pages_per_second or float("inf"))
        limit = "the bandwidth is the limit" if narrow else "the crawler is the limit"
        rows.insert(
            0, ("bandwidth", f"{size(crawl.bytes_per_second or 0)}/s: {by_bandwidth:,.1f} pages/s; {limit}")
        )
    head = f"{'Time':<26}{days(crawl):,.2f} days at {speed(crawl):,.1f} pages/s"
    return "\n".join([head, *(_row(*row) for row in rows)])


def _delay(crawl: Crawl) -> str:
    return f"{crawl.host_delay_seconds:g} s between two fetches"


def _row(name: str, words: str) -> str:
    return f"  {name:<24}{words}"


def _table(title: str, rows: dict[str, float], total: bool = True) -> str:
    lines = [f"{title:<44} {size(sum(rows.values())):>12}" if total else title]
    return "\n".join([*lines, *(f"  {name:<42} {size(count):>12}" for name, count in rows.items())])


def _thesis(crawl: Crawl) -> str:
    """Compares with the thesis' own arithmetic. Only for its own numbers."""
    if replace(crawl, pages_per_second=90, bytes_per_second=None) != Crawl():
        return ""
    slow = replace(crawl, pages_per_second=None, bytes_per_second=THESIS_RATE)
    would_be = THESIS_DAYS * DAY * THESIS_RATE / crawl.pages
    rows = [
        ("90 pages/s", f"{days(Crawl()):.2f} days; the thesis says 34.86"),
        ("hashes", f"{size(hash_bytes(crawl))} for the children alone; the thesis says 220 GB"),
        (
            "3.4 MB/s",
            f"{days(slow):.1f} days; the thesis says {THESIS_DAYS}, at which a page would be {size(would_be)}",
        ),
    ]
    return "\n".join(
        ["Compared with the thesis (its KB, MB and GB are powers of 1024)", *(_row(*row) for row in rows)]
    )


def _growth(pages: float, links: float) -> str:
    crawled, waiting = peak(pages, links)
    head = f"Pending URLs on a web of {pages / 1e6:,.0f} million pages with {links:g} links each"
    told = f"{waiting / 1e6:,.1f} million pending when {crawled / 1e6:,.2f} million are crawled"
    return f"{head}\n{_row('peak', told)}"
