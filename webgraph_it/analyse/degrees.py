"""The distribution of links: degree histograms, their power-law tail, reciprocity.

The fit is that of Clauset, Shalizi and Newman (2009). For each possible start of the tail it computes the discrete
maximum-likelihood exponent. It takes the start whose law is nearest to the data (Kolmogorov-Smirnov). It works on
the histogram, so that it costs the same for a thousand pages and for 271 million. The tests compare it with the
`powerlaw` package, which needs every single degree in memory and is slow from a few million."""

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import zeta

from webgraph_it.analyse.compiled import parallel
from webgraph_it.analyse.csr import Csr, Ids, Offsets, chunk_bounds

MIN_TAIL = 100
"""Minimum number of nodes in a tail. An exponent from fewer is meaningless."""
CANDIDATES = 300
"""Number of starts of the tail that are tried, logarithmically spaced over the distinct degrees."""
EXPONENTS = (1.01, 8.0)
"""Range of the exponent."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many nodes have each degree. Degrees that do not occur are left out."""

    degrees: NDArray[np.int64]
    counts: NDArray[np.int64]

    def mean(self) -> float:
        return float((self.degrees * self.counts).sum() / max(1, self.counts.sum()))

    def at_least(self) -> NDArray[np.int64]:
        """How many nodes have each degree or more."""
        return np.cumsum(self.counts[::-1])[::-1]

    def ccdf(self) -> list[tuple[int, float]]:
        """(degree, share of all nodes with that degree or more), for each degree that occurs."""
        shares = self.at_least() / max(1, self.counts.sum())
        return list(zip(self.degrees.tolist(), shares.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """count(degree) ~ degree ** -exponent from `start`."""

    exponent: float
    error: float
    """Standard error of the exponent."""
    start: int
    tail: int
    """Nodes with degree ≥ start."""
    distance: float
    """Largest gap between the two cumulative distributions (Kolmogorov-Smirnov), 0 to 1."""

    def at_least(self, degree: float) -> float:
        """The share of the tail's nodes that, by the law, have `degree` (at least `start`) or more."""
        return float(zeta(self.exponent, degree) / zeta(self.exponent, self.start))


def histogram(degrees: NDArray[np.int64]) -> Histogram:
    values, counts = np.unique(degrees, return_counts=True)
    return Histogram(values.astype(np.int64), counts.astype(np.int64))


def power_law(of: Histogram) -> PowerLaw | None:
    """The best power law for the tail, or None if no tail has MIN_TAIL nodes and two distinct degrees."""
    positive = of.degrees > 0
    degrees, counts = of.degrees[positive].astype(float), of.counts[positive].astype(float)
    tails = np.cumsum(counts[::-1])[::-1]
    possible = np.flatnonzero(tails >= MIN_TAIL)
    possible = possible[possible < len(degrees) - 1]
    if not len(possible):
        return None
    fits = [_fit_from(degrees[start:], counts[start:]) for start in _spread(possible)]
    return min(fits, key=lambda fit: fit.distance)


def reciprocity(graph: Csr, transposed: Csr) -> float:
    """The share of arcs between two different nodes whose opposite exists, too. 0 without such arcs."""
    both = np.zeros(len(bounds := chunk_bounds(graph.offsets)) - 1, dtype=np.int64)
    loops = np.zeros_like(both)
    _count_mutual(graph.offsets, graph.targets, transposed.offsets, transposed.targets, bounds, both, loops)
    others = graph.arcs - int(loops.sum())
    return int(both.sum()) / others if others else 0.0


def count_loops(graph: Csr) -> int:
    """Arcs from a node to itself."""
    both = np.zeros(len(bounds := chunk_bounds(graph.offsets)) - 1, dtype=np.int64)
    loops = np.zeros_like(both)
    _count_mutual(graph.offsets, graph.targets, graph.offsets, graph.targets, bounds, both, loops)
    return int(loops.sum())


def _spread(possible: NDArray[np.int64]) -> list[int]:
    if len(possible) <= CANDIDATES:
        return [int(start) for start in possible]
    steps = np.geomspace(1, len(possible), CANDIDATES).astype(np.int64) - 1
    return [int(possible[step]) for step in np.unique(steps)]


def _fit_from(degrees: NDArray[np.float64], counts: NDArray[np.float64]) -> PowerLaw:
    start, tail = degrees[0], counts.sum()
    log_sum = float((counts * np.log(degrees)).sum())

    def unlikelihood(exponent: float) -> float:
        return float(tail * np.log(zeta(exponent, start)) + exponent * log_sum)

    exponent = float(
        minimize_scalar(unlikelihood, bounds=EXPONENTS, method="bounded", options={"xatol": 1e-7}).x
    )
    below = 1.0 - zeta(exponent, degrees + 1) / zeta(exponent, start)
    distance = float(np.abs(np.cumsum(counts) / tail - below).max())
    return PowerLaw(exponent, _error(exponent, start, tail), int(start), int(tail), distance)


def _error(exponent: float, start: float, tail: float) -> float:
    """From the curvature of the likelihood: 1 / √(tail · (log ζ)″)."""
    step = 1e-3
    logs = [np.log(zeta(exponent + shift, start)) for shift in (-step, 0.0, step)]
    return float(1.0 / np.sqrt(tail * (logs[0] - 2 * logs[1] + logs[2]) / step**2))


@parallel
def _count_mutual(
    offsets: Offsets,
    targets: Ids,
    back_offsets: Offsets,
    sources: Ids,
    bounds: NDArray[np.int64],
    both: NDArray[np.int64],
    loops: NDArray[np.int64],
) -> None:
    """Merge the (sorted) successors and predecessors of each node."""
    for chunk in prange(len(bounds) - 1):
        for node in range(bounds[chunk], bounds[chunk + 1]):
            out, back = offsets[node], back_offsets[node]
            while out < offsets[node + 1] and back < back_offsets[node + 1]:
                if targets[out] < sources[back]:
                    out += 1
                elif sources[back] < targets[out]:
                    back += 1
                else:
                    if targets[out] == node:
                        loops[chunk] += 1
                    else:
                        both[chunk] += 1
                    out += 1
                    back += 1
