"""Archives become crawl directories: what is recorded, what is left out, and by which name."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, content
from tests.crawl.test_workers import NAMED
from tests.extract.bombs import BOMBS
from tests.ingest.archives import HTML, Capture, ingest, page, warc, write
from webgraph_it.cli import main
from webgraph_it.frontier.harvest import Harvest
from webgraph_it.frontier.records import Limits, Order
from webgraph_it.frontier.rocks import RocksStore
from webgraph_it.graph import WebGraph
from webgraph_it.ingest import ahead
from webgraph_it.ingest.ledger import Ledger
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.simweb import packed_bombs

LATER = "2024-06-01T10:00:00Z"


def counts(jobdir: Path) -> dict[str, int]:
    """What the records of all files were."""
    harvest = Harvest.open(
        RocksStore(jobdir / "frontier"), Order.BREADTH, Limits(*(0,) * len(Limits._fields)), 0.0
    )
    try:
        return dict(Ledger(harvest).counts())
    finally:
        harvest.abandon()


def arcs(jobdir: Path, *arguments: object) -> set[tuple[str, str]]:
    return set(ingest(jobdir, *arguments).arcs)


def converted(jobdir: Path) -> WebGraph:
    out = jobdir.with_name(f"{jobdir.name} graph")
    assert main(["convert", str(jobdir), "--out", str(out), "--only", "csr,urls,nodes"]) == 0
    return WebGraph(out)


def test_pages_redirects_and_errors_are_recorded_as_a_crawl_does(tmp_path: Path) -> None:
    file = write(
        tmp_path / "a.warc.gz",
        [
            Capture("http://www.uno.it/", page("/a", "http://due.it/", "http://fuori.com/", "/foto.jpg")),
            Capture("https://uno.it/a", b"", "301 Moved", {"Location": "/b"}),
            Capture("http://due.it/", b"no", "404 Not Found"),
            Capture("http://due.it/lento", b"", "503 Slow Down"),
            Capture("http://uno.it/c", b"", "301 Moved", {"Location": "https://www.uno.it/c"}),
            Capture("http://fuori.com/", page("http://uno.it/x")),
        ],
    )
    found = ingest(tmp_path / "job", file)
    assert found.arcs == {
        ("it,uno)/", "it,uno)/a"),
        ("it,uno)/", "it,due)/"),
        ("it,uno)/a", "it,uno)/b"),
    }
    states = found.states()
    assert states["it,uno)/"] == "fetched"
    assert states["it,uno)/a"] == "redirect"
    assert states["it,due)/"] == "error"
    assert states["it,uno)/b"] == "never-tried"
    assert counts(tmp_path / "job") == {
        "pages": 3,
        "temporary/status-503": 1,
        "spelling": 1,
        "scope/host": 1,
    }


def test_depth_and_via_are_those_of_the_first_page_that_links_to_it(tmp_path: Path) -> None:
    write(
        tmp_path / "a.warc.gz",
        [
            Capture("http://uno.it/", page("/a")),
            Capture("http://uno.it/a", page("http://due.it/")),
            Capture("http://due.it/", page("/")),
        ],
    )
    ingest(tmp_path / "job", tmp_path / "a.warc.gz")
    lines = [json.loads(line) for line in (tmp_path / "job/pages/000001.jsonl").read_text().splitlines()]
    assert [(line["key"], line["depth"], line["via"], line["host_depth"]) for line in lines] == [
        ("it,uno)/", 0, "", 0),
        ("it,uno)/a", 1, "it,uno)/", 1),
        ("it,due)/", 2, "it,uno)/a", 0),
    ]
    assert lines[0]["time"] == 1714557600
    assert lines[0]["address"] == "127.1.0.1"


def test_the_newest_capture_counts_in_whatever_order_they_come(tmp_path: Path) -> None:
    old = write(tmp_path / "old.warc.gz", [Capture("http://uno.it/", page("/vecchio"))])
    new = write(tmp_path / "new.warc.gz", [Capture("http://uno.it/", page("/nuovo"), date=LATER)])
    for name, runs in {"together": [[new, old]], "newer first": [[new], [old]]}.items():
        for files in runs:
            assert main(["ingest", *map(str, files), "--jobdir", str(tmp_path / name)]) == 0
        graph = converted(tmp_path / name)
        start = graph.id("http://uno.it/")
        assert [graph.url(target) for target in graph.successors(start)] == ["http://uno.it/nuovo"]
    assert counts(tmp_path / "together") == {"pages": 2, "pages-again": 1}
    assert counts(tmp_path / "newer first") == {"pages": 1, "not-newer": 1}


def test_a_revisit_is_the_same_page_or_the_payload_of_another(tmp_path: Path) -> None:
    body = page("vicino")
    profile = {"WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"}
    digest = {"WARC-Payload-Digest": "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}
    lost = {"WARC-Payload-Digest": "sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"}
    file = write(
        tmp_path / "a.warc.gz",
        [
            Capture("http://uno.it/x/", body, more=digest),
            Capture("http://uno.it/x/", b"", kind="revisit", date=LATER, more={**profile, **digest}),
            Capture("http://uno.it/y/", b"", kind="revisit", date=LATER, more={**profile, **digest}),
            Capture("http://uno.it/z/", b"", kind="revisit", date=LATER, more={**profile, **lost}),
            Capture("http://uno.it/w/", b"", "304 Not Modified"),
            Capture(
                "http://uno.it/r", b"", "302 Found", {"Location": "/x/"}, kind="revisit", more={**profile, **digest}
            ),
        ],
    )  # fmt: skip
    assert ingest(tmp_path / "job", file, again=True).arcs == {
        ("it,uno)/x/", "it,uno)/x/vicino"),
        ("it,uno)/y/", "it,uno)/y/vicino"),
        ("it,uno)/r", "it,uno)/x/"),
    }
    assert counts(tmp_path / "job") == {
        "pages": 3,
        "unchanged": 1,
        "unchanged/original-not-here": 2,
    }
    lines = [json.loads(line) for line in streams(tmp_path / "job")["pages"].splitlines()]
    assert [(line["state"], line.get("visit")) for line in lines if line["key"] == "it,uno)/x/"] == [
        ("fetched", None),
        ("unchanged", 2),
    ]


def test_captures_of_several_days_are_a_graph_through_time(tmp_path: Path) -> None:
    url, other = "http://uno.it/", "http://uno.it/altra"
    file = write(
        tmp_path / "a.warc.gz",
        [
            Capture(url, page("/a", "/b")),
            Capture(other, page("/c")),
            Capture(url, page("/b", "/c"), date="2024-05-03T10:00:00Z"),
            Capture(other, b"", "404 Not Found", date="2024-05-04T10:00:00Z"),
            Capture(url, page("/b", "/c"), date="2024-05-05T10:00:00Z"),
        ],
    )
    job = tmp_path / "job"
    assert main(["ingest", str(file), "--jobdir", str(job)]) == 0
    lines = [json.loads(line) for line in streams(job)["pages"].splitlines()]
    assert [line["state"] for line in lines] == ["fetched", "fetched", "fetched", "gone", "unchanged"]
    for day, expected in (
        ("2024-05-01", {url: {"/a", "/b"}, other: {"/c"}}),
        ("2024-05-03", {url: {"/b", "/c"}, other: {"/c"}}),
        ("2024-05-04", {url: {"/b", "/c"}, other: set()}),
    ):
        out = tmp_path / day
        assert main(["convert", str(job), "--out", str(out), "--as-of", day, "--only", "day,urls,nodes"]) == 0
        graph = WebGraph(out)
        for parent, children in expected.items():
            found = {graph.url(each) for each in graph.successors(graph.id(parent))}
            assert found == {f"http://uno.it{child}" for child in children}


def test_robots_txt_is_a_page_only_if_a_page_links_to_it(tmp_path: Path) -> None:
    robots = Capture("http://uno.it/robots.txt", b"User-agent: *", headers={"Content-Type": "text/plain"})
    found = ingest(
        tmp_path / "without", write(tmp_path / "a.warc.gz", [robots, Capture("http://uno.it/", page())])
    )
    assert set(found.urls) == {"it,uno)/"}
    linked = [robots, Capture("http://uno.it/", page("/robots.txt")), robots]
    states = ingest(tmp_path / "with", write(tmp_path / "b.warc.gz", linked)).states()
    assert states["it,uno)/robots.txt"] == "fetched"


def test_a_record_that_is_no_page_has_a_name(tmp_path: Path) -> None:
    file = tmp_path / "a.warc.gz"
    data = warc(
        [
            Capture("dns:uno.it", b"20240501 uno.it. A 127.1.0.1", kind="resource"),
            Capture("http://uno.it/doc", b"<a href=/x>", kind="resource", more={"Content-Type": "text/html"}),
            Capture("http://[/", page()),
            Capture("http://uno.it/", page()),
        ]
    )
    file.write_bytes(data[:-40])
    ingest(tmp_path / "job", file)
    assert counts(tmp_path / "job") == {"not-http": 1, "pages": 1, "url/invalid": 1, "damaged/truncated": 1}


def test_seeds_are_nodes_and_directories_are_followed(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://seme.it/\nhttp://elenco.com/italia/\n")
    file = write(tmp_path / "a.warc.gz", [Capture("http://elenco.com/italia/", page("http://uno.it/"))])
    found = ingest(tmp_path / "job", file, "-s", f"SEEDS={tmp_path / 'seeds.txt'}")
    assert set(found.urls) == {"it,seme)/", "it,uno)/"}
    assert found.arcs == set()


def test_arc_and_wat_are_accepted_and_the_graph_says_so(tmp_path: Path) -> None:
    reply = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page("/b")
    head = b"filedesc://a.arc 0.0.0.0 20100301120000 text/plain 13\n1 0 Archive\n\n\n"
    line = f"http://uno.it/a 127.1.0.1 20100301120005 text/html {len(reply)}\n".encode()
    (tmp_path / "a.arc.gz").write_bytes(gzip.compress(head) + gzip.compress(line + reply + b"\n"))
    envelope = {
        "WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": "http://uno.it/w"},
        "Payload-Metadata": {
            "HTTP-Response-Metadata": {
                "Response-Message": {"Status": "200"},
                "Headers": {"Content-Type": "text/html"},
                "HTML-Metadata": {"Links": [{"path": "A@/href", "url": "/c"}]},
            }
        },
    }
    wat = Capture(
        "http://uno.it/w",
        json.dumps({"Container": {}, "Envelope": envelope}).encode(),
        kind="metadata",
        more={"Content-Type": "application/json"},
    )
    write(tmp_path / "a.warc.wat.gz", [wat])
    job, graph = tmp_path / "job", tmp_path / "graph"
    assert arcs(job, tmp_path / "a.arc.gz", tmp_path / "a.warc.wat.gz") == {
        ("it,uno)/a", "it,uno)/b"),
        ("it,uno)/w", "it,uno)/c"),
    }
    assert json.loads((job / "crawl.json").read_text())["ingest"] == {"formats": ["arc", "wat"]}
    assert main(["convert", str(job), "--out", str(graph), "--only", "csr"]) == 0
    assert json.loads((graph / "graph.json").read_text())["archives"] == ["arc", "wat"]


def reasons_of(names: tuple[str, ...], folder: Path) -> dict[str, str]:
    """The reasons in the page log after these bombs were ingested, each between two pages that are well."""
    packed = {**HTML, "Content-Encoding": "gzip"}
    captures = [Capture("http://uno.it/zeri", packed_bombs.zeros("gzip"), headers=packed)]
    for number, name in enumerate(names):
        media_type, make = BOMBS[name]
        captures.append(Capture(f"http://uno.it/{number}", make(), headers={"Content-Type": media_type}))
        captures.append(Capture(f"http://uno.it/{number}/dopo", page(f"/{number}/b")))
    ingest(folder / "job", write(folder / "a.warc.gz", captures))
    lines = [json.loads(line) for line in streams(folder / "job")["pages"].splitlines()]
    assert [line["url"] for line in lines] == [capture.url for capture in captures]
    assert {line["state"] for line in lines} == {"fetched"}
    assert lines[0]["bytes"] == 4_000_000
    assert [line["links"] for line in lines[2::2]] == [1] * len(names)
    return {name: line["reason"] for name, line in zip(names, lines[1::2], strict=True)}


def test_bombs_have_the_reasons_that_they_have_in_a_crawl(tmp_path: Path) -> None:
    assert reasons_of(tuple(NAMED), tmp_path) == NAMED


@pytest.mark.slow
def test_every_bomb_has_the_reason_that_it_has_in_a_crawl(tmp_path: Path) -> None:
    reasons = reasons_of(tuple(BOMBS), tmp_path)
    assert reasons | NAMED == reasons


# -- resuming --------------------------------------------------------------------------------------------------


def chain(number: int) -> list[Capture]:
    """Pages that link to each other and to what nobody has."""
    return [
        Capture(
            f"http://sito-{number}.it/{n}",
            page(f"/{n + 1}", f"http://sito-{number + 1}.it/{n}", f"/mai-{n}"),
            date=f"2024-05-{number + 1:02}T10:{n // 60:02}:{n % 60:02}Z",
        )
        for n in range(150)
    ]


OFTEN = """
import sys
from webgraph_it.cli import main
from webgraph_it.ingest import ingest
ingest.MAX_UNCOMMITTED, ingest.LOOK_EVERY = 300, 8
sys.exit(main(sys.argv[1:]))
"""
"""The command, with a commit every few pages."""


def start(jobdir: Path, files: list[Path], kill_at: str, *more: str) -> int:
    words = ["ingest", *map(str, files), "--jobdir", str(jobdir), *more]
    return subprocess.run(
        [sys.executable, "-c", OFTEN, *words],
        cwd=PROJECT,
        env={**os.environ, "WEBGRAPH_IT_KILL_AT": kill_at},
        capture_output=True,
        timeout=120,
    ).returncode


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("files")
    return [write(folder / f"{n}.warc.gz", chain(n)) for n in range(3)]


@pytest.fixture(scope="module")
def whole(files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    jobdir = tmp_path_factory.mktemp("whole") / "job"
    ingest(jobdir, *files, "--continue")
    return jobdir


def streams(jobdir: Path) -> dict[str, bytes]:
    """What was written, whatever the numbers of the files."""
    directory = CrawlDirectory(jobdir)
    return {
        stream: b"".join(part.path.read_bytes()[: part.length] for part in directory.parts(stream))
        for stream in ("graph", "urls", "pages")
    }


@pytest.mark.parametrize(
    "point",
    [
        "between-captures:299",
        "after-store-commit:3",
        pytest.param("between-captures:3", marks=pytest.mark.slow),
        pytest.param("between-captures:150", marks=pytest.mark.slow),
        pytest.param("before-store-commit:2", marks=pytest.mark.slow),
        pytest.param("after-committed-file:2", marks=pytest.mark.slow),
        pytest.param("after-swap:4", marks=pytest.mark.slow),
    ],
)
def test_a_killed_ingest_ends_as_one_that_was_not(
    point: str, files: list[Path], whole: Path, tmp_path: Path
) -> None:
    jobdir = tmp_path / "job"
    assert start(jobdir, files, point, "--continue") == -signal.SIGKILL
    assert start(jobdir, files, "", "--continue") == 0
    assert streams(jobdir) == streams(whole)
    assert counts(jobdir) == counts(whole)


def test_what_was_never_captured_is_queued_once(files: list[Path], whole: Path, tmp_path: Path) -> None:
    jobdir = tmp_path / "job"
    assert start(jobdir, files, "between-hand-overs:1", "--continue") == -signal.SIGKILL
    assert start(jobdir, [], "", "--continue") == 0
    assert queued(jobdir) == queued(whole)
    cut = sum(b'"host-depth"' in line for line in streams(whole)["pages"].splitlines())
    assert cut > 0  # the limits of a crawl apply to what it will fetch
    assert queued(whole) + cut == 3 * 151 + 150


def queued(jobdir: Path) -> int:
    harvest = Harvest.open(
        RocksStore(jobdir / "frontier"), Order.BREADTH, Limits(*(0,) * len(Limits._fields)), 0.0
    )
    try:
        return harvest.counts().queued
    finally:
        harvest.abandon()


def test_files_that_were_ingested_before_change_nothing(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ingest(tmp_path / "job", files[0])
    before = content(tmp_path / "job")
    capsys.readouterr()
    ingest(tmp_path / "job", files[0])
    assert "0.warc.gz: ingested before" in capsys.readouterr().err
    assert streams(tmp_path / "job")
    after = content(tmp_path / "job")
    assert {
        name: data
        for name, data in after.items()
        if data and "reports" not in name and name != "committed.json"
    } == {
        name: data
        for name, data in before.items()
        if data and "reports" not in name and name != "committed.json"
    }


def test_paths_may_be_relative(files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seeds.txt").write_text("http://seme.it/\n")
    relative = os.path.relpath(files[0])
    found = ingest(Path("job"), relative, "-s", "SEEDS=seeds.txt")
    assert "it,seme)/" in found.urls
    assert counts(Path("job"))["pages"] == 150


def test_a_file_is_not_marked_as_ingested_when_no_reader_could_begin(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ahead, "_MODULE", "webgraph_it.ingest.niente")
    assert main(["ingest", str(files[0]), "--jobdir", str(tmp_path / "job")]) == 1
    assert "No module named webgraph_it.ingest.niente" in capsys.readouterr().err
    monkeypatch.undo()
    ingest(tmp_path / "job", files[0])
    assert counts(tmp_path / "job")["pages"] == 150


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.warc.gz", b"", "is empty"),
        ("a.warc", b"niente\n" * 100, "is not an archive"),
        ("a.warc", b"WARC/1.1\r\n" + b"niente\n" * 100, "is not an archive"),
        ("a.warc.gz", gzip.compress(b"niente\n" * 100), "is not an archive"),
        ("a.warc.gz", random.Random(1).randbytes(100_000), "is not an archive"),
        ("a.wacz", b"PK\x03\x04" + bytes(100), "unzip it, and give the files of its folder archive/"),
    ],
    ids=["empty", "text", "text after a version", "gzipped text", "random", "wacz"],
)
def test_what_is_no_archive_is_refused(
    name: str, data: bytes, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(data)
    assert sentence in refusal(capsys, tmp_path / name, "--jobdir", tmp_path / "job")
    assert not (tmp_path / "job").exists()


def test_a_file_without_a_whole_record_is_a_failure_each_time(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = tmp_path / "bad.warc", files[0]
    bad.write_bytes(warc([Capture("http://uno.it/", page("/a"))], packed=False)[:-40])
    for _ in range(2):
        assert main(["ingest", str(bad), str(good), "--jobdir", str(tmp_path / "job")]) == 1
        assert f"Nothing could be read of {bad}, because every record" in capsys.readouterr().err
    assert counts(tmp_path / "job")["pages"] == 150
    ingest(tmp_path / "job", good, write(tmp_path / "no captures.warc.gz", []))


OFTEN_ENOUGH = ("-s", "COMMIT_INTERVAL=0.1")

# -- refusals --------------------------------------------------------------------------------------------------


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["ingest", *map(str, arguments)]) == 2
    return capsys.readouterr().err


def test_each_refusal_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: list[Path], whole: Path
) -> None:
    job, copy = tmp_path / "job", tmp_path / "copy.warc.gz"
    assert "No file was given" in refusal(capsys, "--jobdir", job)
    assert "niente.warc.gz cannot be read (No such file" in refusal(capsys, "niente.warc.gz", "--jobdir", job)
    assert "holds nothing that was ingested" in refusal(capsys, "--jobdir", job, "--continue")
    nope = refusal(capsys, files[0], "--jobdir", job, "--spider", "nope")
    assert "There is no spider 'nope'; expected: brazil, italy, web" in nope
    assert "SCOPE_SURT is not a setting" in refusal(capsys, files[0], "--jobdir", job, "-s", "SCOPE_SURT=x")
    assert not job.exists()
    assert main(["init", str(tmp_path / "others")]) == 0
    occupied = refusal(capsys, files[0], "--jobdir", tmp_path / "others")
    assert "has other files (scrapy.cfg, seeds/brazil.txt, seeds/italy.txt) and no crawl.json" in occupied
    assert "was handed over to a crawl" in refusal(capsys, files[0], "--jobdir", whole)
    copy.write_bytes(files[0].read_bytes())
    ingest(job, copy)
    copy.write_bytes(files[0].read_bytes() + b"x")
    assert "bytes, and had" in refusal(capsys, copy, "--jobdir", job)
    assert "holds another crawl: SCOPE_SURTS" in refusal(
        capsys, copy, "--jobdir", job, "-s", 'SCOPE_SURTS=["fr,"]'
    )
    full = refusal(
        capsys, files[0], "--jobdir", tmp_path / "full", "-s", "MIN_FREE_DISK=900000 GB", *OFTEN_ENOUGH
    )
    assert "MB free, expected MIN_FREE_DISK" in full
    record = json.loads((job / "crawl.json").read_text())
    del record["ingest"]
    (job / "crawl.json").write_text(json.dumps(record))
    assert "holds a crawl" in refusal(capsys, files[0], "--jobdir", job)
