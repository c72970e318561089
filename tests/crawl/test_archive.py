"""A crawl with WARC=True, judged by the web's own log, by the page log and by other people's readers."""

import asyncio
import gzip
import json
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from tests.crawl.recrawling import plan_pages
from tests.crawl.test_recrawl import CHANGING
from tests.warc.archives import ANSWERS, archived, logged, named, page_log, served, status_of, warc_files
from tests.warc.exchanges import exchange
from tests.warc.witnesses import (
    Record,
    checked_by_warcio,
    indexed_by_cdxj_indexer,
    records,
    wrong_for_fastwarc,
)
from webgraph_it.crawl.archive import Archivist, described
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.engine.pipeline import warc_writers
from webgraph_it.killpoint import POINTS
from webgraph_it.shards.writer import Durable, Shards
from webgraph_it.simweb import SimWeb
from webgraph_it.warc.capture import capture_of
from webgraph_it.warc.cdxj import index_of
from webgraph_it.warc.record import warc_date
from webgraph_it.warc.stream import WarcStream

FAST = {"WARC": True, "COMMIT_INTERVAL": 0.2, "CHECKPOINT_INTERVAL": 0.7}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SimWeb, Path]]:
    """One crawl of every habit of simweb."""
    jobdir = tmp_path_factory.mktemp("crawl")
    with SimWeb(hosts=40, pages=500, seed=11) as web:
        run_crawl(web, jobdir, **FAST)
        yield web, jobdir


@pytest.fixture(scope="module")
def found(crawled: tuple[SimWeb, Path]) -> list[Record]:
    return archived(crawled[1])


def test_every_answer_of_the_web_is_archived_once_robots_txt_included(
    crawled: tuple[SimWeb, Path], found: list[Record]
) -> None:
    answers = Counter((record.url, status_of(record)) for record in found if record.kind in ANSWERS)
    assert answers == served(crawled[0])
    assert sum(url.endswith("/robots.txt") for url, _ in answers) > 20
    assert {200, 301, 404, 429, 500} <= {status for _, status in answers}


def test_every_answer_has_its_request_and_every_page_its_metadata(
    crawled: tuple[SimWeb, Path], found: list[Record]
) -> None:
    assert named(found, "request") == named(found, *ANSWERS)
    assert named(found, "metadata") == logged(crawled[1])
    assert not named(found, "metadata") - named(found, *ANSWERS)


def test_the_archive_changes_nothing_in_the_graph(crawled: tuple[SimWeb, Path]) -> None:
    assert differences(*crawled) == []


def test_out_links_are_all_links_of_the_document(crawled: tuple[SimWeb, Path], found: list[Record]) -> None:
    links = {record.url: record.block.count(b"\noutlink: ") for record in found if record.kind == "metadata"}
    lines = {line["url"]: line["links"] for line in page_log(crawled[1]) if line["status"]}
    assert all(links[url] >= count for url, count in lines.items())
    assert sum(links.values()) > sum(lines.values())  # those out of scope


def test_a_response_is_as_it_was_received(found: list[Record]) -> None:
    responses = [record.block.partition(b"\r\n\r\n") for record in found if record.kind == "response"]
    chunked = [body for head, _, body in responses if b"transfer-encoding: chunked" in head.lower()]
    packed = [body for head, _, body in responses if b"content-encoding: gzip" in head.lower()]
    assert len(chunked) > 20
    assert all(body.endswith(b"0\r\n\r\n") for body in chunked)
    assert len(packed) > 20
    assert any(gzip.decompress(body).startswith(b"<") for body in packed if body[:2] == b"\x1f\x8b")


def test_revisits_refer_to_a_response_of_the_same_file(crawled: tuple[SimWeb, Path]) -> None:
    revisits = 0
    for file in warc_files(crawled[1]):
        seen: dict[str, Record] = {}
        for record in records(file):
            if record.kind == "response":
                seen[record.headers["WARC-Record-ID"]] = record
            elif record.kind == "revisit":
                original = seen[record.headers["WARC-Refers-To"]]
                assert record.headers["WARC-Refers-To-Target-URI"] == original.url
                assert record.headers["WARC-Payload-Digest"] == original.headers["WARC-Payload-Digest"]
                revisits += 1
    assert revisits > 20


