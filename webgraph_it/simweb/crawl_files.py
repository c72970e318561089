"""Reads a crawl directory by its documented formats alone: standard library, none of the crawler's code.

After re-visits, the graph is the one that the last visits found: the last sequence of a page counts, and a page that is
gone has no arcs and is an error. What is not a page and is linked from nowhere any more is not a node.

Guarantees: it also checks what the formats promise: no parent twice, unless a re-visit found other links; no arc
twice, no digest without a URL, one final line of the page log per URL besides re-visits, whole records. A link that is
on its way to another member of a fleet is a URL, too. Each fault is a sentence in `faults`, never an exception. Only
the bytes that committed.json counts are read, if there is one; the crawl must not be running."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path

from webgraph_it.simweb.names import bare, canonical_path, host_key

FOLDERS = ("urls", "graph", "pages")
DIGEST_BYTES = 16
LINK_FIELDS, LINK_MARKS, OUTSIDE = 5, 2, "outside"
"""Fields of a line of links/, which of them has the marks, and the mark of a link that leads to no node."""
SUPERSEDED = ("quota-cut", "never-tried")
"""States after which a node may have another line: its limit was raised, or it was tried later."""


PARENTS = ("fetched", "redirect")
LEAVING = ("unchanged", "revisit-failed")
"""States of re-visits after which a node is what it was."""
GONE = "gone"


class NotACrawl(Exception):
    """The folder is not a crawl directory. The text says what is missing."""


@dataclass
class CrawledGraph:
    """What a crawl has found."""

    urls: dict[str, str] = field(default_factory=dict)
    """key → url, of the URL lists and of the links that are on their way to another member of a fleet"""
    parents: Counter[str] = field(default_factory=Counter)
    arcs: set[tuple[str, str]] = field(default_factory=set)
    pages: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    """key → its lines in the page log"""
    faults: list[str] = field(default_factory=list)

    def state(self, key: str) -> str:
        telling = [line for line in self.pages.get(key, ()) if line["state"] not in LEAVING]
        return str(telling[-1]["state"]) if telling else "never-tried"

    def reason(self, key: str) -> str:
        lines = self.pages.get(key)
        return str(lines[-1].get("reason", "")) if lines else ""

    def states(self) -> dict[str, str]:
        """The state of every node. After re-visits, what was no page and is linked no more is no node."""
        states = {key: self.state(key) for key in self.urls}
        if any("visit" in line for lines in self.pages.values() for line in lines):
            kept = {child for _, child in self.arcs} | {
                key for key in states if self._stays(key, states[key])
            }
            states = {key: state for key, state in states.items() if key in kept}
        return {key: "error" if state == GONE else state for key, state in states.items()}

    def _stays(self, key: str, state: str) -> bool:
        """Whether a node needs no link: a page, or a seed that is not gone."""
        lines = self.pages.get(key)
        return state in PARENTS or not lines or (state != GONE and not lines[-1].get("via", ""))

    def found(self, key: str) -> int:
        """How often a visit found links: so many sequences it may have."""
        return sum(line["state"] in PARENTS for line in self.pages.get(key, ()))


def digest(key: str) -> bytes:
    whole = bytearray(md5(key.encode(), usedforsecurity=False).digest())
    whole[0] &= 0x7F
    return bytes(whole)


def read_crawl(jobdir: Path) -> CrawledGraph:
    """Read all of it; a fleet is read as one crawl. Raises NotACrawl if a folder or a member is missing."""
    crawls = [crawl for crawl in _crawls(jobdir) if not _has_never_run(crawl)]
    graph = CrawledGraph()
    for crawl in crawls:
        if missing := [name for name in FOLDERS if not (crawl / name).is_dir()]:
            raise NotACrawl(f"{crawl} is not a crawl directory: it has no {missing[0]}/")
        _read_urls(crawl, graph)
    for crawl in crawls:
        _read_links(crawl, graph)
        _read_pages(crawl, graph)
    children: dict[str, list[str]] = {}
    for crawl in crawls:
        _read_shards(crawl, graph, children)
    _find_repeats(graph)
    gone = {key for key in graph.pages if graph.state(key) == GONE}
    graph.arcs = {arc for arc in graph.arcs if arc[0] not in gone}
    return graph


def _crawls(jobdir: Path) -> list[Path]:
    """The crawl directory, or those of all members of a fleet."""
    here = sorted(jobdir.glob("member-*"))
    records = [path / "crawl.json" for path in here if (path / "crawl.json").is_file()]
    found = (
        _object(path.read_text(encoding="utf-8", errors="replace")).get("FLEET_SIZE") for path in records
    )
    size = max((each for each in found if isinstance(each, int)), default=0)
    for number in range(1, size + 1):
        if not (jobdir / f"member-{number:02d}").is_dir():
            raise NotACrawl(
                f"{jobdir} is a fleet of {size} members and lacks member-{number:02d}: "
                "copy the directories of all members into it"
            )
    return here or [jobdir]


def _has_never_run(crawl: Path) -> bool:
    """Whether it is a member that a change of the fleet's size has made."""
    is_member = crawl.name.startswith("member-")
    return is_member and not any((crawl / name).exists() or _committed(crawl / name) for name in FOLDERS)


