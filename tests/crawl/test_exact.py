"""A whole crawl of the small Italian internet holds exactly the truth: same nodes, same arcs, nothing twice."""

import json
from pathlib import Path

from tests.crawl.crawling import differences, run_crawl
from tests.crawl.shard_reader import read_crawl
from webgraph_it.simweb import SimWeb


def test_a_crawl_of_every_habit_is_the_truth(tmp_path: Path) -> None:
    with SimWeb(hosts=60, pages=600, seed=7) as web:
        output = run_crawl(web, tmp_path / "crawl", seconds=180)
        assert differences(web, tmp_path / "crawl") == []
    assert "Traceback" not in output
    assert "ERROR" not in output


def test_unbuffered_shards_hold_the_same_graph(tmp_path: Path) -> None:
    with SimWeb(hosts=20, pages=200, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path / "buffered", GRAPH_BUFFER=7, URLS_BUFFER=5)
        run_crawl(web, tmp_path / "unbuffered", GRAPH_WRITER="webgraph_it.shards.writer.UnbufferedWriter")
        buffered, unbuffered = read_crawl(tmp_path / "buffered"), read_crawl(tmp_path / "unbuffered")
        assert differences(web, tmp_path / "buffered") == []
    assert buffered.arcs == unbuffered.arcs
    assert buffered.parents == unbuffered.parents


def test_quota_and_depth_cut_what_is_beyond_on_the_record(tmp_path: Path) -> None:
    with SimWeb(hosts=10, pages=300, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path / "quota", MAX_PAGES_PER_HOST=5)
        run_crawl(web, tmp_path / "depth", MAX_DEPTH=1)
    quota, depth = read_crawl(tmp_path / "quota"), read_crawl(tmp_path / "depth")
    hosts = [key.partition(")")[0] for key in quota.parents]
    assert max(map(hosts.count, hosts)) <= 5
    assert {"fetched", "quota-cut"} == {quota.state(key) for key in quota.urls}
    assert {line["depth"] for key in depth.parents for line in depth.pages[key]} == {0, 1}
    assert {"fetched", "quota-cut"} == {depth.state(key) for key in depth.urls}


def test_reports_have_the_names_archivists_know_and_add_up(tmp_path: Path) -> None:
    with SimWeb(hosts=10, pages=100, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path)
        seeds = len(web.seeds)
    reports = tmp_path / "reports"
    crawled = read_crawl(tmp_path)
    assert "Crawl Status: Finished" in (reports / "crawl-report.txt").read_text()
    assert f"Links in the Graph: {len(crawled.arcs)}" in (reports / "crawl-report.txt").read_text()
    mean = len(crawled.arcs) / len(crawled.parents)
    assert f"Mean Links per Document: {mean:.2f}" in (reports / "crawl-report.txt").read_text()
    assert f"{len(crawled.parents)} 200" in (reports / "responsecode-report.txt").read_text()
    assert " text/html" in (reports / "mimetype-report.txt").read_text()
    assert (reports / "seeds-report.txt").read_text().count("200 CRAWLED") == seeds
    rows = [row.split() for row in (reports / "hosts-report.txt").read_text().splitlines()[1:]]
    assert sum(int(row[0]) for row in rows) == len(crawled.pages)
    progress = [json.loads(line) for line in (reports / "progress.jsonl").read_text().splitlines()]
    assert progress[-1]["pages"] == len(crawled.pages)
