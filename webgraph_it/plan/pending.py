"""How the list of pending URLs grows: the thesis' model.

On a web of N pages where each page links to S others at random, after n pages are crawled

    P(n) = (1 − S/N)^(n−1) · (S + 1 − N) + (N − n)

URLs are pending. The number rises steeply and peaks early (for N = 10⁹, S = 200 at 26.49 million crawled, with 968.5
million pending). Then it falls one by one. So the frontier must hold nearly the whole web at an early stage of the
crawl."""

import math


def pending(crawled: float, pages: float, links: float) -> float:
    """P(n): URLs known but not yet crawled, after `crawled` pages."""
    shrink = math.exp((crawled - 1) * math.log1p(-links / pages))
    return shrink * (links + 1 - pages) + (pages - crawled)


def peak(pages: float, links: float) -> tuple[float, float]:
    """(pages crawled, URLs pending) at the maximum: where the derivative of P is zero."""
    logarithm = math.log1p(-links / pages)
    slope = logarithm * (links + 1 - pages)
    crawled = max(1.0, 1 - math.log(slope) / logarithm) if slope > 1 else 1.0
    return crawled, pending(crawled, pages, links)


def curve(pages: float, links: float, points: int = 160) -> list[tuple[float, float]]:
    """(crawled, pending), closer together at the start, where the curve bends."""
    steps = [pages * (step / points) ** 2.5 for step in range(points + 1)]
    return [(max(1.0, crawled), max(0.0, pending(max(1.0, crawled), pages, links))) for crawled in steps]
