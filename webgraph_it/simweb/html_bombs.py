"""HTML that costs a parser far more than its size: a few megabytes each, made on request."""

from collections.abc import Callable

DEPTH = 100_000
ATTRIBUTES = 200_000
LINK = '<a href="/ancora.html">x</a>'


def _page(body: str) -> bytes:
    return (
        f"<!DOCTYPE html><html><head><title>x</title></head><body>{LINK}{body}{LINK}</body></html>".encode()
    )


def _nested(tag: str, depth: int = DEPTH) -> Callable[[], bytes]:
    return lambda: _page(f"<{tag}>" * depth)


def _attributes() -> bytes:
    return _page("<p " + " ".join(f"a{n}=1" for n in range(ATTRIBUTES)) + ">")


def _body_attributes() -> bytes:
    return _page("".join(f"<body a{n}>" for n in range(50_000)))


def _misnested() -> bytes:
    """Formatting elements closed in the wrong order, which the parser must reopen again and again."""
    return _page("".join(f"<a href=/ancora.html><b c={n}><p>" for n in range(2_000)) + "</a></b>" * 2_000)


def _unclosed_comment() -> bytes:
    return _page("<!-- " + "- " * 1_000_000)


def _many_links() -> bytes:
    return _page("".join(f'<a href="/ancora.html?n={n}">x</a>' for n in range(100_000)))


def _long_attribute() -> bytes:
    return _page(f'<a href="/ancora.html?{"a" * 3_000_000}">x</a>')


def _tables() -> bytes:
    return _page("<table><tr><td>" * 20_000 + "<p>" * 20_000)


BOMBS: tuple[Callable[[], bytes], ...] = (
    _nested("div"),
    _nested("font"),
    _nested("svg"),
    _nested("select", 50_000),
    _attributes,
    _body_attributes,
    _misnested,
    _unclosed_comment,
    _many_links,
    _long_attribute,
    _tables,
)
