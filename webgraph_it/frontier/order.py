"""The order within one host's queue: a small number per URL, lowest first; equal ones are taken first come.

It says nothing about the order among hosts: they take turns.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from .records import Order

if TYPE_CHECKING:
    from tldextract import TLDExtract

Priority = Callable[[str, int], int]
"""(key, depth) → 0 … HIGHEST."""

HIGHEST = 0xFFFF


def breadth(key: str, depth: int) -> int:
    """The distance from the seeds."""
    return min(depth, HIGHEST)


def level(key: str, depth: int) -> int:
    """10 × slashes of the path + labels below the registrable domain: front pages of sites first."""
    host, _, rest = key.partition(")")
    slashes = rest.partition("?")[0].count("/")
    return min(10 * slashes + labels_below_domain(host), HIGHEST)


@lru_cache(maxsize=50_000)
def labels_below_domain(host: str) -> int:
    """`it,unipd,dei` has one label (dei) below its registrable domain; an IP address has none."""
    subdomain = _suffixes()(".".join(reversed(host.split(",")))).subdomain
    return subdomain.count(".") + 1 if subdomain else 0


@cache
def _suffixes() -> "TLDExtract":
    """The suffix list that comes with the package: no network, no cache directory."""
    from tldextract import TLDExtract  # it loads an HTTP client, which only Order.LEVEL should wait for

    return TLDExtract(suffix_list_urls=(), cache_dir=None, fallback_to_snapshot=True)


PRIORITIES: dict[Order, Priority] = {Order.BREADTH: breadth, Order.LEVEL: level}
