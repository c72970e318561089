"""The planner reproduces the thesis' figures, and says where they do not follow from its own numbers."""

import json
from pathlib import Path

import pytest

from tests.benchmarks.crawl_generator import generate
from tests.crawl.crawling import finish, start_crawl
from tests.crawl.shard_reader import read_crawl
from tests.verbs import convert
from tests.verbs import plan as main
from webgraph_it.graph import WebGraph
from webgraph_it.plan.capacity import (
    BV_NODE_BYTES,
    DAY,
    GIB,
    KIB,
    MIB,
    Crawl,
    archive_bytes,
    connections,
    crawl_disk,
    days,
    frontier_bytes,
    graph_disk,
    hash_bytes,
    hosts_needed,
    memory,
    speed,
)
from webgraph_it.plan.pending import curve, peak, pending
from webgraph_it.plan.schedule import mean_rate
from webgraph_it.simweb import SimWeb


def test_days_at_90_pages_a_second() -> None:
    assert f"{days(Crawl()):.2f}" == "34.86"


def test_hashes_are_220_gb() -> None:
    assert hash_bytes(Crawl()) / GIB == pytest.approx(220, abs=0.5)


def test_3_4_megabytes_a_second_are_45_days_not_83() -> None:
    crawl = Crawl(pages_per_second=None, bytes_per_second=3.4 * MIB)
    assert days(crawl) == pytest.approx(45, abs=0.1)


@pytest.mark.parametrize(("pages_per_second", "bytes_per_second", "expected"), [
    (90, None, 90), (None, 51_200, 1), (90, 51_200, 1), (1, 512_000, 1),
])  # fmt: skip
def test_the_narrower_limit_decides(
    pages_per_second: float | None, bytes_per_second: float | None, expected: float
) -> None:
    assert speed(Crawl(pages_per_second=pages_per_second, bytes_per_second=bytes_per_second)) == expected


def test_no_limit_at_all_is_no_plan() -> None:
    with pytest.raises(ValueError, match="give at least one"):
        speed(Crawl(pages_per_second=None))


def test_the_pending_list_peaks_where_the_thesis_says() -> None:
    crawled, waiting = peak(1e9, 200)
    assert f"{crawled / 1e6:.2f}" == "26.49"
    assert f"{waiting / 1e6:.1f}" == "968.5"


def test_the_peak_is_higher_than_its_neighbours() -> None:
    crawled, waiting = peak(1e6, 20)
    assert waiting > pending(crawled - 1000, 1e6, 20)
    assert waiting > pending(crawled + 1000, 1e6, 20)


def test_the_formula_begins_with_the_links_of_the_first_page_and_ends_at_nothing() -> None:
    assert pending(1, 1e9, 200) == pytest.approx(200)
    assert pending(1e9, 1e9, 200) == pytest.approx(0, abs=1)
    assert curve(1e9, 200)[-1] == (1e9, pytest.approx(0, abs=1))


def test_every_part_of_the_disk_grows_with_the_pages() -> None:
    small, large = Crawl(pages=1e6), Crawl(pages=2e6)
    for parts in (crawl_disk, graph_disk):
        assert all(parts(large)[name] == pytest.approx(2 * size) for name, size in parts(small).items())
    assert memory(large)["convert (digest → id table)"] == 34e6


def test_connections_follow_littles_law() -> None:
    crawl = Crawl(pages_per_second=100, fetch_seconds=3, host_delay_seconds=5)
    assert connections(crawl) == 300
    assert hosts_needed(crawl) == 800


def test_the_mean_of_a_week() -> None:
    plan = '[["mon-fri 08:00-19:00", "1500 KB/s"], ["*", "4 MB/s"]]'
    busy = 5 * 11 / (7 * 24)
    assert mean_rate(plan, None, "--schedule") == pytest.approx(1.5e6 * busy + 4e6 * (1 - busy))


def test_unlimited_hours_need_to_know_the_crawler() -> None:
    plan = [["sat,sun", "unlimited"], ["*", "1 MB/s"]]
    with pytest.raises(ValueError, match="--pages-per-second"):
        mean_rate(plan, None, "--schedule")
    assert mean_rate(plan, 5e6, "--schedule") == pytest.approx((2 * 5e6 + 5 * 1e6) / 7)


