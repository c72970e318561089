"""Plans, and what a crawl directory says after re-visits, read by its documented formats alone."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from webgraph_it.recrawl.plan_files import Planned, new_plan
from webgraph_it.simweb.crawl_files import digest
from webgraph_it.simweb.truth import Truth

PARENTS = ("fetched", "redirect")
FAST = {"HOST_DELAY": 0, "DELAY_FACTOR": 0, "ADDRESS_DELAY": 0}
FAR = 1e12
"""A plan made in the far future has every page, however recently it was visited."""


def log_of(jobdir: Path, *, first: int = 1) -> list[dict[str, Any]]:
    """The lines of the page log, from a file number on."""
    paths = [path for path in sorted((jobdir / "pages").glob("*.jsonl")) if int(path.stem) >= first]
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def last_number(jobdir: Path) -> int:
    return max(int(path.stem) for path in (jobdir / "pages").glob("*.jsonl"))


def plan_pages(
    jobdir: Path, wanted: Callable[[str], bool] = lambda key: True, priority: int = 0, made: float = FAR
) -> int:
    """Plan every page that was ever fetched and is wanted; how many."""
    last = {line["key"]: line for line in log_of(jobdir) if line["state"] in PARENTS and wanted(line["key"])}
    with new_plan(jobdir, "test", made) as plan:
        for key in sorted(last):
            line = last[key]
            plan.revisit(Planned(priority, key, line["url"], line["depth"], line["host_depth"], line["via"]))
    return len(last)


def sequences(jobdir: Path) -> Iterator[tuple[bytes, list[bytes]]]:
    """Every sequence of the shards, in order."""
    for path in sorted((jobdir / "graph").glob("*.g16")):
        content = path.read_bytes()
        parent, children = b"", list[bytes]()
        for at in range(0, len(content), 16):
            record = content[at : at + 16]
            if record[0] & 0x80:
                if parent:
                    yield parent, children
                parent, children = bytes((record[0] & 0x7F,)) + record[1:], []
            else:
                children.append(record)
        if parent:
            yield parent, children


def graph_now(jobdir: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """The pages that exist, and their arcs: the last sequence of each, unless it is gone. Checks that every sequence
    has its line, in the same order."""
    names = {digest(line.partition("\t")[0]): line.partition("\t")[0] for line in url_list(jobdir)}
    written = sequences(jobdir)
    links: dict[str, list[bytes]] = {}
    for line in log_of(jobdir):
        if line["state"] in PARENTS and digest(line["key"]) in names:
            parent, children = next(written)
            assert names[parent] == line["key"]
            assert len(children) == line["links"]
            links[line["key"]] = children
        elif line["state"] == "gone":
            links.pop(line["key"], None)
    assert next(written, None) is None
    return set(links), {(parent, names[child]) for parent, children in links.items() for child in children}


def url_list(jobdir: Path) -> list[str]:
    lines = [
        line for path in sorted((jobdir / "urls").glob("*.tsv")) for line in path.read_text().splitlines()
    ]
    assert max(Counter(lines).values()) == 1
    return lines


def differences_now(truth: Truth, jobdir: Path) -> list[str]:
    """Every way in which the pages and arcs as they are now are not those of the truth."""
    pages, arcs = graph_now(jobdir)
    expected = {key for key, state in truth.nodes.items() if state in PARENTS}
    return [
        *(f"not found: {key}" for key in expected - pages),
        *(f"does not exist: {key}" for key in pages - expected),
        *(f"arc not found: {arc}" for arc in truth.arcs - arcs),
        *(f"arc does not exist: {arc}" for arc in arcs - truth.arcs),
    ]
