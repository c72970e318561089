"""Pages per second of a whole crawl, everything on, beside plain Scrapy, Crawlee and a bare loop. Ratios count.

    python -m tests.benchmarks.crawl [--rounds 3] [--hosts 1000] [--pages 20000] [--page-bytes 15000] [--degree 30]
                                     [--only ours,scrapy,scrapy-jobdir,crawlee,bare] [--stages]

Same pages, same end: the crawl has nothing left. Contenders run one after the other, in alternation; medians of
the rounds are printed. The web listens on port 80, because the peers cannot be told another port for the same
URLs: run it as root, or allow port 80 (sysctl net.ipv4.ip_unprivileged_port_start=80).
Our graph is compared with the truth in every round: speed without exactness does not count.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tests.crawl.crawling import crawl_command, differences
from webgraph_it.simweb import SimWeb

CONTENDERS = ("ours", "scrapy", "scrapy-jobdir", "crawlee", "bare")
PROJECT = Path(__file__).parents[3]


class Run(NamedTuple):
    seconds: float
    cpu_seconds: float
    peak_rss_mb: float
    pages: int


def measure(command: list[str]) -> tuple[Run, str]:
    """Run to the end; wall clock, CPU of the process and its children, peak resident memory."""
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, cwd=PROJECT, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        output.seek(0)
        text = output.read()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[2:5]} ended with code {process.returncode}:\n{text[-2000:]}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000, 0), text


def run_ours(web: SimWeb, folder: Path) -> Run:
    run, _ = measure(crawl_command(web, folder))
    wrong = differences(web, folder)
    if wrong:
        raise SystemExit(f"our graph is not the truth, {len(wrong)} differences, first: {wrong[0]}")
    progress = [json.loads(line) for line in (folder / "reports/progress.jsonl").open()]
    peak_mb = max(moment["rss_bytes"] for moment in progress) / 1e6
    return run._replace(pages=len(web.truth.nodes), peak_rss_mb=peak_mb)


def run_peer(name: str, hosts: Path, seeds: Path, folder: Path) -> Run:
    module = {"scrapy-jobdir": "scrapy"}.get(name, name)
    command = [sys.executable, "-m", f"tests.benchmarks.crawl.peer_{module}", str(hosts), str(seeds)]
    if name == "scrapy-jobdir":
        command.append(str(folder))
    run, text = measure(command)
    found: dict[str, Any] = json.loads(text.strip().splitlines()[-1])
    return run._replace(pages=found["pages"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--page-bytes", type=int, default=15_000)
    parser.add_argument("--degree", type=float, default=30.0)
    parser.add_argument("--only", default=",".join(CONTENDERS))
    options = parser.parse_args()
    names = [name for name in CONTENDERS if name in options.only.split(",")]
    print(f"Scrapy {version('scrapy')}, Crawlee {_version('crawlee')}, Python {sys.version.split()[0]}")
    runs: dict[str, list[Run]] = {name: [] for name in names}
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(
            hosts=options.hosts,
            pages=options.pages,
            seed=7,
            only=["plain"],
            page_bytes=options.page_bytes,
            degree=options.degree,
            hits=False,
            http_port=80,
        ) as web,
    ):
        hosts, seeds = Path(scratch) / "hosts.json", Path(scratch) / "seeds.txt"
        addresses = {prefix + host.name: host.address for host in web.world.hosts for prefix in ("", "www.")}
        hosts.write_text(json.dumps(addresses))
        seeds.write_text("\n".join(web.seeds))
        for number in range(options.rounds):
            for name in names:
                folder = Path(scratch) / f"{name}-{number}"
                run = run_ours(web, folder) if name == "ours" else run_peer(name, hosts, seeds, folder)
                runs[name].append(run)
                rate = run.pages / run.seconds
                print(
                    f"round {number + 1}: {name:14} {run.pages:7,} pages {run.seconds:7.1f} s {rate:8.0f}/s",
                    flush=True,
                )
    report(runs)


def report(runs: dict[str, list[Run]]) -> None:
    print(f"\n{'':14}{'pages/s':>10}{'ours is':>10}{'CPU ms/page':>14}{'ours is':>10}{'peak RSS MB':>14}")
    rates = {name: median(run.pages / run.seconds for run in found) for name, found in runs.items()}
    costs = {
        name: median(1000 * run.cpu_seconds / run.pages for run in found) for name, found in runs.items()
    }
    for name, found in runs.items():
        memory = median(run.peak_rss_mb for run in found)
        times = f"{rates['ours'] / rates[name]:9.2f}x" if "ours" in rates else ""
        cheaper = f"{costs[name] / costs['ours']:9.2f}x" if "ours" in costs else ""
        print(f"{name:14}{rates[name]:10.0f}{times}{costs[name]:14.2f}{cheaper}{memory:14.0f}")


def _version(package: str) -> str:
    try:
        return version(package)
    except ModuleNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()