def _files(folder: Path, graph: CrawledGraph) -> Iterator[tuple[Path, bytes]]:
    """Every file of a stream, and its bytes that count."""
    lengths = _committed(folder)
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    for name in sorted((lengths or {}).keys() - {path.name for path in paths}):
        graph.faults.append(f"{folder.name}/{name} is missing, and committed.json names it")
    for path in paths:
        content = path.read_bytes()
        length = len(content) if lengths is None else lengths.get(path.name, 0)
        if not isinstance(length, int) or not 0 <= length <= len(content):
            said = f"committed.json says {length}"
            graph.faults.append(f"{folder.name}/{path.name} has {len(content)} bytes, and {said}")
            length = len(content)
        if length:
            yield path, content[:length]


def _committed(folder: Path) -> dict[str, object] | None:
    """Name of the file → how many of its bytes count; None if all of them do."""
    path = folder.parent / "committed.json"
    if not path.is_file():
        return None
    lengths = _object(path.read_text(encoding="utf-8", errors="replace")).get(folder.name)
    return lengths if isinstance(lengths, dict) else {}


def _lines(folder: Path, graph: CrawledGraph) -> Iterator[tuple[str, str]]:
    """(where, line) of every file in the folder."""
    for path, counted in _files(folder, graph):
        content = counted.decode(errors="replace")
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


def _read_links(jobdir: Path, graph: CrawledGraph) -> None:
    """Links to sites of other members of a fleet: nodes, even if their owners have not listed them yet."""
    if not (jobdir / "links").is_dir():
        return
    for where, line in _lines(jobdir / "links", graph):
        fields = line.split("\t")
        scheme, _, rest = fields[-1].partition("://")
        authority, slash, path = rest.partition("/")
        if len(fields) != LINK_FIELDS or not scheme or not authority or not slash:
            graph.faults.append(f"{where} is not a link")
        elif OUTSIDE not in fields[LINK_MARKS].split(","):
            host, colon, port = authority.partition(":")
            graph.urls.setdefault(
                f"{host_key(bare(host))}{colon}{port}{canonical_path('/' + path)}", fields[-1]
            )


def _read_shards(jobdir: Path, graph: CrawledGraph, children: dict[str, list[str]]) -> None:
    """`children`: of the last sequence of each parent, also in the directories of other members."""
    key_of = {digest(key): key for key in graph.urls}
    for path, content in _files(jobdir / "graph", graph):
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
                if 1 < graph.parents[key] <= graph.found(key):
                    graph.arcs -= {(key, child) for child in children[key]}
                children[key] = []
            elif parent is None:
                graph.faults.append(f"{path.name}: a child before any parent")
            elif (parent, key) in graph.arcs:
                graph.faults.append(f"{parent} → {key} is written twice")
            else:
                graph.arcs.add((parent, key))
                children[parent].append(key)


def _read_pages(jobdir: Path, graph: CrawledGraph) -> None:
    for where, line in _lines(jobdir / "pages", graph):
        page = _object(line)
        if "key" in page and "state" in page:
            graph.pages.setdefault(str(page["key"]), []).append(page)
        else:
            graph.faults.append(f"{where} is not a JSON object with a key and a state")


def _find_repeats(graph: CrawledGraph) -> None:
    graph.faults += [
        f"{key} is a parent {n} times" for key, n in graph.parents.items() if n > max(1, graph.found(key))
    ]
    for key, lines in graph.pages.items():
        first = [line for line in lines if "visit" not in line]
        earlier = [line["state"] for line in first[:-1] if line["state"] not in SUPERSEDED]
        if earlier:
            graph.faults.append(
                f"{key} has {len(lines)} lines in the page log, {earlier} before the last one"
            )


def _object(line: str) -> dict[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
