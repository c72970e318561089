"""References per second through our names, beside what Scrapy does with a link.

Ours: normal + key + digest, and then the scope's verdict. Theirs: urljoin, w3lib's canonicalize_url and SHA-1 of the
result; and the same as Scrapy runs it: urljoin, Request (which escapes the URL), its fingerprint. All take the
same references, by turns, in one process; the best round of each counts, in processor time.

    python -m tests.benchmarks.names [pages]
"""

import random
import sys
from collections.abc import Callable, Sequence
from hashlib import sha1
from time import process_time
from urllib.parse import urljoin

from scrapy import Request
from scrapy.utils.request import fingerprint
from w3lib.url import canonicalize_url

from tests.defaults import default_scope
from webgraph_it.urls import Name, name

ROUNDS = 5
LINKS_A_PAGE = 26
SCOPE = default_scope()

# How links are written on Italian pages, and how often out of a hundred.
SHAPES: dict[str, int] = {
    "/{word}/{word}.html": 22,
    "{word}.html": 14,
    "/{word}/{word}/": 10,
    "http://www.{host}/{word}/{word}-{number}.html": 14,
    "https://{host}/": 6,
    "index.php?id={number}&lang=it": 8,
    "/{word}.asp?id={number}&PHPSESSID={number}": 2,
    "../{word}/{word}.htm": 7,
    "?pagina={number}": 4,
    "#{word}": 4,
    "//{host}/{word}": 2,
    "mailto:{word}@{host}": 2,
    "javascript:void({number})": 2,
    "/documenti/Delibera n. {number}.pdf": 1,
    "/{word}/perché?q=città": 1,
    "http://{host}:8080/{word};jsessionid={number}": 1,
}
WORDS = (
    "comune",
    "uffici",
    "notizie",
    "anagrafe",
    "eventi",
    "storia",
    "musei",
    "scuola",
    "bandi",
    "contatti",
)

Reference = tuple[str, str]


def references(pages: int) -> list[Reference]:
    """(base, reference) pairs, page by page, always the same ones."""
    chance = random.Random(2026)
    shapes, weights = list(SHAPES), list(SHAPES.values())
    found = []
    for page in range(pages):
        base = f"http://www.sito{page}.it/{chance.choice(WORDS)}/{chance.choice(WORDS)}.html"
        for shape in chance.choices(shapes, weights, k=LINKS_A_PAGE):
            host = f"sito{chance.randrange(5000)}.it"
            text = shape.replace("{host}", host).replace("{number}", str(chance.randrange(10**6)))
            while "{word}" in text:
                text = text.replace("{word}", chance.choice(WORDS), 1)
            found.append((base, text))
    return found


def ours(pairs: Sequence[Reference]) -> None:
    for base, reference in pairs:
        name(reference, base)


def ours_and_scope(pairs: Sequence[Reference]) -> None:
    for base, reference in pairs:
        named = name(reference, base)
        if isinstance(named, Name):
            SCOPE.verdict(named.key, named.url)


def w3lib(pairs: Sequence[Reference]) -> None:
    for base, reference in pairs:
        sha1(canonicalize_url(urljoin(base, reference)).encode()).digest()


def scrapy(pairs: Sequence[Reference]) -> None:
    for base, reference in pairs:
        url = urljoin(base, reference)
        if url.startswith("http"):
            fingerprint(Request(url))


OURS = "normal + key + digest"
RUNNERS: dict[str, Callable[[Sequence[Reference]], None]] = {
    OURS: ours,
    "the same, and the scope": ours_and_scope,
    "urljoin + canonicalize_url + SHA-1": w3lib,
    "urljoin + Request + fingerprint": scrapy,
}


def measure(pairs: Sequence[Reference]) -> dict[str, float]:
    """References per second of each runner, in its best round."""
    best = dict.fromkeys(RUNNERS, 0.0)
    for _ in range(ROUNDS):
        for title, run in RUNNERS.items():
            start = process_time()
            run(pairs)
            best[title] = max(best[title], len(pairs) / (process_time() - start))
    return best


def main() -> None:
    pairs = references(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
    speeds = measure(pairs)
    print(f"{len(pairs):,} references, best of {ROUNDS} rounds")
    for title, speed in speeds.items():
        ratio = speeds[OURS] / speed
        print(f"{title:36} {speed:10,.0f} references/s  {1e6 / speed:6.1f} µs each  ours/this {ratio:5.2f}")


if __name__ == "__main__":
    main()