def test_the_text_says_all_figures_of_the_thesis(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    for figure in (
        "34.86 days",
        "220.2 GiB",
        "45.1 days; the thesis says 83",
        "968.5 million",
        "26.49 million",
    ):
        assert figure in said


def test_the_text_of_another_crawl_leaves_the_thesis_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--pages", "1e6", "--rate", "1 MB/s", "--page-kb", "20"]) == 0
    said = capsys.readouterr().out
    assert "thesis" not in said
    assert f"{1e6 * 20 * KIB / 1e6 / DAY:.2f} days" in said


def test_the_chart_is_one_page_without_requests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "plan.html"
    assert main(["--chart", str(page)]) == 0
    assert str(page) in capsys.readouterr().out
    html = page.read_text(encoding="utf-8")
    assert "<svg" in html
    assert "http" not in html.replace("http-equiv", "")


@pytest.mark.parametrize(
    "wrong", [["--rate", "fast"], ["--rate", "1 MB/s", "--schedule", "[]"], ["--schedule", "{"]]
)
def test_a_wrong_option_is_one_sentence(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(wrong) == 2
    said = capsys.readouterr().err
    assert said.startswith("--")
    assert said.count("\n") == 1


def test_a_real_crawl_fills_what_was_planned(tmp_path: Path) -> None:
    """Stopped half-way, so that URLs wait in the frontier."""
    with SimWeb(hosts=40, pages=4000, seed=5, only=["plain"]) as web:
        finish(start_crawl(web, tmp_path, CLOSESPIDER_PAGECOUNT=500))
    crawled = read_crawl(tmp_path)
    known, asked = len(crawled.urls), len(crawled.parents)
    url_bytes = sum(map(len, crawled.urls.values())) / known
    assert known > 2 * asked
    planned = crawl_disk(Crawl(pages=asked, links_per_page=len(crawled.arcs) / asked, url_bytes=url_bytes))

    def filled(folder: str, files: str = "*") -> int:
        return sum(path.stat().st_size for path in (tmp_path / folder).glob(files))

    assert filled("graph") == pytest.approx(planned["shards (graph/)"], rel=0.02)
    assert filled("urls") == pytest.approx(planned["URL lists (urls/)"] * known / asked, rel=0.2)
    assert filled("pages") == pytest.approx(planned["page log (pages/)"], rel=0.2)
    assert filled("frontier", "*.sst") == pytest.approx(
        frontier_bytes(known, known - asked, url_bytes), rel=0.33
    )


def test_a_real_graph_fills_what_was_planned(tmp_path: Path) -> None:
    """URL map and nodes aside: the web is too small for a dictionary, and Parquet for its headers."""
    crawl = generate(tmp_path / "crawl", nodes=20_000, arcs=600_000)
    assert convert([str(crawl), "--out", str(tmp_path / "out"), "--skip", "urls,nodes,hosts,domains"]) == 0
    graph = WebGraph(tmp_path / "out")
    planned = graph_disk(Crawl(pages=len(graph), links_per_page=graph.arcs / len(graph)))
    filled = {path.name: path.stat().st_size for path in (tmp_path / "out").iterdir()}
    rows = filled["offsets.u64"] + filled["targets.u32"]
    assert rows == pytest.approx(planned["CSR (offsets, targets)"], rel=0.01)
    assert filled["graph.g4"] == pytest.approx(planned["g4"], rel=0.05)
    assert filled["italy.offsets"] + filled["italy.ef"] == pytest.approx(BV_NODE_BYTES * len(graph), rel=0.25)
    assert filled["offsets-t.u64"] + filled["targets-t.u32"] == rows


def test_an_archive_is_planned_if_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert "archive" not in str(crawl_disk(Crawl()))
    assert main(["--warc", "--pages", "1e6", "--page-kb", "15"]) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if "archive (warc/)" in line]
    assert row.split()[-2:] == ["6.5", "GiB"]
    assert memory(Crawl(archived=True))["crawl"] > memory(Crawl())["crawl"]


@pytest.mark.slow
def test_the_archive_of_a_crawl_is_as_large_as_planned(tmp_path: Path) -> None:
    with SimWeb(hosts=10, pages=200, seed=3, only=["plain"]) as web:
        crawl = start_crawl(web, tmp_path, WARC=True)
        finish(crawl)
        pages = len(web.truth.nodes)
    files = [file.stat().st_size for file in (tmp_path / "warc").iterdir()]
    lines = (tmp_path / "pages/000001.jsonl").read_text().splitlines()
    received = sum(json.loads(line)["bytes"] for line in lines)
    planned = archive_bytes(Crawl(pages=pages, page_bytes=received / pages, archived=True))
    assert sum(files) == pytest.approx(planned, rel=0.15)
