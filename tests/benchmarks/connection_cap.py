"""How much of a tight connection cap the crawl uses: 60 sockets, 600 eager hosts, as the server sees it.

The yardstick is what 60 connections could carry at most, were each of them always waiting for an answer:
60 ÷ the mean time from a request to its answer. At least 80 % of it are wanted. Opening, closing, and the
wait until the kernel confirms that a socket is gone are in the difference. Measured between the first tenth and
the last fifth of the answers, while there is more to ask for than there are places.
"""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from tests.crawl.crawling import finish, start_crawl
from tests.crawl.observing import Sampler, open_at_the_server, sockets
from tests.crawl.test_connection_cap import CAP, eager_seeds
from webgraph_it.simweb import SimWeb

LATENCY_SECONDS = 0.5
"""Median; a public web server's answer takes about so long, and the machine must not be the bottleneck."""
WANTED = 0.8


class Result(NamedTuple):
    fetches: int
    fetches_per_second: float
    mean_seconds: float
    kernel_peak: int
    server_peak: int

    @property
    def most_per_second(self) -> float:
        return CAP / self.mean_seconds


def main() -> None:
    """Crawl, and print the figures."""
    result = run()
    share = result.fetches_per_second / result.most_per_second
    print(f"MAX_TCP_CONNECTIONS={CAP}, 600 eager hosts, {result.fetches:,} fetches, robots.txt included:")
    print(f"    {result.fetches_per_second:,.0f} fetches/s; {result.mean_seconds * 1000:,.0f} ms each")
    print(f"    {share:.0%} of {CAP} ÷ mean time = {result.most_per_second:,.0f}/s (wanted {WANTED:.0%})")
    print(
        f"    most sockets in a sample: {result.kernel_peak} in the kernel, {result.server_peak} at the server"
    )


def run() -> Result:
    plan: dict[str, Any] = {"only": ["plain"], "shares": {"latency": 1.0}, "latency_seconds": LATENCY_SECONDS}
    with SimWeb(hosts=600, pages=700, seed=7, **plan) as web, tempfile.TemporaryDirectory() as folder:
        seeds = eager_seeds(web, Path(folder))
        crawl = start_crawl(web, Path(folder, "crawl"), MAX_TCP_CONNECTIONS=CAP, SEEDS=str(seeds))
        with Sampler(lambda: sockets(web)) as kernel:
            finish(crawl, 600)
        hits = web.hits()
    answers = answered(hits)
    busy = answers[len(answers) // 10 : -len(answers) // 5]
    return Result(
        len(answers),
        (len(busy) - 1) / (busy[-1][0] - busy[0][0]),
        sum(took for _, took in busy) / len(busy),
        max(max(sample) for sample in kernel.values),
        max(open_at_the_server(hits)),
    )


def answered(hits: list[dict[str, Any]]) -> list[tuple[float, float]]:
    """When each answer was given, and how long after its request."""
    asked: dict[int, float] = {}
    answers = []
    for hit in hits:
        if hit["event"] == "request":
            asked[hit["connection"]] = hit["time"]
        elif hit["event"] == "response":
            answers.append((hit["time"], hit["time"] - asked[hit["connection"]]))
    return answers


if __name__ == "__main__":
    main()
