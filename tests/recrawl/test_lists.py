"""Lists of a cluster become a plan."""

import json
import shlex
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.convert.crawls import ABOUT, HOME, LINKS, NEWS, SHOP, URLS, digest, write_crawl
from webgraph_it.cli import main
from webgraph_it.cluster import priorities
from webgraph_it.cluster.sources import sources
from webgraph_it.recrawl.plan_files import popularity


def write_lists(folder: Path, *crawls: Path) -> None:
    """What `webgraph-it cluster priorities` would make of the crawls, written by hand."""
    rows = [
        {"priority": place, "key": key, "url": URLS[key], "depth": 1, "host_depth": 0, "via": HOME}
        for place, key in enumerate(sorted([HOME, SHOP]))
    ]
    untried = pa.table({"digest": pa.array([digest("it,a)/")], pa.binary()), "in_degree": [7]})
    for name, table in (("revisits", pa.Table.from_pylist(rows)), ("untried", untried)):
        (folder / name).mkdir(parents=True)
        pq.write_table(table, folder / name / "part-00000.parquet")
    first_lines = [(crawl / "pages/000001.jsonl").read_bytes().splitlines()[0] for crawl in crawls]
    of = [sha256(line).hexdigest() for line in first_lines]
    facts = {"policy": "smoothed", "made": 1.5, "crawls": of, "rows": {"revisits": len(rows), "untried": 1}}
    (folder / "lists.json").write_text(json.dumps(facts))


def write_fleet(fleet: Path) -> list[Path]:
    """Two members, which share the small graph."""
    members = []
    for number, some in ((1, {HOME: LINKS[HOME], ABOUT: LINKS[ABOUT]}), (2, {NEWS: LINKS[NEWS], SHOP: []})):
        member = write_crawl(fleet / f"member-{number:02d}", some, states=dict.fromkeys(some, "fetched"))
        (member / "crawl.json").write_text(json.dumps({"recipe_version": 1, "FLEET_SIZE": 2}))
        members.append(member)
    return members


def test_lists_become_a_plan(tmp_path: Path) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    write_lists(tmp_path / "lists", crawl)
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


@pytest.mark.parametrize("table", ["revisits", "untried"])
def test_lists_of_which_a_file_is_lost_or_damaged_are_refused(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl, lists = write_crawl(tmp_path / "crawl"), tmp_path / "lists"
    write_lists(lists, crawl)
    part = lists / table / "part-00000.parquet"
    part.write_bytes(part.read_bytes()[:-20])
    assert main(["recrawl", "plan", str(crawl), "--from", str(lists)]) == 2
    assert f"{part} is damaged" in capsys.readouterr().err
    part.unlink()
    assert main(["recrawl", "plan", str(crawl), "--from", str(lists)]) == 2
    assert f"{lists / table} has 0 rows, expected" in capsys.readouterr().err
    assert not (crawl / "recrawl/000001").exists()


def test_a_folder_that_is_no_crawl_gets_no_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lists(tmp_path / "lists")
    assert main(["recrawl", "plan", str(tmp_path / "nothere"), "--from", str(tmp_path / "lists")]) == 2
    assert "is not a crawl directory: it has no crawl.json" in capsys.readouterr().err
    assert not (tmp_path / "nothere").exists()


def test_each_member_of_a_fleet_has_the_plan_of_the_whole_fleet(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    write_fleet(fleet)
    assert main(["recrawl", "plan", str(fleet)]) == 0
    plans = [fleet / f"member-{number:02d}/recrawl/000001" for number in (1, 2)]
    assert plans[0].joinpath("revisits.tsv").read_bytes() == plans[1].joinpath("revisits.tsv").read_bytes()
    planned = {line.split("\t")[1] for line in plans[0].joinpath("revisits.tsv").read_text().splitlines()}
    assert planned == {HOME, ABOUT, NEWS, SHOP}
    assert not (fleet / "recrawl/000001").exists()


@pytest.mark.parametrize("options", [["--budget", "0"], ["--policy", "smoothed"]])
def test_what_decides_the_lists_is_refused_beside_from(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    write_lists(tmp_path / "lists", crawl)
    assert main(["recrawl", "plan", str(crawl), "--from", str(tmp_path / "lists"), *options]) == 2
    assert "--budget and --policy belong to webgraph-it cluster priorities" in capsys.readouterr().err
    assert not (crawl / "recrawl").exists()


def test_lists_of_another_crawl_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl, other = write_crawl(tmp_path / "crawl"), write_crawl(tmp_path / "other")
    log = other / "pages/000001.jsonl"
    log.write_text(log.read_text().replace("1790000000.25", "1790000000.26"))
    write_lists(tmp_path / "lists", other)
    assert main(["recrawl", "plan", str(crawl), "--from", str(tmp_path / "lists")]) == 2
    assert f"has the lists of another crawl than {crawl}: make them" in capsys.readouterr().err
    assert not (crawl / "recrawl").exists()
    assert main(["recrawl", "plan", str(other), "--from", str(tmp_path / "lists")]) == 0
    empty = write_crawl(tmp_path / "empty", {}, {}, {})
    assert main(["recrawl", "plan", str(empty), "--from", str(tmp_path / "lists")]) == 2
    assert f"{empty} has fetched no page yet" in capsys.readouterr().err


def test_a_crawl_is_known_by_the_same_identity_on_spark(tmp_path: Path) -> None:
    members = write_fleet(tmp_path / "fleet")
    write_lists(tmp_path / "lists", *members)
    (members[0] / "pages/000002.jsonl").write_text("another line\n")
    by_hand = json.loads((tmp_path / "lists/lists.json").read_text())["crawls"]
    assert priorities.crawls(sources([str(tmp_path / "fleet")], 64)) == by_hand


def test_the_plan_of_a_fleet_is_where_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = tmp_path / "my fleet, à #1"
    members = write_fleet(fleet)
    write_lists(tmp_path / "lists", members[1])
    assert main(["recrawl", "plan", str(fleet), "--from", str(tmp_path / "lists")]) == 0
    *places, told = capsys.readouterr().out.splitlines()
    assert places == [str(member / "recrawl/000001") for member in members]
    assert all((Path(place) / "plan.json").exists() for place in places)
    assert f"{fleet}: 2 re-visits, 1 untried URL. Each member takes the plan over" in told
    assert shlex.split(told.partition("checkpoint: ")[2]) == [
        "webgraph-it",
        "control",
        str(fleet),
        "checkpoint",
    ]


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    assert main(["recrawl", "plan", str(crawl), "--from", str(tmp_path / "nothere")]) == 2
    assert f"--from {tmp_path}/nothere is not a folder" in capsys.readouterr().err
