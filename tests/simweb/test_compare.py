"""The compare command: equal, different, or not what it should be; on files that the test writes byte by byte."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from hashlib import md5
from pathlib import Path

import pytest

from tests.verbs import simweb as main
from webgraph_it.simweb import Truth

TRUTH = Truth(
    nodes={"it,a)/": "fetched", "it,a)/x": "error", "it,trappola)/": "fetched"},
    arcs={("it,a)/", "it,a)/x"), ("it,a)/", "it,trappola)/")},
    bounds={"it,trappola)": 2},
    urls={"it,a)/": "http://a.it/", "it,a)/x": "http://a.it/x", "it,trappola)/": "http://trappola.it/"},
)
GRAPH = {"it,a)/": ["it,a)/x", "it,trappola)/"], "it,trappola)/": ["it,trappola)/1"]}
STATES = {**TRUTH.nodes, "it,trappola)/1": "trap-cut"}


def name(key: str, parent: bool) -> bytes:
    """A record of a shard, by docs/formats.md."""
    digest = md5(key.encode()).digest()
    return bytes([digest[0] | 0x80 if parent else digest[0] & 0x7F]) + digest[1:]


def write_crawl(jobdir: Path, graph: Mapping[str, Sequence[str]], states: Mapping[str, str]) -> Path:
    for folder in ("urls", "graph", "pages"):
        (jobdir / folder).mkdir(parents=True)
    (jobdir / "urls/000001.tsv").write_text("".join(f"{key}\thttp://{key}\n" for key in states))
    records = [
        name(k, parent) for p, cs in graph.items() for k, parent in [(p, True), *((c, False) for c in cs)]
    ]
    (jobdir / "graph/000001.g16").write_bytes(b"".join(records))
    lines = [
        {"key": key, "state": state, "reason": "dns" if state == "error" else ""}
        for key, state in states.items()
    ]
    (jobdir / "pages/000001.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return jobdir


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    TRUTH.write(tmp_path / "truth")
    return tmp_path / "truth"


def test_a_truth_is_read_as_it_was_written(truth: Path) -> None:
    assert Truth.read(truth) == TRUTH


def test_an_equal_crawl_is_said_to_be_equal(truth: Path, tmp_path: Path) -> None:
    """By the command as a user types it."""
    crawl = write_crawl(tmp_path / "crawl", GRAPH, STATES)
    command = [sys.executable, "-m", "webgraph_it.simweb", "compare", str(truth), str(crawl)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == "equal: 3 nodes, 2 arcs; 1 more nodes in traps, within their bounds\n"


def again(jobdir: Path, graph: Mapping[str, Sequence[str]], states: Mapping[str, str]) -> None:
    """Re-visits of some pages, in the second files."""
    later = write_crawl(jobdir / "later", graph, states)
    lines = [json.loads(line) for line in (later / "pages/000001.jsonl").read_text().splitlines()]
    text = "".join(json.dumps({**line, "visit": 2}) + "\n" for line in lines)
    (jobdir / "pages/000002.jsonl").write_text(text)
    (later / "graph/000001.g16").rename(jobdir / "graph/000002.g16")


def test_after_re_visits_the_last_links_count(
    truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {"it,a)/": ["it,a)/old", "it,a)/x"], "it,a)/x": ["it,a)/"], "it,trappola)/": ["it,trappola)/1"]}
    states = {**STATES, "it,a)/x": "fetched", "it,a)/old": "error"}
    crawl = write_crawl(tmp_path / "crawl", before, states)
    found = {"it,a)/": "fetched", "it,a)/x": "gone", "it,trappola)/": "unchanged", "it,a)/old": "gone"}
    again(crawl, {"it,a)/": GRAPH["it,a)/"]}, found)
    assert main(["compare", str(truth), str(crawl)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("graph", "states", "words"),
    [
        (
            {},
            {},
            ["3 nodes not found: it,a)/, it,a)/x, it,trappola)/", "2 arcs not found: it,a)/ → it,a)/x, "],
        ),
        (GRAPH | {"it,b)/": []}, STATES | {"it,b)/": "fetched"}, ["1 nodes that do not exist: it,b)/"]),
        (GRAPH, STATES | {"it,a)/": "error"}, ["1 nodes in another state: it,a)/: error (dns), not fetched"]),
        (GRAPH | {"it,a)/x": ["it,a)/"]}, STATES, ["1 arcs that do not exist: it,a)/x → it,a)/"]),
        (
            GRAPH,
            STATES | {f"it,trappola)/{n}": "fetched" for n in range(9)},
            ["10 pages of it,trappola), more than 2"],
        ),
        ({"it,a)/": ["it,c)/"]}, STATES, ["1 faults of the files: 000001.g16: digest "]),
        (
            GRAPH | {"it,trappola)/": ["it,a)/"] * 2},
            STATES,
            ["1 faults of the files: it,trappola)/ → it,a)/ is written"],
        ),
    ],
    ids=["empty", "node", "state", "arc", "trap", "digest", "twice"],
)
def test_every_kind_of_difference_is_told_with_its_number(
    graph: dict[str, list[str]],
    states: dict[str, str],
    words: list[str],
    truth: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compare", str(truth), str(write_crawl(tmp_path / "crawl", graph, states))]) == 1
    said = capsys.readouterr().out
    assert said.startswith("different:\n")
    for sentence in words:
        assert f"\n{sentence}" in said


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("graph/000001.g16", b"123", "000001.g16 ends inside a digest"),
        ("pages/000001.jsonl", b'{"key": "it,', "pages/000001.jsonl ends inside a line"),
        (
            "pages/000001.jsonl",
            b"[]\n",
            "pages/000001.jsonl, line 1 is not a JSON object with a key and a state",
        ),
        ("urls/000001.tsv", b"it,a)/\n", "urls/000001.tsv, line 1 is not a key, a tab and a URL"),
    ],
)
def test_a_broken_file_is_a_difference_not_a_traceback(
    file: str, content: bytes, words: str, truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = write_crawl(tmp_path / "crawl", GRAPH, STATES)
    (crawl / file).write_bytes(content)
    assert main(["compare", str(truth), str(crawl)]) == 1
    assert words in capsys.readouterr().out


def commit(crawl: Path) -> dict[str, dict[str, int]]:
    """What committed.json says of a crawl that has ended."""
    folders = ("urls", "graph", "pages")
    return {name: {path.name: path.stat().st_size for path in (crawl / name).iterdir()} for name in folders}


def test_bytes_after_the_last_commit_are_not_read(truth: Path, tmp_path: Path) -> None:
    crawl = write_crawl(tmp_path / "crawl", GRAPH, STATES)
    (crawl / "committed.json").write_text(json.dumps(commit(crawl)))
    for file in ("graph/000001.g16", "pages/000001.jsonl", "urls/000001.tsv"):
        with (crawl / file).open("ab") as after:
            after.write(b"torn")
    (crawl / "pages" / "000002.jsonl").write_text("no commit names it")
    assert main(["compare", str(truth), str(crawl)]) == 0


@pytest.mark.parametrize(
    ("stream", "file", "change", "words"),
    [
        ("pages", "000001.jsonl", -5, "pages/000001.jsonl ends inside a line"),
        ("urls", "000001.tsv", -5, "urls/000001.tsv ends inside a line"),
        ("graph", "000001.g16", -5, "000001.g16 ends inside a digest"),
        ("pages", "000001.jsonl", 5, "bytes, and committed.json says"),
        ("pages", "000002.jsonl", 5, "pages/000002.jsonl is missing, and committed.json names it"),
    ],
)
def test_a_commit_that_ends_inside_a_line_is_a_difference(
    stream: str,
    file: str,
    change: int,
    words: str,
    truth: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    crawl = write_crawl(tmp_path / "crawl", GRAPH, STATES)
    lengths = commit(crawl)
    lengths[stream][file] = lengths[stream].get(file, 0) + change
    (crawl / "committed.json").write_text(json.dumps(lengths))
    assert main(["compare", str(truth), str(crawl)]) == 1
    assert words in capsys.readouterr().out


def write_links(member: Path, *lines: str) -> None:
    (member / "links").mkdir()
    (member / "links/000001.tsv").write_text("".join(f"{line}\n" for line in lines))


def test_links_on_their_way_to_another_member_are_found(
    truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fleet that was stopped before the owner of a.it had listed what member 1 has found there."""
    fleet = tmp_path / "fleet"
    write_crawl(
        fleet / "member-01",
        {"it,b)/": ["it,a)/y", "it,a):8080/%C3?a=1", "it,c)/"]},
        {"it,b)/": "fetched"},
    )
    write_crawl(fleet / "member-02", GRAPH, STATES)
    write_links(
        fleet / "member-01",
        "001\t1\t\tit,b)/\thttp://www.a.it/y",
        "001\t1\tsame-content\tit,b)/\thttps://a.it:8080/%c3?a=1",
        "001\t1\toutside,same-content\tit,b)/\thttp://c.it/",
        "not a link",
    )
    assert main(["compare", str(truth), str(fleet)]) == 1
    faults = next(line for line in capsys.readouterr().out.splitlines() if "faults of the files" in line)
    assert faults.startswith(
        "2 faults of the files: links/000001.tsv, line 4 is not a link, 000001.g16: digest "
    )


