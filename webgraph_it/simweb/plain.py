"""The plain web: its pages, their names and their links. No bytes.

Guarantees: a page's targets are a pure function of (plan, page). Every page can be reached from the first page of
host 0: page i links to pages 2i+1 and 2i+2 of its host, and the first page of host h to those of hosts 2h+1 and
2h+2. All other links are drawn so that in-degrees follow a power law and three quarters stay on their host.
"""

import re
from math import log
from random import Random

from webgraph_it.simweb.hosts import Host
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.words import PLAIN

STAY_SHARE = 0.75
"""The share of links that stay on their host."""
SKEW = 5
"""A target of rank r is chosen with a probability proportional to r ** (1 / SKEW - 1)."""
SPREAD = 0.6
"""Sigma of the log-normal law of out-degrees."""
QUERIES_PER_PATH = 15
"""Hosts that name pages by a query do so up to this page, because a crawler treats many queries per path as a trap."""

_INDEX = re.compile(r"(\d+)(?:\.html|/)?$")


def path_of(host: Host, index: int) -> str:
    """The path of a page, in the style of its host."""
    if index == 0:
        return "/"
    style = host.number % 3
    if style == 2 and index <= QUERIES_PER_PATH:
        return f"/articolo.php?id={index}"
    section, title = PLAIN[(index // 40 + host.number) % len(PLAIN)], PLAIN[index % len(PLAIN)]
    return f"/{section}/{title}/{index}/" if style == 1 else f"/{section}/{title}-{index}.html"


def index_of(host: Host, path: str) -> int | None:
    """The page with that path. None if the host has no such page."""
    if path == "/":
        return 0
    digits = _INDEX.search(path)
    index = int(digits[1]) if digits and len(digits[1]) < 10 else 0
    return index if 0 < index < host.page_count and path_of(host, index) == path else None


class PlainLinks:
    """Draws the targets of pages, as (host number, index)."""

    def __init__(self, plan: Plan, hosts: list[Host]) -> None:
        self._seed = plan.seed
        self._hosts = hosts
        self._counts = [host.page_count for host in hosts]
        self._mean = plan.degree
        self._mean = self._calibrated(plan.degree, plan.pages)

    def targets(self, host: Host, index: int) -> list[tuple[int, int]]:
        """The targets. None is repeated."""
        number = host.number
        random = Random(self._seed << 40 ^ host.first_page + index)
        wanted = max(1, round(random.lognormvariate(log(self._mean) - SPREAD**2 / 2, SPREAD)))
        chosen = dict.fromkeys(self.tree(host, index))
        stay = min(round(wanted * STAY_SHARE), host.page_count)
        draw, size = random.random, host.page_count
        for _ in range(2 * stay):
            if len(chosen) >= stay:
                break
            chosen[number, int(size * draw() ** SKEW)] = None
        hosts, counts = len(self._counts), self._counts
        for _ in range(max(1, round(len(chosen) * (1 / STAY_SHARE - 1)))):
            other = int(hosts * draw() ** SKEW)
            chosen[other, int(counts[other] * draw() ** SKEW)] = None
        return list(chosen)

    def tree(self, host: Host, index: int) -> list[tuple[int, int]]:
        """The targets by which every page is reached. They come first among all targets."""
        tree = [(host.number, i) for i in (2 * index + 1, 2 * index + 2) if i < host.page_count]
        if index == 0:
            tree += [(h, 0) for h in (2 * host.number + 1, 2 * host.number + 2) if h < len(self._hosts)]
        return tree

    def _calibrated(self, degree: float, pages: int) -> float:
        """The mean to draw with, so that the mean after removing repeated targets is `degree`."""
        random = Random("calibration")
        sample = [self._locate(random.randrange(pages)) for _ in range(200)]
        mean = degree
        for _ in range(4):
            self._mean = mean
            seen = sum(len(self.targets(host, index)) for host, index in sample) / len(sample)
            mean = min(3 * degree, max(1.0, mean * degree / seen))
        return mean

    def _locate(self, number: int) -> tuple[Host, int]:
        low, high = 0, len(self._hosts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._hosts[middle].first_page <= number else (low, middle)
        return self._hosts[low], number - self._hosts[low].first_page
