"""Reads a crawl directory by its documented formats alone: standard library, none of the crawler's code.

Guarantees: it also checks what the formats promise: no parent twice, no arc twice, no digest without a URL, one final
line of the page log per URL, whole records. Each fault is a sentence in `faults`, never an exception. Whole
files are read, so the crawl must not be running.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path

FOLDERS = ("urls", "graph", "pages")
DIGEST_BYTES = 16
SUPERSEDED = ("quota-cut", "never-tried")
"""States after which a node may have another line: its limit was raised, or it was tried later."""


class NotACrawl(Exception):
    """The folder is not a crawl directory. The text says what is missing."""


@dataclass
class CrawledGraph:
    """What a crawl has found."""

    urls: dict[str, str] = field(default_factory=dict)
    """key → url, of the URL lists"""
    parents: Counter[str] = field(default_factory=Counter)
    arcs: set[tuple[str, str]] = field(default_factory=set)
    pages: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    """key → its lines in the page log"""
    faults: list[str] = field(default_factory=list)

    def state(self, key: str) -> str:
        lines = self.pages.get(key)
        return str(lines[-1]["state"]) if lines else "never-tried"

    def reason(self, key: str) -> str:
        lines = self.pages.get(key)
        return str(lines[-1].get("reason", "")) if lines else ""

    def states(self) -> dict[str, str]:
        """The state of every node."""
        return {key: self.state(key) for key in self.urls}


def digest(key: str) -> bytes:
    whole = bytearray(md5(key.encode(), usedforsecurity=False).digest())
    whole[0] &= 0x7F
    return bytes(whole)


def read_crawl(jobdir: Path) -> CrawledGraph:
    """Read all of it; a fleet is read as one crawl. Raises NotACrawl if one of the three folders is missing."""
    crawls = sorted(jobdir.glob("member-*")) or [jobdir]
    graph = CrawledGraph()
    for crawl in crawls:
        if missing := [name for name in FOLDERS if not (crawl / name).is_dir()]:
            raise NotACrawl(f"{crawl} is not a crawl directory: it has no {missing[0]}/")
        _read_urls(crawl, graph)
    for crawl in crawls:
        _read_shards(crawl, graph)
        _read_pages(crawl, graph)
    _find_repeats(graph)
    return graph


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file())


def _lines(folder: Path, graph: CrawledGraph) -> Iterator[tuple[str, str]]:
    """(where, line) of every file in the folder."""
    for path in _files(folder):
        content = path.read_text(encoding="utf-8", errors="replace")
        if content and not content.endswith("\n"):
            graph.faults.append(f"{folder.name}/{path.name} ends inside a line")
        for number, line in enumerate(content.split("\n")[:-1], 1):
            yield f"{folder.name}/{path.name}, line {number}", line


def _read_urls(jobdir: Path, graph: CrawledGraph) -> None:
    for where, line in _lines(jobdir / "urls", graph):
        key, tab, url = line.partition("\t")
        if not tab or "\t" in url:
            graph.faults.append(f"{where} is not a key, a tab and a URL")
        elif key in graph.urls:
            graph.faults.append(f"{key} is listed twice")
        else:
            graph.urls[key] = url


def _read_shards(jobdir: Path, graph: CrawledGraph) -> None:
    key_of = {digest(key): key for key in graph.urls}
    for path in _files(jobdir / "graph"):
        content = path.read_bytes()
        if len(content) % DIGEST_BYTES:
            graph.faults.append(f"{path.name} ends inside a digest")
        parent = None
        for start in range(0, len(content) - DIGEST_BYTES + 1, DIGEST_BYTES):
            name = content[start : start + DIGEST_BYTES]
            key = key_of.get(bytes([name[0] & 0x7F]) + name[1:])
            if key is None:
                graph.faults.append(f"{path.name}: digest {name.hex()} at {start} has no URL")
            elif name[0] >= 0x80:
                parent = key
                graph.parents[key] += 1
            elif parent is None:
                graph.faults.append(f"{path.name}: a child before any parent")
            elif (parent, key) in graph.arcs:
                graph.faults.append(f"{parent} → {key} is written twice")
            else:
                graph.arcs.add((parent, key))


def _read_pages(jobdir: Path, graph: CrawledGraph) -> None:
    for where, line in _lines(jobdir / "pages", graph):
        page = _object(line)
        if "key" in page and "state" in page:
            graph.pages.setdefault(str(page["key"]), []).append(page)
        else:
            graph.faults.append(f"{where} is not a JSON object with a key and a state")


def _find_repeats(graph: CrawledGraph) -> None:
    graph.faults += [f"{key} is a parent {n} times" for key, n in graph.parents.items() if n > 1]
    for key, lines in graph.pages.items():
        earlier = [line["state"] for line in lines[:-1] if line["state"] not in SUPERSEDED]
        if earlier:
            graph.faults.append(
                f"{key} has {len(lines)} lines in the page log, {earlier} before the last one"
            )


def _object(line: str) -> dict[str, object]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
