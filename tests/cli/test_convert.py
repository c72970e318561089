import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.convert.crawls import (
    ABOUT,
    HOME,
    LINKS,
    MISSING,
    MOVED,
    NEWS,
    SHOP,
    STATES,
    URLS,
    digest,
    expected_arcs,
    page_line,
    shard,
    write_crawl,
)
from tests.graph import java_oracle
from tests.graph.graphs import lists_of
from tests.verbs import convert as main
from webgraph_it.graph import BVGraph, WebGraph

COMPARED = (
    "offsets.u64",
    "targets.u32",
    "graph.g4",
    "italy.graph",
    "italy.offsets",
    "italy.ef",
    "italy-t.graph",
)
KEYS = sorted(URLS)


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def bytes_of(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in COMPARED}


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return write_crawl(tmp_path / "crawl")


@pytest.fixture
def out(crawl: Path) -> Path:
    assert run(crawl) == 0
    return crawl / "compact"


def test_graph_is_the_one_crawled(out: Path) -> None:
    graph = WebGraph(out)
    assert [graph.successors(node).tolist() for node in graph] == expected_arcs(LINKS, KEYS)
    assert list(graph.urls.items()) == [(key, URLS[key]) for key in KEYS]
    assert lists_of(*BVGraph(out / "italy").to_csr()) == expected_arcs(LINKS, KEYS)
    states = dict(zip(KEYS, graph.nodes()["state"].to_pylist(), strict=True))
    assert states == STATES


