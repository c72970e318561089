"""Does the crawl stay as fast as it began? Many pages, many hosts waiting, and growth with links per page.

    python -m tests.benchmarks.long_crawl [--pages 200000] [--hosts 20000] [--part long,waiting,growth]

long      pages/s in the last tenth against the second tenth, and memory over time (pages are made on the fly)
waiting   politeness on: delay 1 s, hosts with latencies of 50 to 500 ms; pages/s against the ideal
          hosts ÷ (delay + time per fetch)
growth    CPU per link with 10, 50 and 200 links a page
The graph is compared with the truth in every part.
"""

import argparse
import json
import tempfile
from pathlib import Path
from statistics import mean

from tests.benchmarks.crawl.__main__ import measure
from tests.crawl.crawling import crawl_command, differences
from webgraph_it.simweb import SimWeb


def page_times(folder: Path) -> list[float]:
    """When each page was asked for, in order."""
    lines = (line for path in sorted((folder / "pages").iterdir()) for line in path.open())
    return sorted(json.loads(line)["time"] for line in lines)


def check(web: SimWeb, folder: Path) -> None:
    wrong = differences(web, folder)
    print(f"graph: {'equals the truth' if not wrong else f'{len(wrong)} DIFFERENCES, first: {wrong[0]}'}")


def long(pages: int, hosts: int) -> None:
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(hosts=hosts, pages=pages, seed=7, only=["plain"], hits=False) as web,
    ):
        folder = Path(scratch)
        run, _ = measure(crawl_command(web, folder))
        times = page_times(folder)
        tenth = len(times) // 10
        rates = [tenth / (times[(i + 1) * tenth - 1] - times[i * tenth]) for i in range(10)]
        progress = [json.loads(line) for line in (folder / "reports/progress.jsonl").open()]
        memory = [snapshot["rss_bytes"] / 1e6 for snapshot in progress]
        print(
            f"{len(times):,} pages on {hosts:,} hosts in {run.seconds:.0f} s, {len(times) / run.seconds:.0f} pages/s"
        )
        print("pages/s by tenth:", " ".join(f"{rate:.0f}" for rate in rates))
        print(f"last tenth / second tenth: {rates[9] / rates[1]:.2f}")
        print("RSS in MB over time:", " ".join(f"{mb:.0f}" for mb in memory[:: max(1, len(memory) // 10)]))
        check(web, folder)


def waiting(hosts: int = 5000, pages: int = 40_000) -> None:
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(
            hosts=hosts,
            pages=pages,
            seed=7,
            only=["latency"],
            shares={"latency": 1.0},
            latency_seconds=0.16,
            hits=False,
        ) as web,
    ):
        folder = Path(scratch)
        measure(crawl_command(web, folder, HOST_DELAY=1, MAX_DEPTH=0))
        times = page_times(folder)
        seconds = mean(json.loads(line)["seconds"] for line in (folder / "pages/000001.jsonl").open())
        ideal = hosts / (1 + seconds)
        window = 5.0
        best = max(
            sum(1 for t in times if start <= t < start + window) / window
            for start in times[:: len(times) // 50]
        )
        print(f"{hosts:,} hosts, delay 1 s, mean fetch {seconds * 1000:.0f} ms: ideal {ideal:.0f} pages/s")
        print(
            f"best {window:.0f} s: {best:.0f} pages/s, {best / ideal:.2f} of the ideal (or the CPU was the limit)"
        )
        check(web, folder)


def growth(pages: int = 4000, hosts: int = 200) -> None:
    for degree in (10, 50, 200):
        with (
            tempfile.TemporaryDirectory() as scratch,
            SimWeb(
                hosts=hosts, pages=pages, seed=7, only=["plain"], degree=degree, page_bytes=20_000, hits=False
            ) as web,
        ):
            folder = Path(scratch)
            run, _ = measure(crawl_command(web, folder))
            links = len(web.truth.arcs)
            print(
                f"{links / pages:6.1f} links a page: {pages / run.seconds:6.0f} pages/s, "
                f"{run.cpu_seconds / pages * 1e3:.2f} ms CPU a page, {run.cpu_seconds / links * 1e6:.1f} µs CPU a link"
            )
            check(web, folder)


PARTS = {"long": long, "waiting": waiting, "growth": growth}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--hosts", type=int, default=20_000)
    parser.add_argument("--part", default=",".join(PARTS))
    options = parser.parse_args()
    for part in options.part.split(","):
        print(f"-- {part}", flush=True)
        if part == "long":
            long(options.pages, options.hosts)
        else:
            PARTS[part]()  # type: ignore[operator]


if __name__ == "__main__":
    main()