def test_a_page_that_two_members_have_fetched_is_a_fault(
    truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after a member's directory was crawled as a single crawl."""
    write_crawl(tmp_path / "fleet/member-01", GRAPH, STATES)
    write_crawl(tmp_path / "fleet/member-02", GRAPH, STATES)
    assert main(["compare", str(truth), str(tmp_path / "fleet")]) == 1
    said = capsys.readouterr().out
    assert "it,a)/ is listed twice" in said
    assert "it,a)/ has 2 lines in the page log, ['fetched'] before the last one" in said


def test_a_fleet_that_lacks_a_member_gets_one_sentence(
    truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet = tmp_path / "fleet"
    for number in (1, 2):
        write_crawl(fleet / f"member-0{number}", GRAPH, STATES)
        (fleet / f"member-0{number}/crawl.json").write_text('{"FLEET_SIZE": 3}')
    for lacking in (3, 1):
        assert main(["compare", str(truth), str(fleet)]) == 2
        assert capsys.readouterr().err == (
            f"{fleet} is a fleet of 3 members and lacks member-0{lacking}: "
            "copy the directories of all members into it.\n"
        )
        shutil.rmtree(fleet / "member-01", ignore_errors=True)


def test_a_wrong_folder_gets_one_sentence(
    truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = write_crawl(tmp_path / "crawl", GRAPH, STATES)
    assert main(["compare", str(crawl), str(truth)]) == 2
    assert capsys.readouterr().err == (
        f"{crawl} is not a truth directory: it has no nodes.tsv (simweb --truth writes it).\n"
    )
    assert main(["compare", str(truth), str(truth)]) == 2
    assert capsys.readouterr().err == f"{truth} is not a crawl directory: it has no urls/.\n"
    (truth / "arcs.tsv").write_text("it,a)/\n")
    assert main(["compare", str(truth), str(crawl)]) == 2
    assert capsys.readouterr().err == f"line 1 of {truth}/arcs.tsv has 1 columns, not 2.\n"


def test_a_missing_argument_gets_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare"]) == 2
    said = "TRUTH_DIR, JOBDIR is missing; see webgraph-it simweb compare --help.\n"
    assert capsys.readouterr().err == said
