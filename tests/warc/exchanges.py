"""Exchanges as a crawl would have them."""

from webgraph_it.items import Exchange

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
TIME = 1_795_000_000.125


def exchange(
    url: str = "http://a.it/",
    body: bytes = b"<a href=x>",
    *,
    head: bytes = HEAD,
    entity: bytes | None = None,
    truncated: str = "",
    time: float = TIME,
) -> Exchange:
    request = b"GET / HTTP/1.1\r\nHost: a.it\r\n\r\n"
    return Exchange(
        url, request, head, body, body if entity is None else entity, truncated, "127.0.0.1", time
    )
