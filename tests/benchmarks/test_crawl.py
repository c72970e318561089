"""The crawl benchmarks measure what they say: small runs, and the arithmetic on made-up ones."""

import sys
from collections.abc import Callable

import pytest

from tests.benchmarks import long_crawl
from tests.benchmarks.crawl import __main__ as benchmark
from tests.benchmarks.crawl import stages
from tests.benchmarks.crawl.__main__ import report
from tests.benchmarks.crawl.contenders import Run, WrongGraph
from tests.benchmarks.crawl.stages import ENGINE, LOOP, START, Look, parse, stage_of
from tests.benchmarks.crawl.watch import Watched, watch
from tests.benchmarks.long_crawl import (
    Cost,
    Page,
    by_tenth,
    growth_ratio,
    limits_of,
    link_cost_us,
    memory_by_tenth,
    rate_with_work,
)


def watched(curve: list[tuple[float, float]]) -> Watched:
    return Watched(0, 1.0, 1.0, "", 1, {}, curve, 0.0)


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


# -- watching a program --------------------------------------------------------------------------------------


def test_peak_memory_is_the_programs_own_and_not_its_parents() -> None:
    large = bytearray(300_000_000)
    found = watch(python("import time; x = bytearray(60_000_000); time.sleep(0.5)"))
    assert 60 < found.peak_mb < 150
    assert len(large) == 300_000_000


