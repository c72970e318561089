"""HTML from links and words. A page costs a few joins of blocks that are made once."""

from collections.abc import Sequence
from functools import cache
from random import Random

from webgraph_it.simweb.pages import Link
from webgraph_it.simweb.words import BLOCK_BYTES, blocks, snippets

SIZE_SPREAD = 0.7
"""Sigma of the log-normal law of page sizes."""
SMALL_BYTES = 2_000
LARGEST_FACTOR = 12
"""Maximum size of a page, as a multiple of the mean."""


def html(
    title: str,
    links: Sequence[str],
    size_bytes: int,
    seed: int,
    *,
    charset: str = "utf-8",
    head: str = "",
    spare: bool = False,
) -> bytes:
    """A page of about that size with these links in their order. With `spare`, none of them is in its last fifth."""
    start = seed * 2654435761 & 0xFFFFFFFF
    some = snippets()
    count = len(some)
    listed = "\n".join([f"<p>{some[(start + 7 * n) % count]} {link}</p>" for n, link in enumerate(links)])
    text = f"<!DOCTYPE html>\n<html lang=it><head>{head}<title>{title}</title></head>\n<body>{listed}\n"
    opening = text.encode(charset)
    closing = f"<p>{title}</p></body></html>\n".encode(charset)
    filler_bytes = size_bytes - len(opening) - len(closing)
    if spare:
        filler_bytes = max(filler_bytes, len(opening) // 4 + 2 * BLOCK_BYTES)
    return opening + _filler(filler_bytes, start, charset) + closing


def small_html(title: str, links: Sequence[Link], head: str = "") -> bytes:
    """A page in UTF-8 of SMALL_BYTES or a little more."""
    markups = [link.markup for link in links]
    return html(title, markups, SMALL_BYTES, len(title), head="<meta charset=utf-8>" + head)


def _filler(size_bytes: int, start: int, charset: str) -> bytes:
    every = blocks(charset)
    whole = round(size_bytes / BLOCK_BYTES)
    return b"".join([every[(start + 31 * n) % len(every)] for n in range(whole)]) if whole > 0 else b""


def page_size(seed: int, number: int, mean_bytes: int) -> int:
    """The size of page `number` in bytes, by a log-normal law."""
    factors = _size_factors()
    return round(mean_bytes * factors[((seed << 20 ^ number) * 2654435761 >> 12) % len(factors)])


@cache
def _size_factors() -> tuple[float, ...]:
    """Drawn once: sizes as multiples of their mean."""
    random = Random("sizes")
    return tuple(
        min(random.lognormvariate(-(SIZE_SPREAD**2) / 2, SIZE_SPREAD), LARGEST_FACTOR) for _ in range(8191)
    )
