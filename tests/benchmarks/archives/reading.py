"""Reading WARC: ingest beside a plain loop of warcio and lxml, and beside the same pages as WAT.

The same pages for all (simweb's, 15 KB with 30 links), gzipped with one member per record. CPU time is that of the main
process and its readers, start and end included. The loop resolves each `a/@href` and writes `URL TAB URL`: it has no
names, no scope, no limits, no frontier and no commits. A WAT file has no pages, so its rate is per page described.
"""

import asyncio
import io
import json
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from urllib.parse import urljoin

from lxml import html
from warcio.archiveiterator import ArchiveIterator

from tests.benchmarks.extract import SETS, documents
from tests.ingest.archives import Capture, warc
from webgraph_it.extract import Document
from webgraph_it.ingest.ingest import ingest
from webgraph_it.progress import Progress

TARGET = 3_000
"""Pages per second and core."""


def archive(pages: list[Document], path: Path) -> Path:
    path.write_bytes(warc(Capture(page.url, page.body) for page in pages))
    return path


def outlines(pages: list[Document], path: Path) -> Path:
    """The same pages as Common Crawl describes them."""
    path.write_bytes(
        warc(
            Capture(page.url, outline(page), kind="metadata", more={"Content-Type": "application/json"})
            for page in pages
        )
    )
    return path


def outline(page: Document) -> bytes:
    links = [{"path": "A@/href", "url": href} for href in html.fromstring(page.body).xpath("//a/@href")]
    response = {
        "Response-Message": {"Status": "200"},
        "Headers": {"Content-Type": "text/html; charset=utf-8"},
        "HTML-Metadata": {"Links": links},
    }
    envelope = {
        "WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": page.url},
        "Payload-Metadata": {"HTTP-Response-Metadata": response},
    }
    return json.dumps({"Container": {}, "Envelope": envelope}).encode()


def ours(file: Path, folder: Path) -> int:
    jobdir = folder / "job"
    shutil.rmtree(jobdir, ignore_errors=True)
    return asyncio.run(ingest([file], jobdir, {}, Progress(io.StringIO()))).tally.pages


def plain(file: Path, folder: Path) -> int:
    """What one writes in ten lines."""
    pages = 0
    with file.open("rb") as stream, (folder / "arcs.tsv").open("w") as arcs:
        for record in ArchiveIterator(stream):
            if record.rec_type == "response":
                url = record.rec_headers.get_header("WARC-Target-URI")
                for href in html.fromstring(record.content_stream().read()).xpath("//a/@href"):
                    arcs.write(f"{url}\t{urljoin(url, href)}\n")
                pages += 1
    return pages


def cpu_seconds() -> float:
    """Of this process and of those that have ended."""
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def rate(read: Callable[[Path, Path], int], file: Path, folder: Path) -> tuple[float, float]:
    """Pages per second of CPU, and of the clock."""
    began, clock = cpu_seconds(), time.perf_counter()
    pages = read(file, folder)
    return pages / (cpu_seconds() - began), pages / (time.perf_counter() - clock)


def compare(count: int, rounds: int) -> float:
    """Prints a line for each. Returns our pages per second and core."""
    pages = documents(SETS["15 KB, 30 links"], count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = archive(pages, folder / "a.warc.gz"), outlines(pages, folder / "a.warc.wat.gz")
        del pages
        peers = {
            "ingest": (ours, files[0]),
            "ingest of WAT": (ours, files[1]),
            "warcio + lxml, links only": (plain, files[0]),
        }
        found = {
            peer: [rate(read, file, folder) for _ in range(rounds)] for peer, (read, file) in peers.items()
        }
    rates = {peer: median(cpu for cpu, _ in each) for peer, each in found.items()}
    print(
        f"{count:,} pages of 15 KB, median of {rounds} rounds; pages/s per core (by the clock); ratio to ingest"
    )
    for peer, each in found.items():
        clock = median(seconds for _, seconds in each)
        print(f"  {peer:<28} {rates[peer]:>8,.0f}  ({clock:,.0f})  {rates['ingest'] / rates[peer]:.2f}")
    return rates["ingest"]
