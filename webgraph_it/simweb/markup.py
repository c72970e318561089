"""HTML from links and words. A page costs a few joins of blocks made once."""

from collections.abc import Sequence
from math import exp, log
from random import Random

from webgraph_it.simweb.pages import Link
from webgraph_it.simweb.words import BLOCK_BYTES, blocks, snippets

SIZE_SPREAD = 0.7
"""Sigma of the log-normal law of page sizes."""
LARGEST_FACTOR = 12
"""No page is larger than this many times the mean."""


def html(
    title: str,
    links: Sequence[Link],
    size_bytes: int,
    seed: int,
    *,
    charset: str = "utf-8",
    head: str = "",
    spare: bool = False,
) -> bytes:
    """A page of about that size with the links in their order; `spare`: and no link in its last fifth."""
    start = seed * 2654435761 & 0xFFFFFFFF
    some = snippets()
    count = len(some)
    listed = "\n".join(
        [f"<p>{some[(start + 7 * n) % count]} {link.markup}</p>" for n, link in enumerate(links)]
    )
    text = f"<!DOCTYPE html>\n<html lang=it><head>{head}<title>{title}</title></head>\n<body>{listed}\n"
    opening = text.encode(charset)
    closing = f"<p>{title}</p></body></html>\n".encode(charset)
    filler_bytes = size_bytes - len(opening) - len(closing)
    if spare:
        filler_bytes = max(filler_bytes, len(opening) // 4 + 2 * BLOCK_BYTES)
    return opening + _filler(filler_bytes, start, charset) + closing


def _filler(size_bytes: int, start: int, charset: str) -> bytes:
    every = blocks(charset)
    whole = round(size_bytes / BLOCK_BYTES)
    return b"".join([every[(start + 31 * n) % len(every)] for n in range(whole)]) if whole > 0 else b""


def page_size(random: Random, mean_bytes: int) -> int:
    """A size drawn from the log-normal law, in bytes."""
    drawn = exp(random.gauss(log(mean_bytes) - SIZE_SPREAD**2 / 2, SIZE_SPREAD))
    return round(min(drawn, LARGEST_FACTOR * mean_bytes))
