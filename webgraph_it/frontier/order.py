"""The order within one host's queue: a small number per URL, lowest first; for equal numbers, first come first served.

It does not decide the order among hosts: they take turns.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from webgraph_it.urls.domains import labels_below_domain, registrable_domain

from .records import Order, Ordering

Priority = Callable[[str, int, str], int]
"""(key, depth, via) → 0 … HIGHEST; `via` is the key of the page with the link, empty for a seed."""

HIGHEST = 0xFFFF
MIDDLE = HIGHEST // 2
ONE_LINK = HIGHEST - 1
"""With Order.POPULAR, n links are HIGHEST - n."""
_WORD = re.compile(r"[^\W_]+")


def breadth(key: str, depth: int, via: str) -> int:
    """The distance from the seeds."""
    return min(depth, HIGHEST)


def level(key: str, depth: int, via: str) -> int:
    """10 × slashes in the path + labels below the registrable domain: home pages of sites come first."""
    host, _, rest = key.partition(")")
    slashes = rest.partition("?")[0].count("/")
    return min(10 * slashes + labels_below_domain(host), HIGHEST)


def outside(key: str, depth: int, via: str) -> int:
    """What another site links to comes before what the site itself links to; each by its distance from the seeds."""
    is_inside = bool(via) and _site(key.partition(")")[0]) == _site(via.partition(")")[0])
    return min(depth, MIDDLE) + is_inside * (MIDDLE + 1)


def popular(key: str, depth: int, via: str) -> int:
    """A seed is first. A new URL has one link; a plan moves it forward when it has more."""
    return ONE_LINK if via else 0


def by_keywords(weights: Mapping[str, int]) -> Priority:
    """The larger the sum of the weights of the words in the URL and in the link's text, the earlier. A word counts
    once. A blank and the text may follow the key."""

    def keywords(key: str, depth: int, via: str) -> int:
        words = set(_WORD.findall(key.lower()))
        return max(0, min(MIDDLE - sum(weights.get(word, 0) for word in words), HIGHEST))

    return keywords


def priority_of(order: Ordering) -> Priority:
    return PRIORITIES[order] if isinstance(order, Order) else by_keywords(order)


_site = lru_cache(maxsize=20_000)(registrable_domain)
PRIORITIES: dict[Order, Priority] = {
    Order.BREADTH: breadth,
    Order.LEVEL: level,
    Order.OUTSIDE: outside,
    Order.KEYWORDS: by_keywords({}),
    Order.POPULAR: popular,
}