def test_the_crawl_directory_itself_is_no_place_for_the_graph(
    crawl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(crawl.rglob("*"))
    assert run(crawl, "--out", crawl) == 2
    assert "is the crawl directory itself" in capsys.readouterr().err
    assert sorted(crawl.rglob("*")) == before


def test_g4_holds_parents_in_order_with_their_children(out: Path) -> None:
    rank = {key: i for i, key in enumerate(KEYS)}
    words = []
    for parent in sorted(LINKS):
        words += [rank[parent] | 1 << 31, *sorted(rank[child] for child in LINKS[parent])]
    assert (out / "graph.g4").read_bytes() == b"".join(word.to_bytes(4, "little") for word in words)


def test_transpose_turns_every_arc_round(out: Path) -> None:
    graph = WebGraph(out)
    arcs = {(a, b) for a in graph for b in graph.successors(a).tolist()}
    assert {(b, a) for a in graph for b in graph.predecessors(a).tolist()} == {(b, a)[::-1] for a, b in arcs}
    assert lists_of(*BVGraph(out / "italy-t").to_csr()) == [
        graph.predecessors(node).tolist() for node in graph
    ]


def test_nothing_is_left_of_the_work(out: Path) -> None:
    assert not [
        path for path in out.rglob("*") if path.name.startswith(".") or path.suffix in (".new", ".seq")
    ]


def test_summary_counts_what_was_found(out: Path) -> None:
    counts = json.loads((out / "graph.json").read_bytes())["counts"]
    expected = {
        "nodes": 6,
        "arcs": 7,
        "parents": 5,
        "hosts": 3,
        "domains": 2,
        "state/error": 1,
        "records": 12,
    }
    assert {name: counts[name] for name in expected} == expected


def test_number_of_files_makes_no_difference(tmp_path: Path, out: Path) -> None:
    spread = write_crawl(tmp_path / "spread", files=4)
    assert run(spread) == 0
    assert bytes_of(spread / "compact") == bytes_of(out)


def test_a_tail_beyond_the_commit_makes_no_difference(crawl: Path, out: Path, tmp_path: Path) -> None:
    """A crash leaves torn records, torn lines and whole new files: the committed lengths say what counts."""
    torn = write_crawl(tmp_path / "torn")
    lengths = {
        folder: {path.name: path.stat().st_size for path in (torn / folder).iterdir()}
        for folder in ("graph", "urls", "pages")
    }
    (torn / "committed.json").write_text(json.dumps(lengths))
    for folder, suffix in (("graph", "g16"), ("urls", "tsv"), ("pages", "jsonl")):
        with (torn / folder / f"000001.{suffix}").open("ab") as file:
            file.write(b"torn in the mid")
        (torn / folder / f"000002.{suffix}").write_bytes(b"new")
    assert run(torn) == 0
    assert bytes_of(torn / "compact") == bytes_of(out)


def test_second_run_does_nothing_and_from_repeats(
    out: Path, crawl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    assert run(crawl) == 0
    assert "is up to date" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert run(crawl, "--from", "bv") == 0
    assert (out / "italy.graph").stat().st_mtime_ns > before[out / "italy.graph"]
    assert (out / "targets.u32").stat().st_mtime_ns == before[out / "targets.u32"]


def test_lost_part_is_made_again(out: Path, crawl: Path) -> None:
    before = bytes_of(out)
    (out / "graph.g4").unlink()
    (out / "graph.json").unlink()
    assert run(crawl) == 0
    assert bytes_of(out) == before


def test_changed_sources_start_again(out: Path, crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (crawl / "graph" / "000001.g16").open("ab") as file:
        file.write(shard({SHOP: [HOME]}))
    assert run(crawl) == 0
    assert "made from other files" in capsys.readouterr().err
    graph = WebGraph(out)
    assert graph.successors(graph.id(URLS[SHOP])).tolist() == [graph.id(URLS[HOME])]
    assert graph.summary["counts"]["parents_replaced"] == 1


def test_other_parameters_compress_again(out: Path, crawl: Path) -> None:
    assert run(crawl, "--window", 0, "--zeta", 2) == 0
    assert "windowsize=0" in (out / "italy.properties").read_text()
    assert "windowsize=0" in (out / "hosts" / "italy.properties").read_text()


def test_skip_and_only(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(crawl, "--skip", "transpose,hosts,domains,bv") == 0
    graph = WebGraph(crawl / "compact")
    assert not (crawl / "compact" / "italy.graph").exists()
    with pytest.raises(ValueError, match=r"has no offsets-t\.u64: it was skipped"):
        graph.predecessors(0)
    assert run(crawl, "--only", "bv") == 0
    assert (crawl / "compact" / "italy.graph").exists()
    assert "hosts" not in capsys.readouterr().err


def test_two_crawls_become_one_graph_and_the_later_counts(tmp_path: Path) -> None:
    denied = "it,negozio)/denied"
    first = write_crawl(tmp_path / "one")
    second = write_crawl(
        tmp_path / "two",
        {SHOP: [denied, HOME], MISSING: []},
        {
            SHOP: URLS[SHOP],
            denied: "http://negozio.it/denied",
            HOME: "https://esempio.it/",
            MISSING: URLS[MISSING],
        },
        {SHOP: "fetched", denied: "robots-denied", MISSING: "fetched"},
    )
    out = tmp_path / "both"
    assert run(first, second, "--out", out) == 0
    graph = WebGraph(out)
    assert [graph.successors(node).tolist() for node in graph] == expected_arcs(
        LINKS | {SHOP: [denied, HOME], MISSING: []}, [*KEYS, denied]
    )
    assert graph.summary["counts"]["parents_replaced"] == 1
    assert graph.summary["counts"]["urls_listed_again"] == 3
    states = graph.nodes()["state"].to_pylist()
    assert states[graph.id(URLS[MISSING])] == "fetched"
    assert graph.url(graph.id(URLS[HOME])) == URLS[HOME]  # fetched there by the first crawl
    assert run(first, second, "--out", out, "--check") == 0


@pytest.mark.parametrize(("state", "then"), [("robots-denied", "fetched"), ("error", "error")])
def test_a_page_once_fetched_stays_fetched_unless_it_is_gone(tmp_path: Path, state: str, then: str) -> None:
    """An error of these crawls is a 404."""
    first = write_crawl(tmp_path / "one")
    second = write_crawl(tmp_path / "two", {}, URLS, {ABOUT: state})
    assert run(first, second, "--out", tmp_path / "both") == 0
    graph = WebGraph(tmp_path / "both")
    assert graph.nodes()["state"].to_pylist()[graph.id(URLS[ABOUT])] == then
    assert graph.outdegree(graph.id(URLS[ABOUT])) == (then == "fetched")


def test_pages_outside_the_graph_are_counted_not_kept(crawl: Path) -> None:
    with (crawl / "pages" / "000001.jsonl").open("a") as file:
        file.write(page_line("com,directory)/italy", "http://directory.com/italy", "fetched"))
    assert run(crawl) == 0
    summary = WebGraph(crawl / "compact").summary
    assert (summary["nodes"], summary["counts"]["pages_outside_graph"]) == (6, 1)


def test_the_thesis_way(crawl: Path, out: Path, tmp_path: Path) -> None:
    urls = tmp_path / "urls.txt"
    urls.write_text("".join(f"{url}\n" for url in URLS.values()))
    g4 = tmp_path / "graph4"
    assert run("--urls", urls, "--graph16", crawl / "graph", "--graph4", g4, "--out", tmp_path / "o") == 0
    assert g4.read_bytes() == (out / "graph.g4").read_bytes()


def test_newest_crawl_is_taken_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(["italy-1", "italy-2"]):
        write_crawl(tmp_path / "crawls" / name)
        os.utime(tmp_path / "crawls" / name / "crawl.json", (number, number))
    assert run() == 0
    assert "using the newest, crawls/italy-2" in capsys.readouterr().err
    assert (tmp_path / "crawls" / "italy-2" / "compact" / "graph.json").exists()


def append(name: str, data: bytes) -> Callable[[Path], None]:
    def change(crawl: Path) -> None:
        with (crawl / name).open("ab") as file:
            file.write(data)

    return change


def version_two(crawl: Path) -> None:
    (crawl / "crawl.json").write_text('{"recipe_version": 2}')


def no_urls(crawl: Path) -> None:
    (crawl / "urls" / "000001.tsv").unlink()


def orphans(crawl: Path) -> None:
    (crawl / "graph" / "000002.g16").write_bytes(digest(HOME) * 3 + digest(HOME, True))


def committed(value: object) -> Callable[[Path], None]:
    return lambda crawl: (crawl / "committed.json").write_text(
        value if isinstance(value, str) else json.dumps(value)
    )  # type: ignore[return-value]


def pipe(name: str) -> Callable[[Path], None]:
    def change(crawl: Path) -> None:
        (crawl / name).unlink()
        os.mkfifo(crawl / name)

    return change


def device(crawl: Path) -> None:
    (crawl / "urls" / "000002.tsv").symlink_to("/dev/zero")


MISTAKES = [
    (committed([]), "committed.json holds list, expected a JSON object"),
    (committed({"graph": 5}), "does not say how many bytes of each file in graph/ count"),
    (committed({"urls": {"000001.tsv": "9"}}), "does not say how many bytes of each file in urls/ count"),
    (committed({"urls": {"000001.tsv": -9}}), "does not say how many bytes of each file in urls"),
    (committed("[" * 100_000), "committed.json is nested too deeply"),
    (committed('{"graph": {'), "committed.json is not JSON"),
    (pipe("graph/000001.g16"), "000001.g16 is a named pipe, expected a regular file"),
    (pipe("urls/000001.tsv"), "000001.tsv is a named pipe"),
    (pipe("pages/000001.jsonl"), "000001.jsonl is a named pipe"),
    (device, "000002.tsv is a device, expected a regular file"),
    (append("graph/000001.g16", b"torn"), "is torn: 196 bytes are 12 records of 16 bytes and 4 bytes more"),
    (append("urls/000001.tsv", b"it,x)/\thttp://x"), "end within a line"),
    (append("graph/000001.g16", digest("it,ignoto)/") * 2), "2 digests in the shards have no URL"),
    (orphans, "000002.g16 starts with 3 children that have no parent"),
    (version_two, "by recipe 2, this program by recipe 1"),
    (no_urls, "has no URL list"),
    (append("urls/000001.tsv", b"a\tb\tc\n"), "000001.tsv is not a URL list: line 7 is wrong"),
    (append("pages/000001.jsonl", b"{broken\n"), "000001.jsonl is not a page log: line 7 is wrong"),
    (
        append("pages/000001.jsonl", b'{"key": "it,a)/", "state": "odd"}\n'),
        "line 7 is wrong, expected one JSON",
    ),
    (
        append("pages/000001.jsonl", b'{"key": "it,a)/", "url": "x", "state": "error", "depth": -1}\n'),
        "line 7 is",
    ),
    (
        append("pages/000001.jsonl", b'{"key": "it,a)/", "url": "x\\ny", "state": "error"}\n'),
        " 7 is wrong, exp",
    ),
    (append("urls/000001.tsv", b")/\thttp://x\n"), "line 7 is wrong, expected key TAB url"),
]


@pytest.mark.parametrize(("change", "sentence"), MISTAKES, ids=[sentence for _, sentence in MISTAKES])
def test_what_is_wrong_is_one_sentence(
    crawl: Path, change: Callable[[Path], None], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    change(crawl)
    assert run(crawl) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert sentence in last
    assert not (crawl / "compact" / "graph.json").exists()
    assert not (crawl / "compact" / "targets.u32").exists()


@pytest.mark.parametrize("name", ["urls/000002.tsv", "pages/000002.jsonl"])
def test_what_a_link_leads_to_is_not_shown(
    crawl: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "secret").write_text("password\thunter2\tx\nhunter3\n")
    (crawl / name).symlink_to(tmp_path / "secret")
    assert run(crawl) == 2
    said = capsys.readouterr().err
    assert f"{name} is not a" in said
    assert "line 1 is wrong" in said
    assert "hunter" not in said


def test_record_of_finished_steps_that_makes_no_sense_counts_for_nothing(crawl: Path, out: Path) -> None:
    summary = json.loads((out / "graph.json").read_bytes())
    sound = summary["conversion"]
    for record in (
        5,
        [],
        {**sound, "done": 3},
        {**sound, "counts": {}},
        {**sound, "done": {"names": {"sizes": 1}}},
    ):
        (out / "graph.json").write_text(json.dumps({**summary, "conversion": record}))
        assert run(crawl) == 0
        assert len(WebGraph(out)) == 6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["/nowhere"], "is not a crawl directory"),
        (["{crawl}", "{crawl}"], "give its folder with --out"),
        (["{crawl}", "--only", "bw"], "there is no step 'bw'. The steps are names, map, csr"),
        (["{crawl}", "--from", "bw"], "there is no step 'bw'"),
        (["{crawl}", "--skip", "csr"], "the step 'csr' cannot be skipped"),
        (["{crawl}", "--zeta", "0"], "--zeta must be 1 or more"),
        (["{crawl}", "--threads", "0"], "--threads is 0; expected 1 or more"),
        (["{crawl}", "--threads", "-1"], "--threads is -1; expected 1 or more"),
        (["{crawl}", "--check", "--threads", "0"], "--threads is 0; expected 1 or more"),
        (["{crawl}", "--memory", "0"], "--memory is 0 bytes; expected a size with its unit"),
        (["{crawl}", "--memory", "1"], "--memory is 1 bytes; expected a size with its unit"),
        (["{crawl}", "--memory", "-1G"], "--memory: '-1G' is not a size; write for instance 512M or 2G"),
        (["{crawl}", "--max-ref", "-2"], "--max-ref is -2; expected 0 or more, or -1"),
        (["{crawl}", "--only", "bv", "--skip", "bv"], "the step 'bv' is in --only and in --skip"),
        (["{crawl}", "{crawl}/", "--out", "{crawl}/x"], "was given twice"),
        (["--urls", "x"], "The thesis' files need"),
        (["--urls", "x", "--graph16", "y", "--out", "z"], "--urls x is not a file"),
        (["{crawl}", "--check"], "is not a finished compact graph"),
    ],
)
def test_wrong_arguments_are_one_sentence(
    crawl: Path, arguments: Sequence[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*(word.format(crawl=crawl) for word in arguments)) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "error",
    [
        OSError(28, "No space left on device"),
        OSError("15744 requested and 8192 written"),
    ],  # the second is numpy's
)
def test_full_disk_leaves_nothing_half_written(
    crawl: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: OSError
) -> None:
    def full(*arguments: object) -> None:
        raise error

    monkeypatch.setattr("webgraph_it.convert.steps.write_bv", full)
    assert run(crawl) == 1
    assert "The disk is full" in capsys.readouterr().err
    assert not list((crawl / "compact").glob("italy*"))
    monkeypatch.undo()
    assert run(crawl) == 0
    assert "csr" not in capsys.readouterr().err  # it went on, and did not start again


def test_two_conversions_do_not_share_a_folder(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import fcntl

    (crawl / "compact" / ".work").mkdir(parents=True)
    with (crawl / "compact" / ".work" / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert run(crawl) == 2
    assert "another conversion is writing" in capsys.readouterr().err


@st.composite
def crawls(draw: st.DrawFn) -> tuple[dict[str, str], list[tuple[str, list[str]]]]:
    """URLs by key, and sequences: some parents twice."""
    hosts = draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4, unique=True))
    paths = draw(st.lists(st.text("abc", max_size=3), min_size=1, max_size=6, unique=True))
    urls = {f"it,{host})/{path}": f"http://{host}.it/{path}" for host in hosts for path in paths}
    key = st.sampled_from(sorted(urls))
    return urls, draw(st.lists(st.tuples(key, st.lists(key, max_size=9)), max_size=30))


@given(crawls())
@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_crawl_is_converted_exactly(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[dict[str, str], list[tuple[str, list[str]]]]
) -> None:
    urls, sequences = made
    crawl = write_crawl(
        tmp_path_factory.mktemp("crawl"), {}, urls, {parent: "fetched" for parent, _ in sequences}
    )
    (crawl / "graph" / "000001.g16").write_bytes(
        b"".join(shard({parent: children}) for parent, children in sequences)
    )
    assert run(crawl, "--memory", "1M") == 0
    graph = WebGraph(crawl / "compact")
    assert [graph.successors(node).tolist() for node in graph] == expected_arcs(dict(sequences), list(urls))
    assert run(crawl, "--check") == 0


@java_oracle.needs_java
def test_java_reads_the_converted_graph(out: Path, tmp_path: Path) -> None:
    for base, level in ((out, out), (out / "hosts", out / "hosts")):
        java_oracle.write_arcs(base / "italy", tmp_path / "arcs")
        arcs = [tuple(map(int, line.split())) for line in (tmp_path / "arcs").read_text().splitlines()]
        graph = WebGraph(level)
        assert arcs == [(a, b) for a in graph for b in graph.successors(a).tolist()]


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    """kill -9 at random moments, then again until it is done: the same bytes, and no final name on a torn file."""
    from tests.benchmarks.crawl_generator import generate

    crawl = generate(tmp_path / "crawl", 20_000, 400_000)
    assert run(crawl, "--out", tmp_path / "whole") == 0
    command = [sys.executable, "-m", "webgraph_it.convert", str(crawl), "--out", str(tmp_path / "killed")]
    for wait in (0.9, 1.1, 1.3, 1.5, 1.7, 2.0, 2.5):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for name in COMPARED:
            path = tmp_path / "killed" / name
            assert not path.exists() or path.read_bytes() == (tmp_path / "whole" / name).read_bytes()
    subprocess.run(command, check=True, capture_output=True)
    assert bytes_of(tmp_path / "killed") == bytes_of(tmp_path / "whole")


def test_keys_of_the_small_graph_are_in_the_order_shown() -> None:
    assert KEYS == [HOME, ABOUT, NEWS, MISSING, MOVED, SHOP]
