"""A crawl directory of any size, with the habits of real ones, made in seconds.

Hosts have sizes of a power law; most links stay on the host and share its menus, others go to popular pages; pages
are fetched, and URLs listed, in random order; seven nodes in ten were fetched. The same arguments give the same bytes.
"""

import json
from collections.abc import Iterator
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

FETCHED = 0.7
PARENTS_AT_A_TIME = 50_000
WORDS = [
    "comune",
    "provincia",
    "regione",
    "scuola",
    "liceo",
    "universita",
    "biblioteca",
    "museo",
    "teatro",
    "musica",
    "arte",
    "storia",
    "sport",
    "calcio",
    "hotel",
    "ristorante",
    "turismo",
    "viaggi",
    "mare",
    "montagna",
    "negozio",
    "prodotti",
    "catalogo",
    "offerte",
    "libri",
    "giornale",
    "notizie",
    "articoli",
    "archivio",
    "eventi",
    "servizi",
    "uffici",
    "anagrafe",
    "bandi",
    "concorsi",
    "delibere",
    "albo",
    "contatti",
    "documenti",
    "forum",
    "blog",
]


def generate(path: Path, nodes: int, arcs: int, seed: int = 7) -> Path:
    """Write the crawl directory; returns its path. The arcs come out within a few per cent of the number asked."""
    random = np.random.default_rng(seed)
    for folder in ("graph", "urls", "pages"):
        (path / folder).mkdir(parents=True)
    (path / "crawl.json").write_text(json.dumps({"recipe_version": 1}))
    sizes = host_sizes(random, nodes)
    keys, urls = names(random, sizes)
    digests = np.frombuffer(b"".join(md5(k.encode()).digest() for k in keys), np.uint8).reshape(-1, 16).copy()
    digests[:, 0] &= 0x7F
    order = random.permutation(nodes)
    with (path / "urls" / "000001.tsv").open("w") as file:
        file.writelines(f"{keys[i]}\t{urls[i]}\n" for i in order.tolist())
    parents = order[random.random(nodes) < FETCHED]
    with (path / "pages" / "000001.jsonl").open("w") as file:
        file.writelines(page_line(keys[i], urls[i]) for i in parents.tolist())
    with (path / "graph" / "000001.g16").open("wb") as file:
        for records in shard_records(random, parents, sizes, arcs):
            chunk = digests[records & 0x7FFFFFFF]
            chunk[:, 0] |= (records >> 31 << 7).astype(np.uint8)
            chunk.tofile(file)
    return path


def host_sizes(random: np.random.Generator, nodes: int) -> Array:
    """Pages per host, adding up to `nodes`."""
    sizes = np.minimum(random.pareto(0.9, nodes // 20 + 1) * 8 + 1, nodes / 20 + 1).astype(np.int64)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), nodes)) + 1]
    missing = nodes - int(sizes.sum())
    if missing > 0:
        sizes = np.append(sizes, np.full(-(-missing // 50), 50))
    sizes[-1] -= int(sizes.sum()) - nodes
    return sizes[sizes > 0]


def names(random: np.random.Generator, sizes: Array) -> tuple[list[str], list[str]]:
    """Keys and URLs; the pages of a host are neighbours, but in no order."""
    keys, urls = [], []
    picks = random.integers(0, len(WORDS), (len(sizes), 8))
    for host, (size, pick) in enumerate(zip(sizes.tolist(), picks.tolist(), strict=True)):
        label = f"{WORDS[pick[0]]}{WORDS[pick[1]]}{host}"
        start = ("http://www.", "https://www.", "http://", "https://")[pick[2] % 4] + f"{label}.it"
        for page, rest in enumerate(paths(random, size, pick)):
            keys.append(f"it,{label})/{rest if page else ''}")
            urls.append(f"{start}/{rest if page else ''}")
    return keys, urls


def paths(random: np.random.Generator, size: int, pick: list[int]) -> Iterator[str]:
    """Paths of one site: a few sections, each with its own kind of pages, numbered or dated."""
    sections = random.integers(0, len(WORDS), (size, 2)).tolist()
    for page, (section, word) in enumerate(sections):
        folder = WORDS[pick[3 + section % 5]]
        if section % 3 == 0:
            yield f"{folder}/index.php?id={page}"
        elif section % 3 == 1:
            yield f"{folder}/{2001 + word % 9}/{WORDS[word]}-{page}.html"
        else:
            yield f"{folder}/{WORDS[word]}/{WORDS[section]}/{page}"


def page_line(key: str, url: str) -> str:
    return (
        f'{{"key":"{key}","url":"{url}","time":1790000000.5,"status":200,"type":"text/html","bytes":15000,'
        '"digest":"d41d8cd98f00b204e9800998ecf8427e","depth":3,"via":"it,esempio)/","links":30,'
        '"address":"127.0.0.1","state":"fetched","reason":""}\n'
    )


def shard_records(random: np.random.Generator, parents: Array, sizes: Array, arcs: int) -> Iterator[Array]:
    """Node numbers in shard order, the first bit set for parents; each target once per parent."""
    starts = np.cumsum(sizes) - sizes
    host_of = np.repeat(np.arange(len(sizes)), sizes)
    mean = arcs / max(len(parents), 1) * 1.07  # what repeats is dropped
    for first in range(0, len(parents), PARENTS_AT_A_TIME):
        some = parents[first : first + PARENTS_AT_A_TIME]
        degrees = random.geometric(1 / (mean + 1), len(some)) - 1
        row = np.repeat(np.arange(len(some)), degrees)
        host = host_of[some[row]]
        draw = random.random(len(row))
        near = starts[host] + (draw**2 * sizes[host]).astype(np.int64)
        far = (random.random(len(row)) ** 3 * len(host_of)).astype(np.int64)
        pairs = np.sort(row << 32 | np.where(random.random(len(row)) < 0.85, near, far))
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # np.unique takes ten times as long
        pairs = pairs[np.argsort((pairs >> 32 << 32) + random.integers(0, 1 << 31, len(pairs)))]
        row, targets = pairs >> 32, pairs & 0xFFFFFFFF
        at = np.searchsorted(row, np.arange(len(some)))
        yield np.insert(targets, at, some | 1 << 31)
