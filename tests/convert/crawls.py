"""Crawl directories written by hand (struct and md5, nothing of ours), and what must become of them.

The small graph that the tests share:

    home ──► about, news, home        (a self-link)
    about ──► home                    (on another host's directory below)
    news ──► shop, missing
    moved ──► home                    a redirect
    shop                              fetched, no links
    missing                           answered 404
    denied                            robots; linked from shop in the second crawl only
"""

import json
import struct
from collections.abc import Mapping, Sequence
from hashlib import md5
from pathlib import Path

HOME, ABOUT, NEWS = "it,esempio)/", "it,esempio)/about", "it,esempio,news)/?id=1"
MOVED, SHOP, MISSING = "it,negozio)/old", "it,negozio):8080/", "it,negozio)/missing"
LINKS: dict[str, list[str]] = {
    HOME: [NEWS, ABOUT, HOME],
    ABOUT: [HOME],
    NEWS: [SHOP, MISSING],
    MOVED: [HOME],
    SHOP: [],
}
URLS = {
    HOME: "http://www.esempio.it/",
    ABOUT: "https://esempio.it/about",
    NEWS: "http://news.esempio.it/?id=1",
    MOVED: "http://negozio.it/old",
    SHOP: "http://negozio.it:8080/",
    MISSING: "http://negozio.it/missing;jsessionid=77",
}
STATES = {
    HOME: "fetched",
    ABOUT: "fetched",
    NEWS: "fetched",
    MOVED: "redirect",
    SHOP: "fetched",
    MISSING: "error",
}
STATUS = {"fetched": 200, "redirect": 301, "error": 404, "robots-denied": 0}


def digest(key: str, parent: bool = False) -> bytes:
    """MD5 of the key; the first bit says whether it is a parent."""
    first, rest = struct.unpack(">Q8s", md5(key.encode(), usedforsecurity=False).digest())
    first = first & (1 << 63) - 1 | parent << 63
    return struct.pack(">Q8s", first, rest)


def shard(links: Mapping[str, Sequence[str]]) -> bytes:
    return b"".join(digest(p, True) + b"".join(digest(c) for c in children) for p, children in links.items())


def page_line(key: str, url: str, state: str, depth: int = 1) -> str:
    line = {
        "key": key, "url": url, "time": 1_790_000_000.25, "status": STATUS[state], "type": "text/html",
        "bytes": 10, "digest": "00" * 16, "depth": depth, "via": "", "links": 1, "address": "127.0.0.1",
        "state": state, "reason": "",
    }  # fmt: skip
    return json.dumps(line) + "\n"


def write_crawl(
    path: Path,
    links: Mapping[str, Sequence[str]] = LINKS,
    urls: Mapping[str, str] = URLS,
    states: Mapping[str, str] = STATES,
    files: int = 1,
) -> Path:
    """A crawl directory; with `files` > 1 everything is spread over numbered files."""
    for folder in ("graph", "urls", "pages"):
        (path / folder).mkdir(parents=True, exist_ok=True)
    (path / "crawl.json").write_text(json.dumps({"recipe_version": 1, "scope": ["it,"]}))
    for number in range(files):
        name = f"{number + 1:06d}"
        (path / "graph" / f"{name}.g16").write_bytes(shard(dict(list(links.items())[number::files])))
        listed = list(urls.items())[number::files]
        (path / "urls" / f"{name}.tsv").write_text("".join(f"{key}\t{url}\n" for key, url in listed))
        tried = list(states.items())[number::files]
        lines = [page_line(key, urls.get(key, "http://altrove.com/"), state) for key, state in tried]
        (path / "pages" / f"{name}.jsonl").write_text("".join(lines))
    return path


def expected_arcs(links: Mapping[str, Sequence[str]], keys: Sequence[str]) -> list[list[int]]:
    """Successors by rank of key, for all nodes."""
    rank = {key: i for i, key in enumerate(sorted(keys))}
    rows: list[list[int]] = [[] for _ in keys]
    for parent, children in links.items():
        rows[rank[parent]] = sorted({rank[child] for child in children})
    return rows
