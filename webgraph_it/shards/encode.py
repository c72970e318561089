"""How a page is written in the streams of a crawl: the sequence of the graph, a line of the page log, a line of the
URL list (docs/formats.md)."""

from collections.abc import Iterable
from json.encoder import encode_basestring_ascii as quoted

from webgraph_it.items import Link, Page, State


def sequence(parent: bytes, children: list[bytes]) -> bytes:
    """A parent (first bit 1) followed by its children (first bit 0)."""
    return bytes((parent[0] | 0x80,)) + parent[1:] + b"".join(children)


def url_lines(links: Iterable[Link]) -> bytes:
    """Key and URL of each node."""
    return "".join([f"{link.key}\t{link.url}\n" for link in links]).encode("ascii")


def anchor_lines(page: Page, children: Iterable[bytes]) -> bytes:
    """What the arcs of a page say: a line for each text, and for each nofollow arc without a text."""
    arcs, source, nofollow = set(children), page.digest.hex(), page.nofollow
    rows = [row for row in page.texts if row[0] in arcs]
    silent = nofollow & arcs - {target for target, _ in rows} if nofollow else ()
    rows += [(target, "") for target in sorted(silent)]
    return "".join(
        [f"{source}\t{target.hex()}\t{'n' if target in nofollow else ''}\t{text}\n" for target, text in rows]
    ).encode()


def page_line(page: Page, links: int) -> str:
    """One line of the page log. The JSON is written by hand for speed, because every page has a line."""
    return (
        f'{{"key": {quoted(page.key)}, "url": {quoted(page.url)}, "time": {page.time:.3f}, '
        f'"status": {page.status}, "type": {quoted(page.media_type)}, "bytes": {page.size_bytes}, '
        f'"digest": "{page.content_digest}", "depth": {page.depth}, "via": {quoted(page.via)}, '
        f'"links": {links}, "address": "{page.address}", "state": "{page.state}", '
        f'"reason": {quoted(page.reason)}, "seconds": {page.seconds:.3f}, "host_depth": {page.host_depth}}}\n'
    )


def revisit_line(page: Page, links: int, visit: int, change: float) -> str:
    """The line of a re-visit: `visit` is its number, `change` the share of its links that changed."""
    return f'{page_line(page, links)[:-2]}, "visit": {visit}, "change": {change:.6g}}}\n'


def cut_line(link: Link, state: State, reason: str, depth: int, via: str, host_depth: int = 0) -> str:
    """A node that was found but not fetched."""
    page = Page(
        link.url, link.key, link.digest, 0.0, state, 0, depth, via, reason=reason, host_depth=host_depth
    )
    return page_line(page, 0)
