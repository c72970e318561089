"""A small compact graph directory with everything analyse reads, made without convert."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from webgraph_it.analyse.csr import Csr, from_arcs
from webgraph_it.graph.urlmap_writer import Strings, write_url_map
from webgraph_it.urls import key

TOWNS = (
    "padova",
    "venezia",
    "torino",
    "bari",
    "lecce",
    "siena",
    "parma",
    "udine",
    "pisa",
    "trento",
    "matera",
    "cagliari",
)
KINDS = ("comune", "museo", "biblioteca", "blog", "shop")
LONG_HOSTS = (
    "biblioteca.santa-maria-capua-vetere.it",
    "protezione-civile.provincia.barletta-andria-trani.it",
)
"""The first fits the width of a phone, the second does not."""
NASTY = "http://www.esempio.it/<script>alert(1)</script>&\"'"
READ = ("fetched", "redirect")
STATES = ("fetched", "redirect", "robots-denied", "error", "never-tried")
SHARES = (0.66, 0.06, 0.03, 0.07, 0.18)


def make_compact(folder: Path, pages: int = 400, crawls: tuple[Path, ...] = (), seed: int = 4) -> list[str]:
    """Writes the directory; returns the URLs in order of id. One page has the name NASTY, and ranks high."""
    random = np.random.default_rng(seed)
    urls = sorted([*_urls(random, pages - 1), NASTY], key=lambda url: str(key(url)))
    states = [STATES[int(state)] for state in random.choice(len(STATES), pages, p=SHARES)]
    hosts = [url.split("/")[2].removeprefix("www.") for url in urls]
    domains = [".".join(host.split(".")[-2:]) for host in hosts]
    arcs = [arc for arc in _arcs(random, urls, hosts) if states[arc[0]] in READ]
    _write_level(folder, from_arcs(pages, arcs), [str(source) for source in crawls])
    rows = {"id": range(pages), "url": urls, "state": states, "status": [200] * pages, "depth": [1] * pages}
    pq.write_table(pa.table({name: list(column) for name, column in rows.items()}), folder / "nodes.parquet")
    _write_urls(folder, urls)
    _write_coarse(folder / "hosts", hosts, arcs, hosts)
    _write_coarse(folder / "domains", domains, arcs, hosts)
    return urls


def _urls(random: np.random.Generator, count: int) -> list[str]:
    """Pages on hosts of very different size."""
    hosts = ["www.esempio.it", *LONG_HOSTS, *(f"{kind}.{town}.it" for kind in KINDS for town in TOWNS)]
    of_page = np.minimum(random.zipf(1.3, count), len(hosts)) - 1
    return [f"http://{hosts[host]}/" if page < len(hosts) else f"http://{hosts[host]}/p/{page}.html"
            for page, host in enumerate([*range(len(hosts)), *of_page[len(hosts):].tolist()][:count])]  # fmt: skip


def _arcs(random: np.random.Generator, urls: list[str], hosts: list[str]) -> list[tuple[int, int]]:
    """Links inside a host, mostly to few of its pages, and links out to popular pages anywhere."""
    first = {host: hosts.index(host) for host in hosts}
    size = {host: hosts.count(host) for host in first}
    popular = [urls.index(NASTY), *random.permutation(len(urls)).tolist()]
    arcs = []
    for page, host in enumerate(hosts):
        inside = np.minimum(random.zipf(1.5, int(random.zipf(1.9)) % 60 + 2), size[host]) - 1
        outside = np.minimum(random.zipf(1.5, int(random.integers(0, 4))), len(popular)) - 1
        arcs += [(page, first[host] + int(target)) for target in inside]
        arcs += [(page, popular[int(target)]) for target in outside]
    return arcs


def make_crawl(folder: Path, urls: list[str], seconds: float = 310.0, seed: int = 5) -> None:
    """A crawl directory with a page log and a progress log, as of a crawl of these URLs."""
    random = np.random.default_rng(seed)
    (folder / "pages").mkdir(parents=True)
    (folder / "reports").mkdir()
    with (folder / "pages" / "000001.jsonl").open("w") as log:
        log.writelines(_page_line(random, url, 1.8e9 + seconds * n / len(urls)) for n, url in enumerate(urls))
    with (folder / "reports" / "progress.jsonl").open("w") as log:
        log.writelines(_progress_line(random, step / 40, seconds, len(urls)) for step in range(41))


def _page_line(random: np.random.Generator, url: str, time: float) -> str:
    status = int(
        random.choice(
            [200, 301, 302, 404, 403, 500, 503, 0], p=[0.8, 0.06, 0.03, 0.06, 0.02, 0.01, 0.01, 0.01]
        )
    )
    state = "fetched" if status == 200 else "redirect" if status in (301, 302) else "error"
    media_type = str(
        random.choice(["text/html"] * 12 + ["application/pdf", "text/plain", "application/rss+xml"])
    )
    line = {
        "key": key(url),
        "url": url,
        "time": time,
        "status": status,
        "type": media_type if status else "",
        "bytes": int(random.lognormal(9.5, 1)),
        "digest": "",
        "depth": int(random.integers(0, 9)),
        "via": "",
        "links": 3,
        "address": "127.0.0.1",
        "state": state,
        "reason": "" if status else "CannotResolveHostError",
        "seconds": round(float(random.lognormal(-0.5, 1)), 3),
    }
    return json.dumps(line) + "\n"


def _progress_line(random: np.random.Generator, done: float, seconds: float, pages: int) -> str:
    cap = 250e3 if done < 0.5 else 400e3
    busy = min(1.0, 8 * done, 8 * (1.02 - done)) * random.uniform(0.9, 1.0)
    line = {
        "time": 1.8e9 + done * seconds,
        "pages": int(pages * done),
        "pages_per_second": pages / seconds * busy * cap / 325e3,
        "wire_bytes": int(3e5 * done * seconds),
        "wire_bytes_per_second": cap * busy,
        "bandwidth_cap": cap,
        "connections": int(60 * busy),
        "connections_cap": 5000,
        "queued": int(pages * 2.2 * done * (1 - done)),
        "seen": int(pages * (1 - (1 - done) ** 4)),
        "hosts_ready": int(9 * busy),
        "hosts_waiting": int(50 * busy),
        "hosts_parked": int(6 * done),
        "rss_bytes": int(2e8 + 2e7 * done),
        "links_per_page": 8.0,
        "free_disk_bytes": 1e11,
    }
    return json.dumps(line) + "\n"


def _write_coarse(
    folder: Path, of_page: list[str], arcs: list[tuple[int, int]], page_hosts: list[str]
) -> None:
    names = sorted(set(of_page), key=lambda name: name.split(".")[::-1])
    counts: dict[tuple[int, int], int] = {}
    for origin, target in set(arcs):
        arc = names.index(of_page[origin]), names.index(of_page[target])
        counts[arc] = counts.get(arc, 0) + 1
    _write_level(folder, from_arcs(len(names), list(counts)), [])
    np.array([counts[arc] for arc in sorted(counts)], dtype="<u4").tofile(folder / "weights.u32")
    hosts = [len({host for host in page_hosts if host.endswith(name)}) for name in names]
    rows = {"id": list(range(len(names))), "name": names, "hosts": hosts}
    pq.write_table(pa.table(rows), folder / "nodes.parquet")


def _write_level(folder: Path, graph: Csr, sources: list[str]) -> None:
    folder.mkdir(parents=True)
    graph.offsets.astype("<u8").tofile(folder / "offsets.u64")
    graph.targets.astype("<u4").tofile(folder / "targets.u32")
    summary = {"recipe_version": 1, "nodes": graph.nodes, "arcs": graph.arcs, "sources": sources}
    (folder / "graph.json").write_text(json.dumps(summary))


def _write_urls(folder: Path, urls: list[str]) -> None:
    batch = _strings([str(key(url)) for url in urls]), _strings(urls)
    write_url_map(folder / "urls", lambda: iter([batch]), [batch], threads=1)


def _strings(texts: list[str]) -> Strings:
    encoded = [text.encode() for text in texts]
    return Strings(np.cumsum([0, *map(len, encoded)]), np.frombuffer(b"".join(encoded), dtype=np.uint8))
