"""The order within one host's queue: a small number per URL, lowest first; for equal numbers, first come first served.

It does not decide the order among hosts: they take turns.
"""

from collections.abc import Callable

from webgraph_it.urls.domains import labels_below_domain

from .records import Order

Priority = Callable[[str, int], int]
"""(key, depth) → 0 … HIGHEST."""

HIGHEST = 0xFFFF


def breadth(key: str, depth: int) -> int:
    """The distance from the seeds."""
    return min(depth, HIGHEST)


def level(key: str, depth: int) -> int:
    """10 × slashes in the path + labels below the registrable domain: home pages of sites come first."""
    host, _, rest = key.partition(")")
    slashes = rest.partition("?")[0].count("/")
    return min(10 * slashes + labels_below_domain(host), HIGHEST)


PRIORITIES: dict[Order, Priority] = {Order.BREADTH: breadth, Order.LEVEL: level}
