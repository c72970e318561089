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
    """All of it, a block per question."""
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
    """Bytes in the unit that suits them, binary as the thesis'."""
    for unit, name in ((1 << 40, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if count >= unit:
            return f"{count / unit:,.1f} {name}"
    return f"{count:,.0f} B"


def _what(crawl: Crawl) -> str:
    return (
        f"{crawl.pages / 1e6:,.1f} million pages, {crawl.links_per_page:g} links each: {arcs(crawl) / 1e9:,.2f} billion arcs\n"
        f"{crawl.url_bytes:g} bytes a URL, {size(crawl.page_bytes)} a page: {size(crawl.pages * crawl.page_bytes)} to receive"
    )


def _time(crawl: Crawl) -> str:
    lines = [f"Time                      {days(crawl):,.2f} days at {speed(crawl):,.1f} pages/s"]
    by_bandwidth = bandwidth_pages_per_second(crawl)
    if crawl.bytes_per_second is not None and by_bandwidth is not None:
        narrow = by_bandwidth <= (crawl.pages_per_second or float("inf"))
        limit = "the bandwidth is the limit" if narrow else "the crawler is the limit"
        lines.append(
            f"  bandwidth               {size(crawl.bytes_per_second)}/s on average: {by_bandwidth:,.1f} pages/s; {limit}"
        )
    used = speed(crawl) * crawl.page_bytes
    lines.append(f"  network used            {size(used)}/s = {used * 8 / 1e6:,.1f} Mbit/s")
    lines.append(
        f"  connections             about {connections(crawl):,.0f} open at a time ({crawl.fetch_seconds:g} s a fetch)"
    )
    lines.append(
        f"  hosts                   at least {hosts_needed(crawl):,.0f} ready at any time ({crawl.host_delay_seconds:g} s between two fetches)"
    )
    return "\n".join(lines)


def _table(title: str, rows: dict[str, float], total: bool = True) -> str:
    lines = [f"{title:<44} {size(sum(rows.values())):>12}" if total else title]
    return "\n".join([*lines, *(f"  {name:<42} {size(count):>12}" for name, count in rows.items())])


def _thesis(crawl: Crawl) -> str:
    """Where the thesis' own arithmetic holds and where it does not; only for its own numbers."""
    if replace(crawl, pages_per_second=90, bytes_per_second=None) != Crawl():
        return ""
    slow = replace(crawl, pages_per_second=None, bytes_per_second=THESIS_RATE)
    would_be = THESIS_DAYS * DAY * THESIS_RATE / crawl.pages
    return (
        "Beside the thesis\n"
        f"  90 pages/s              {days(Crawl()):.2f} days; the thesis says 34.86\n"
        f"  hashes                  {size(hash_bytes(crawl))} for the children alone; the thesis says 220 GB\n"
        f"  3.4 MB/s                {days(slow):.1f} days; the thesis says {THESIS_DAYS}, which would be pages of {size(would_be)}, not 50"
    )


def _growth(pages: float, links: float) -> str:
    crawled, waiting = peak(pages, links)
    return (
        f"Pending URLs on a web of {pages / 1e6:,.0f} million pages with {links:g} links each\n"
        f"  peak                    {waiting / 1e6:,.1f} million waiting when {crawled / 1e6:,.2f} million are crawled"
    )
