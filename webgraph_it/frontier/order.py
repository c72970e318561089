"""The order within one host's queue: a small number per URL, lowest first; equal ones are taken first come.

It says nothing about the order among hosts: they take turns.
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
    """10 × slashes of the path + labels below the registrable domain: front pages of sites first."""
    host, _, rest = key.partition(")")
    slashes = rest.partition("?")[0].count("/")
    return min(10 * slashes + labels_below_domain(host), HIGHEST)


PRIORITIES: dict[Order, Priority] = {Order.BREADTH: breadth, Order.LEVEL: level}
