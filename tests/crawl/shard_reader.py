"""Reads a crawl directory by its documented formats alone: standard library, none of the crawler's code.

The oracle of the crawl tests. It also checks what the formats promise: no parent twice, no digest without a
URL, whole records.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path

SUPERSEDED = ("quota-cut", "never-tried")
"""States after which a node may have another line: the limit was raised, or its turn came."""


@dataclass
class CrawledGraph:
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
        return str(lines[-1]["reason"]) if lines else ""


def digest(key: str) -> bytes:
    whole = bytearray(md5(key.encode()).digest())
    whole[0] &= 0x7F
    return bytes(whole)


def read_crawl(jobdir: Path) -> CrawledGraph:
    graph = CrawledGraph()
    _read_urls(jobdir, graph)
    _read_shards(jobdir, graph)
    _read_pages(jobdir, graph)
    return graph


def _read_urls(jobdir: Path, graph: CrawledGraph) -> None:
    for path in sorted((jobdir / "urls").iterdir()):
        for line in path.read_text(encoding="ascii").splitlines():
            key, url = line.split("\t")
            if key in graph.urls:
                graph.faults.append(f"{key} is listed twice")
            graph.urls[key] = url


def _read_shards(jobdir: Path, graph: CrawledGraph) -> None:
    key_of = {digest(key): key for key in graph.urls}
    for path in sorted((jobdir / "graph").iterdir()):
        content = path.read_bytes()
        if len(content) % 16:
            graph.faults.append(f"{path.name} ends inside a digest")
        parent = None
        for start in range(0, len(content) - 15, 16):
            name = content[start : start + 16]
            is_parent = name[0] >= 0x80
            key = key_of.get(bytes([name[0] & 0x7F]) + name[1:])
            if key is None:
                graph.faults.append(f"{path.name}: digest {name.hex()} at {start} has no URL")
            elif is_parent:
                parent = key
                graph.parents[key] += 1
            elif parent is None:
                graph.faults.append(f"{path.name}: a child before any parent")
            elif (parent, key) in graph.arcs:
                graph.faults.append(f"{parent} → {key} is written twice")
            else:
                graph.arcs.add((parent, key))
    graph.faults += [f"{key} is a parent {n} times" for key, n in graph.parents.items() if n > 1]


def _read_pages(jobdir: Path, graph: CrawledGraph) -> None:
    for path in sorted((jobdir / "pages").iterdir()):
        for line in path.read_text(encoding="utf-8").splitlines():
            page = json.loads(line)
            graph.pages.setdefault(page["key"], []).append(page)
    for key, lines in graph.pages.items():
        earlier = [line["state"] for line in lines[:-1] if line["state"] not in SUPERSEDED]
        if earlier:
            graph.faults.append(
                f"{key} has {len(lines)} lines in the page log, {earlier} before the last one"
            )
