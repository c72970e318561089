"""A whole crawl, everything on, beside plain Scrapy, Crawlee and a bare loop; then where our time goes. Ratios count.

    python -m tests.benchmarks.crawl [--set 15|80|both] [--rounds 3] [--hosts 1000] [--pages 20000]
                                     [--only ours,scrapy,scrapy-jobdir,crawlee,bare,stages]

Set 15: pages of 15 KB with 30 links; set 80: 80 KB with 60 links. The web is a process of its own on the same cores,
without habits and without politeness delays; it keeps its pages in memory, and a visit before the first round makes
them, so that little of the cores goes to it. Same pages, same end: the crawl has nothing left. Contenders run one
after the other, in alternation; the table has medians of the rounds, start and end of the process included. Wall
and CPU time are of the contender with all its processes; "ours is" says how many times less of it ours needs.
Our graph is compared with the truth in every round, and a difference fails the benchmark: speed without exactness
does not count. A peer that fetched other than the true number of pages is reported, but not judged. Each round says
how many cores other programs used meanwhile: it should be near 0.
stages: one more run of ours, under py-spy: CPU a page by stage.

With peers the web listens on port 80, because they cannot be told another port for the same URLs: run it as root, or
allow port 80 (sysctl net.ipv4.ip_unprivileged_port_start=80).
"""

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks.crawl import stages
from tests.benchmarks.crawl.contenders import (
    OURS,
    PEERS,
    PeerFailed,
    Run,
    WrongGraph,
    check,
    missing,
    run_ours,
    run_peer,
)
from tests.crawl.crawling import crawl_command
from webgraph_it.simweb import SimWeb

STAGES = "stages"
NAMES = (OURS, *PEERS, STAGES)
MAX_FILES = 100_000
"""Open files allowed to contenders: Scrapy's JOBDIR keeps one or two a host."""


class PageSet(NamedTuple):
    page_bytes: int
    degree: float


SETS = {"15": PageSet(15_000, 30.0), "80": PageSet(80_000, 60.0)}


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    names = [name for name in NAMES if name in options.only and not missing(name)]
    print(
        ", ".join(f"{package} {_version(package)}" for package in ("webgraph_it", "scrapy", "crawlee")),
        end="; ",
    )
    print(f"Python {sys.version.split()[0]}; not installed: {[n for n in PEERS if missing(n)] or 'nothing'}")
    _allow_many_files()
    failed = False
    for name in SETS if options.set == "both" else [options.set]:
        try:
            failed |= compare(names, SETS[name], options)
        except WrongGraph as error:
            print(error)
            failed = True
    return int(failed)


def compare(names: list[str], pages: PageSet, options: argparse.Namespace) -> bool:
    """One set, all contenders, all rounds; whether a contender failed."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(
            hosts=options.hosts,
            pages=options.pages,
            seed=7,
            only=["plain"],
            page_bytes=pages.page_bytes,
            degree=pages.degree,
            hits=False,
            keep=True,
            http_port=80 if set(names) & set(PEERS) else 0,
        ) as web,
    ):
        true_pages = len(web.truth.nodes)
        links = len(web.truth.arcs) / true_pages
        print(
            f"\n{true_pages:,} pages of {pages.page_bytes / 1000:.0f} KB with {links:.1f} links on {options.hosts:,} "
            f"hosts; {options.rounds} rounds"
        )
        runs, failed = play(web, names, Path(scratch), options)
        if runs:
            report(runs, true_pages)
        if STAGES in names:
            print_stages(web, Path(scratch))
    return failed


def play(
    web: SimWeb, names: list[str], scratch: Path, options: argparse.Namespace
) -> tuple[dict[str, list[Run]], bool]:
    """All rounds; a peer that fails is told of, and does not play the rounds after."""
    hosts, seeds = scratch / "hosts.json", scratch / "seeds.txt"
    addresses = {prefix + host.name: host.address for host in web.world.hosts for prefix in ("", "www.")}
    hosts.write_text(json.dumps(addresses))
    seeds.write_text("\n".join(web.seeds))
    runs: dict[str, list[Run]] = {}
    playing = [name for name in names if name != STAGES]
    run_ours(web, scratch / "first-visit")
    for number in range(1, options.rounds + 1):
        for name in list(playing):
            folder = scratch / f"{name}-{number}"
            try:
                run = (
                    run_ours(web, folder)
                    if name == OURS
                    else run_peer(name, web, hosts, seeds, folder, options.timeout)
                )
            except PeerFailed as error:
                print(error, flush=True)
                playing.remove(name)
                continue
            runs.setdefault(name, []).append(run)
            print(
                f"round {number}: {name:14}{run.pages:8,} pages{run.seconds:8.1f} s wall{run.cpu_seconds:8.1f} s CPU"
                f"   (others used {run.others_cores:.2f} cores)",
                flush=True,
            )
    return runs, len(playing) < len([name for name in names if name != STAGES])


def report(runs: dict[str, list[Run]], true_pages: int) -> None:
    print(
        f"\n{'median':14}{'wall s':>9}{'pages/s':>9}{'ours is':>9}"
        f"{'CPU s':>9}{'ms/page':>9}{'ours is':>9}{'peak MB':>9}"
    )
    ours = runs.get(OURS)
    for name, found in runs.items():
        wall, cpu, pages = (_median(found, value) for value in (_wall, _cpu, _pages))
        print(
            f"{name:14}{wall:9.1f}{pages / wall:9.0f}{_times(ours, _wall, wall)}{cpu:9.1f}"
            f"{1e3 * cpu / pages:9.2f}{_times(ours, _cpu, cpu)}{_median(found, lambda run: run.peak_mb):9.0f}"
            f"{_workers(found)}"
        )
    for name, found in runs.items():
        counts = sorted({run.pages for run in found} - {true_pages})
        if counts:
            print(f"{name} did not fetch the {true_pages:,} pages of the web, but {counts}: read its row so.")
    if ours:
        print(f"Our graph equalled the truth in {len(ours)} of {len(ours)} rounds.")


def print_stages(web: SimWeb, scratch: Path) -> None:
    folder = scratch / STAGES
    try:
        found = stages.profile(crawl_command(web, folder), scratch)
    except stages.NoProfile as sentence:
        print(sentence)
        return
    check(web, folder)
    stages.print_table(found, len(web.truth.nodes))


def _wall(run: Run) -> float:
    return run.seconds


def _cpu(run: Run) -> float:
    return run.cpu_seconds


def _pages(run: Run) -> float:
    return run.pages


def _median(runs: list[Run], value: Callable[[Run], float]) -> float:
    return median(map(value, runs))


def _times(ours: list[Run] | None, value: Callable[[Run], float], theirs: float) -> str:
    return f"{theirs / _median(ours, value):8.2f}×" if ours else " " * 9


def _workers(runs: list[Run]) -> str:
    beside = _median(runs, lambda run: run.workers_mb)
    return f" + {beside:.0f} in workers" if beside else ""


def _allow_many_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _names(text: str) -> list[str]:
    unknown = [name for name in text.split(",") if name not in NAMES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no {unknown[0]!r}; there are {', '.join(NAMES)}")
    return text.split(",")


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--set", choices=[*SETS, "both"], default="15")
    found.add_argument("--rounds", type=int, default=3)
    found.add_argument("--hosts", type=int, default=1000)
    found.add_argument("--pages", type=int, default=20_000)
    found.add_argument("--only", type=_names, default=list(NAMES), help=f"some of {','.join(NAMES)}")
    found.add_argument("--timeout", type=float, default=3600.0, help="seconds for one run of a peer")
    return found


if __name__ == "__main__":
    sys.exit(main())
