"""Lists of a cluster become a plan."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.convert.crawls import ABOUT, HOME, LINKS, NEWS, SHOP, URLS, digest, write_crawl
from webgraph_it.cli import main
from webgraph_it.recrawl.plan_files import popularity


def write_lists(folder: Path) -> None:
    rows = [
        {"priority": place, "key": key, "url": URLS[key], "depth": 1, "host_depth": 0, "via": HOME}
        for place, key in enumerate(sorted([HOME, SHOP]))
    ]
    untried = pa.table({"digest": pa.array([digest("it,a)/")], pa.binary()), "in_degree": [7]})
    for name, table in (("revisits", pa.Table.from_pylist(rows)), ("untried", untried)):
        (folder / name).mkdir(parents=True)
        pq.write_table(table, folder / name / "part-00000.parquet")
    (folder / "lists.json").write_text(json.dumps({"policy": "smoothed", "made": 1.5}))


def test_lists_become_a_plan(tmp_path: Path) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    write_lists(tmp_path / "lists")
    assert main(["recrawl", "plan", str(crawl), "--from", str(tmp_path / "lists")]) == 0
    plan = crawl / "recrawl/000001"
    first, second = sorted([HOME, SHOP])
    expected = "".join(f"{at}\t{key}\t{URLS[key]}\t1\t0\t{HOME}\n" for at, key in enumerate([first, second]))
    assert (plan / "revisits.tsv").read_text() == expected
    assert (plan / "untried.u18").read_bytes() == digest("it,a)/") + popularity(7).to_bytes(2, "big")
    assert json.loads((plan / "plan.json").read_text())["policy"] == "smoothed"


def test_an_unfinished_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    assert main(["recrawl", "plan", str(crawl), "--from", str(tmp_path)]) == 2
    assert (
        "has no lists.json: give a finished folder of webgraph-it cluster priorities"
        in capsys.readouterr().err
    )
    assert not (crawl / "recrawl/000001").exists()


def test_a_folder_that_is_no_crawl_gets_no_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lists(tmp_path / "lists")
    assert main(["recrawl", "plan", str(tmp_path / "nothere"), "--from", str(tmp_path / "lists")]) == 2
    assert "is not a crawl directory: it has no crawl.json" in capsys.readouterr().err
    assert not (tmp_path / "nothere").exists()


def test_each_member_of_a_fleet_has_the_plan_of_the_whole_fleet(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    for number, some in ((1, {HOME: LINKS[HOME], ABOUT: LINKS[ABOUT]}), (2, {NEWS: LINKS[NEWS], SHOP: []})):
        member = write_crawl(fleet / f"member-{number:02d}", some, states=dict.fromkeys(some, "fetched"))
        (member / "crawl.json").write_text(json.dumps({"recipe_version": 1, "FLEET_SIZE": 2}))
    assert main(["recrawl", "plan", str(fleet)]) == 0
    plans = [fleet / f"member-{number:02d}/recrawl/000001" for number in (1, 2)]
    assert plans[0].joinpath("revisits.tsv").read_bytes() == plans[1].joinpath("revisits.tsv").read_bytes()
    planned = {line.split("\t")[1] for line in plans[0].joinpath("revisits.tsv").read_text().splitlines()}
    assert planned == {HOME, ABOUT, NEWS, SHOP}
    assert not (fleet / "recrawl/000001").exists()