def test_children_are_watched_beside_their_parent() -> None:
    child = "import time; x = bytearray(80_000_000); time.sleep(1)"
    found = watch(python(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"))
    assert found.children_peak_mb > 80 > found.peak_mb


def test_a_program_that_takes_too_long_is_killed() -> None:
    assert watch(python("import time; time.sleep(60)"), timeout_seconds=0.2).code == -9


def test_cpu_between_two_looks_lies_on_a_line() -> None:
    found = watched([(10.0, 1.0), (12.0, 3.0)])
    assert [found.cpu_until(t) for t in (10.0, 11.0, 12.0, 99.0)] == [1.0, 2.0, 3.0, 3.0]


# -- stages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frames", "stage"),
    [
        (["dumps (/lib/json/__init__.py:1)", "give (/p/webgraph_it/extract/process.py:1)"], "extraction"),
        (["name (/p/webgraph_it/extract/naming.py:1)", "x (/p/webgraph_it/extract/html.py:1)"], "names"),
        (["key (/p/webgraph_it/urls/names.py:1)", "x (/p/webgraph_it/engine/scheduler.py:1)"], "names"),
        (["send (/p/webgraph_it/fetch/connection.py:1)", "x (/p/webgraph_it/engine/lane.py:1)"], "fetch"),
        (["parse (/p/webgraph_it/spiders/national.py:1)"], ENGINE),
        (["send (/s/scrapy/signalmanager.py:1)", "run (/s/twisted/internet/asyncioreactor.py:1)"], ENGINE),
        (["run (/s/twisted/internet/asyncioreactor.py:1)", "start (/s/scrapy/crawler.py:1)"], LOOP),
        (
            ["exec (x:1)", "load (<frozen importlib._bootstrap>:1)", "a (/p/webgraph_it/fetch/dns.py:1)"],
            START,
        ),
    ],
)
def test_a_look_belongs_to_the_innermost_room(frames: list[str], stage: str) -> None:
    assert stage_of(Look(7, 7, 7, frames, 1)) == stage


def test_a_thread_without_a_frame_of_ours_only_waits() -> None:
    assert stage_of(Look(7, 7, 8, ["get (/lib/queue.py:1)"], 1)) is None
    assert stage_of(Look(7, 7, 8, ["get (/s/r.py:1)", "x (/p/webgraph_it/shards/writer.py:1)"], 1)) == "graph"


def test_looks_are_read_with_their_process_and_thread() -> None:
    line = (
        'process 5:"a -s B=["c"]";process 6:"worker";thread (6): MainThread;outer (a.py:1);inner (b.py:2) 12'
    )
    assert parse([line]) == [Look(5, 6, 6, ["inner (b.py:2)", "outer (a.py:1)"], 12)]


# -- what is computed from a page log ------------------------------------------------------------------------


def page(host: str, asked_at: float) -> Page:
    return Page(host, asked_at, 0.1, 5, 100)


def test_the_rate_is_of_the_time_in_which_all_hosts_have_work() -> None:
    early = [page("a.it", 0.5 * n) for n in range(41)]  # 2/s, from 0 to 20
    late = [page("b.it", 5 + 2.0 * n) for n in range(11)]  # 0.5/s, from 5 to 25
    rate, window = rate_with_work([*early, *late])
    assert rate == pytest.approx(2.5)
    assert window == pytest.approx((5.0, 15.0))


def test_hosts_in_lock_step_do_not_move_the_rate() -> None:
    pages = [page(f"{host}.it", 10.0 * n + host / 1000) for host in range(50) for n in range(6)]
    assert rate_with_work(pages)[0] == pytest.approx(5.0)


def test_a_window_without_two_fetches_of_each_host_is_refused() -> None:
    with pytest.raises(SystemExit, match="too short"):
        rate_with_work([page("a.it", 0.0), page("a.it", 1.0), page("b.it", 5.0), page("b.it", 6.0)])


def test_tenths_have_their_own_rate_and_cpu() -> None:
    times = [*(n / 10 for n in range(90)), *(9 + n / 5 for n in range(11))]  # 10/s, then 5/s
    curve = [(0.0, 0.0), (9.0, 0.9), (11.0, 1.3)]
    rates, costs = by_tenth(times, watched(curve))
    assert [rates[1], rates[9]] == [pytest.approx(10), pytest.approx(5)]
    assert [costs[1], costs[9]] == [pytest.approx(10), pytest.approx(40)]


def test_memory_is_the_mean_of_each_tenth_of_the_pages_whatever_their_times() -> None:
    progress = [{"pages": pages, "rss_bytes": 1_000_000 * pages} for pages in (0, 1, 2, 50, 100)]
    memory = memory_by_tenth(progress)
    assert [memory[0], memory[9]] == [pytest.approx(5, abs=0.5), pytest.approx(95, abs=0.5)]


def test_a_polite_crawl_has_three_limits() -> None:
    limits = limits_of([0.25, 0.25, 0.5], delay_seconds=0.5, cpu_limit=700.0)
    assert limits == pytest.approx({"politeness": 1 / 0.75 + 1 / 0.75 + 1, "connections": 6000, "CPU": 700})


def test_a_link_costs_what_further_links_add() -> None:
    assert link_cost_us(Cost(10, 1.0), Cost(50, 1.4)) == pytest.approx(10.0)
    assert growth_ratio([Cost(10, 1.0), Cost(50, 1.4), Cost(200, 2.3)]) == pytest.approx(0.6)


# -- the comparison ------------------------------------------------------------------------------------------


def run(pages: int, seconds: float, cpu_seconds: float) -> Run:
    return Run(pages, seconds, cpu_seconds, 100.0, 0.0, 0.0)


def test_ratios_are_of_the_medians_and_a_peer_with_other_pages_is_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ours = [run(100, seconds, 3.0) for seconds in (2.0, 1.0, 50.0)]
    report({"ours": ours, "scrapy": [run(100, 20.0, 30.0)], "crawlee": [run(99, 10.0, 6.0)]}, 100)
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert "crawlee did not fetch the 100 pages of the web, but [99]" in lines["crawlee"]
    assert lines["scrapy"].split()[1:7] == ["20.0", "5", "10.00×", "30.0", "300.00", "10.00×"]


# -- small runs ----------------------------------------------------------------------------------------------


def test_a_small_run_of_ours_prints_all_stages(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark.main(["--hosts=10", "--pages=100", "--rounds=1", "--only=ours,stages"]) == 0
    said = capsys.readouterr().out
    assert "Our graph equalled the truth in 1 of 1 rounds" in said
    if "No stages" not in said:  # py-spy comes with the benchmarks' extra
        rows = {line[:16].strip(): line[16:40].split() for line in said.splitlines() if line[:16].strip()}
        crawl = [float(rows[stage][0]) for stage in stages.STAGES]
        assert sum(crawl) == pytest.approx(float(rows["all CPU"][0]), rel=0.1)
        assert rows["idle"]


@pytest.mark.parametrize(
    "main", [lambda: benchmark.main(["--only=x"]), lambda: long_crawl.main(["--part=x"])]
)
def test_an_unknown_name_is_refused(main: Callable[[], int], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main()
    assert "there are" in capsys.readouterr().err


def test_a_graph_that_is_not_the_truth_fails_the_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object) -> None:
        raise WrongGraph("Our graph is not the truth: 1 differences, first: one")

    monkeypatch.setattr(benchmark, "run_ours", wrong)
    assert benchmark.main(["--hosts=2", "--pages=4", "--only=ours"]) == 1
    monkeypatch.setitem(long_crawl.PARTS, "long", wrong)
    assert long_crawl.main(["--part=long"]) == 1