def test_warcio_check_confirms_all_but_chunked_payloads(
    crawled: tuple[SimWeb, Path],
    found: list[Record],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It compares the payload digest with the chunk sizes included (warcio issue 74)."""
    _, said = checked_by_warcio(warc_files(crawled[1]), monkeypatch, capsys)
    chunked = {
        record.headers["WARC-Record-ID"]
        for record in found
        if record.kind == "response"
        and b"transfer-encoding: chunked" in record.block.partition(b"\r\n\r\n")[0].lower()
    }
    failed = [line.split()[3] for line in said.splitlines() if "WARC-Record-ID" in line]
    assert set(failed) <= chunked
    assert said.count("digest failed") == said.count("payload digest failed") == len(failed)


def test_fastwarc_confirms_every_response(crawled: tuple[SimWeb, Path]) -> None:
    files = warc_files(crawled[1])
    assert len(files) > 1
    assert [wrong_for_fastwarc(file) for file in files] == [[] for _ in files]


def test_every_file_of_a_closed_crawl_has_the_index_of_cdxj_indexer(crawled: tuple[SimWeb, Path]) -> None:
    for file in warc_files(crawled[1]):
        assert index_of(file).read_text() == indexed_by_cdxj_indexer(file)


def test_the_next_file_begins_at_its_size(tmp_path: Path) -> None:
    """And with it the next number of all files: those with one number belong together."""
    with SimWeb(hosts=10, pages=200, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path, WARC=True, WARC_FILE_SIZE="200 KB", BANDWIDTH_SCHEDULE=[["*", "1500 KB/s"]])
    files = warc_files(tmp_path)
    assert len(files) > 1
    assert min(file.stat().st_size for file in files[:-1]) >= 200_000
    for file in files:
        number = file.name.partition(".")[0]
        log = (tmp_path / "pages" / f"{number}.jsonl").read_text().splitlines()
        dates = Counter(
            (line["url"], warc_date(line["time"])) for line in map(json.loads, log) if line["status"]
        )
        assert named(records(file), "metadata") == dates
        assert index_of(file).exists()


def test_a_body_that_was_cut_says_so(tmp_path: Path) -> None:
    with SimWeb(hosts=5, pages=50, seed=3, only=["plain"]) as web:
        run_crawl(web, tmp_path, WARC=True, MAX_BODY_BYTES=500)
    cut = [
        record
        for record in archived(tmp_path)
        if record.kind == "response" and "WARC-Truncated" in record.headers
    ]
    assert {record.headers["WARC-Truncated"] for record in cut} == {"length"}
    plain = [record.block for record in cut if b"chunked" not in record.block]
    assert {len(block.partition(b"\r\n\r\n")[2]) for block in plain} == {500}


def test_a_crawl_may_begin_its_archive_at_a_re_visit_and_a_304_is_a_revisit(tmp_path: Path) -> None:
    days_later, habits = 5, {**CHANGING, "validators": ("honest",)}
    with SimWeb(hosts=8, pages=100, degree=5, page_bytes=800, only=["plain"], **habits) as web:
        run_crawl(web, tmp_path)
        assert not (tmp_path / "warc").exists()
        before = logged(tmp_path)
        plan_pages(tmp_path)
        web.turn_to(days_later)
        crawl = start_crawl(web, tmp_path, days_later=days_later, WARC=True)
        output = finish(crawl)
        assert crawl.returncode == 0, output[-4000:]
    found = archived(tmp_path)
    assert named(found, "metadata") == logged(tmp_path) - before
    unmodified = {
        (record.url, record.date) for record in found if record.kind == "revisit" and not record.block
    }
    lines = [line for line in page_log(tmp_path) if line["status"] == 304]
    assert len(lines) > 20
    assert unmodified == {(line["url"], warc_date(line["time"])) for line in lines}


def committed(jobdir: Path) -> dict[str, int]:
    file = jobdir / "committed.json"
    lengths: dict[str, int] = json.loads(file.read_text()).get("warc", {}) if file.exists() else {}
    return lengths


def kill_after_a_commit(web: SimWeb, jobdir: Path, seconds: float, kill_at: str = "") -> int:
    """Kill -9 a crawl some time after it has committed something, or at the point, if it comes to it before.

    Returns how many bytes of the archive are committed then. They are whole members."""
    before = sum(committed(jobdir).values())
    crawl = start_crawl(web, jobdir, kill_at=kill_at, **FAST)
    while crawl.poll() is None and sum(committed(jobdir).values()) == before:
        time.sleep(0.02)
    time.sleep(seconds)
    crawl.kill()
    output = finish(crawl)
    assert crawl.returncode in (0, -signal.SIGKILL), output[-4000:]
    lengths = committed(jobdir)
    for name, length in lengths.items():
        content = (jobdir / "warc" / name).read_bytes()[:length]
        assert not content or gzip.decompress(content).endswith(b"\r\n\r\n")
        records(content)
    return sum(lengths.values())


def judge(web: SimWeb, jobdir: Path) -> None:
    """The archive agrees with the page log one to one, and the graph is the truth."""
    found = archived(jobdir)
    assert named(found, "metadata") == logged(jobdir)
    assert max(named(found, "metadata").values()) == 1
    assert named(found, "request") == named(found, *ANSWERS)
    assert not named(found, "metadata") - named(found, *ANSWERS)
    assert [wrong_for_fastwarc(file) for file in warc_files(jobdir)] == [[] for _ in warc_files(jobdir)]
    assert differences(web, jobdir) == []
    for file in warc_files(jobdir):
        assert index_of(file).read_text() == indexed_by_cdxj_indexer(file)


def test_killed_and_resumed_the_archive_agrees_with_the_page_log(tmp_path: Path) -> None:
    chance = random.Random(3)
    with SimWeb(hosts=20, pages=300, seed=12) as web:
        kept = [kill_after_a_commit(web, tmp_path, chance.uniform(0, 0.3)) for _ in range(2)]
        assert 0 < kept[0] < kept[-1]
        assert len(logged(tmp_path)) < len(web.truth.nodes)
        run_crawl(web, tmp_path, **FAST)
        judge(web, tmp_path)


@pytest.mark.slow
def test_killed_a_hundred_times_the_archive_agrees_with_the_page_log(tmp_path: Path) -> None:
    chance = random.Random(4)
    for number in range(12):
        jobdir = tmp_path / str(number)
        with SimWeb(hosts=60, pages=1500, seed=200 + number) as web:
            for _ in range(8):
                point = f"{chance.choice(POINTS)}:{chance.randint(1, 4)}" if chance.random() < 0.5 else ""
                kill_after_a_commit(web, jobdir, chance.uniform(0, 0.3), point)
            run_crawl(web, jobdir, **FAST)
            judge(web, jobdir)


def test_the_warcinfo_says_who_crawled_what() -> None:
    settings = {
        "CRAWL_NAME": "italy",
        "SCOPE_SURTS": ["it,", "com,a"],
        "CONTACT_URL": "https://a.it/",
        "FROM_EMAIL": "",
    }
    said = dict(described(settings))
    assert said["isPartOf"] == "italy"
    assert said["description"] == "SCOPE_SURTS it, com,a"
    assert said["http-header-user-agent"].endswith("(+https://a.it/)")
    assert "http-header-from" not in said


def test_an_index_is_not_written_before_its_file_is_committed(tmp_path: Path) -> None:
    """A crash would cut the file back, and the index would name records that are gone."""

    async def play() -> None:
        shards = Shards(tmp_path, None, {"warc": 0}, own_classes={"warc": warc_writers(WarcStream([]))})
        writer: Any = shards["warc"]
        directory = JobDirectory(tmp_path)
        archivist = Archivist(directory, writer)
        writer.write(capture_of(exchange()))
        committed: dict[str, Durable] = {}
        shards.sync(committed.update, next_number=True).result(timeout=10)
        await archivist.index()
        assert not list((tmp_path / "warc").glob("*.cdxj"))
        directory.write_committed(committed)
        await archivist.index()
        assert [file.name for file in (tmp_path / "warc").glob("*.cdxj")] == ["000001.cdxj"]
        await archivist.close()
        shards.close()

    asyncio.run(play())
