"""Fuzzing of everything that reads a graph or a crawl directory: `python -m tests.fuzz.graph FOLDER FIRST COUNT`.

FOLDER has a sound crawl in `crawl/`, a sound graph in `graph/`, and is written to. Case number N is made by random
numbers from N alone: some files are cut, lengthened, overwritten or replaced, then one reader is let loose on them. A
reader may answer or say one sentence (an exception of ours); anything else is a finding: the process prints the case
and ends with 1, or is ended by a signal, and `FOLDER/case` has the number.
"""

import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from tests.verbs import analyse, convert
from webgraph_it.graph import BVGraph, GraphError, UrlMap, WebGraph

MAX_SECONDS = 60
MAX_BYTES = 16 << 30
"""Of addresses; a bomb wants more."""
NUMBERS = (0, 1, 5, 6, 7, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63, 2**64 - 1)
JSON = (b"", b"[" * 50_000, b"null", b"7", b'{"a":', b"{}", b'{"recipe_version": 1}', b"\xff\xfe")


def read_graph(folder: Path) -> None:
    graph = WebGraph(folder)
    for level in (graph, graph.hosts, graph.domains):
        for node in range(min(len(level), 8)):
            level.successors(node), level.predecessors(node), level.url(node)
        with contextlib.suppress(KeyError):
            level.id("http://www.esempio.it/")
        level.urls.host("negozio.it"), list(level.urls.items())
        level.transposed(), level.weights, level.nodes(), level.to_scipy(), level.to_networkx()


def read_map(folder: Path) -> None:
    urls = UrlMap(folder / "urls")
    for node in range(min(len(urls), 40)):
        urls.key(node), urls.url(node)
    urls.domain("it"), urls.find("it,negozio)/old"), urls.prefix("it,n")
    for _, _ in zip(urls.keys(), range(100), strict=False):
        pass


def read_bv(folder: Path) -> None:
    graph = BVGraph(folder / "italy")
    graph.to_csr()
    for node in range(min(len(graph), 40)):
        graph.successors(node)


def run_analyse(folder: Path) -> None:
    _command(analyse, [str(folder), "-o", str(folder.parent / "analysis")])


def run_export(folder: Path) -> None:
    for name in ("npz", "gexf", "cc", "csv", "url-arcs"):
        _command(
            convert, ["export", str(folder), "--format", name, "--to", str(folder.parent / "exported" / name)]
        )


def run_convert(folder: Path) -> None:
    _command(convert, [str(folder), "--out", str(folder.parent / "out"), "--threads", "2"])


def run_check(folder: Path) -> None:
    _command(convert, [str(folder.parent.parent / "crawl"), "--out", str(folder), "--check"])


def _command(main: Callable[[list[str]], int], words: list[str]) -> None:
    """It ends with 0, or with 2 and one sentence."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = main(words)
    lines = said.getvalue().splitlines()
    told = code == 2 and lines and lines[-1].endswith(".") and "Traceback" not in said.getvalue()
    assert code == 0 or told, (code, lines)


GRAPH_READERS = (read_graph, read_graph, read_map, read_bv, read_bv, run_export, run_check, run_analyse)


def mutate(folder: Path, chance: random.Random) -> str:
    """Change one file, or what stands in its place; returns what was done."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    path = chance.choice(files)
    data = bytearray(path.read_bytes())
    kind = chance.choice(
        ["flip", "flip", "number", "number", "number", "cut", "grow", "swap", "gone", "odd", "json"]
    )
    place = chance.randrange(len(data))
    if kind == "flip":
        for _ in range(chance.choice([1, 1, 4, 30])):
            data[chance.randrange(len(data))] = chance.randrange(256)
    elif kind == "number":
        width = chance.choice([4, 8])
        place -= place % width
        number = chance.choice(NUMBERS) % (1 << 8 * width)
        data[place : place + width] = number.to_bytes(width, "little")[: len(data) - place]
    elif kind == "cut":
        del data[place:]
    elif kind == "grow":
        data[place:place] = chance.randbytes(chance.choice([1, 8, 100]))
    elif kind == "swap":
        data[:] = chance.choice(files).read_bytes()
    elif kind == "json" and path.suffix == ".json":
        data[:] = _json(bytes(data), chance)
    path.unlink()
    if kind == "odd":
        odd = chance.choice(["pipe", "folder", "device", "broken"])
        {"pipe": lambda: os.mkfifo(path), "folder": path.mkdir, "device": lambda: path.symlink_to("/dev/zero"),
         "broken": lambda: path.symlink_to(folder / "nowhere")}[odd]()  # fmt: skip
        return f"{path.relative_to(folder)} became a {odd}"
    if kind != "gone":
        path.write_bytes(bytes(data))
    return f"{path.relative_to(folder)}: {kind} at {place}"


def _json(data: bytes, chance: random.Random) -> bytes:
    """One member of an object replaced by something of another type."""
    try:
        value = json.loads(data)
        inside = value
        while isinstance(inside, dict) and inside:
            name = chance.choice(sorted(inside))
            if not isinstance(inside[name], dict) or chance.random() < 0.4:
                inside[name] = chance.choice([None, -1, 2**70, 1.5, "x", [], {}, [[]], {"a": {}}, True])
                return json.dumps(value).encode()
            inside = inside[name]
    except ValueError:
        pass
    return chance.choice(JSON)


def sign(folder: Path) -> None:
    """Make graph.json agree with the sizes of the files, as whoever crafts a graph would do."""
    if not (folder / "graph.json").is_file():
        return
    with contextlib.suppress(ValueError, RecursionError, AttributeError, TypeError):
        summary = json.loads((folder / "graph.json").read_bytes())
        summary.pop("files", None)
        (folder / "graph.json").write_text(json.dumps(summary))


def case(folder: Path, number: int) -> None:
    """Make the case and run it."""
    chance = random.Random(number)
    target = folder / "case-files"
    shutil.rmtree(target, ignore_errors=True)
    of_crawl = number % 4 == 0
    copy = Path(shutil.copytree(folder / ("crawl" if of_crawl else "graph"), target / "copy"))
    reader = run_convert if of_crawl else chance.choice(GRAPH_READERS)
    told = [reader.__name__, *(mutate(copy, chance) for _ in range(chance.choice([1, 1, 1, 2, 3])))]
    if chance.random() < 0.7:
        sign(copy)
    signal.alarm(MAX_SECONDS)
    try:
        reader(copy)
    except GraphError:
        pass
    except BaseException:
        print("; ".join(told))
        raise
    finally:
        signal.alarm(0)


def main(folder: Path, first: int, count: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    os.fsync = lambda descriptor: None  # type: ignore[assignment]  # nothing of this is to be kept
    for number in range(first, first + count):
        (folder / "case").write_text(str(number))
        case(folder, number)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
