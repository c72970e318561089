"""Makes archives for tests with warcio, and ingests them."""

import io
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import zstandard
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webgraph_it.cli import main
from webgraph_it.simweb.crawl_files import CrawledGraph, read_crawl

HTML = {"Content-Type": "text/html; charset=utf-8"}


class Capture(NamedTuple):
    """One record to write."""

    url: str
    body: bytes = b""
    status: str = "200 OK"
    headers: Mapping[str, str] = HTML
    date: str = "2024-05-01T10:00:00Z"
    kind: str = "response"
    more: Mapping[str, str] = {}


def page(*links: str) -> bytes:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return f"<!DOCTYPE html><html><body>{anchors}</body></html>".encode()


def warc(captures: Iterable[Capture], version: str = "1.1", packed: bool = True) -> bytes:
    """A whole file, with one gzip member per record if it is packed."""
    written = io.BytesIO()
    writer = WARCWriter(written, gzip=packed, warc_version=version)
    writer.write_record(writer.create_warcinfo_record("a.warc", {"software": "tests"}))
    for capture in captures:
        head = StatusAndHeaders(capture.status, list(capture.headers.items()), protocol="HTTP/1.1")
        record = writer.create_warc_record(
            capture.url,
            capture.kind,
            payload=io.BytesIO(capture.body),
            length=len(capture.body),
            http_headers=head if capture.kind in ("response", "revisit") else None,
            warc_headers_dict={"WARC-Date": capture.date, "WARC-IP-Address": "127.1.0.1", **capture.more},
        )
        writer.write_record(record)
        record.raw_stream.close()  # warcio leaves that to the garbage collector
    return written.getvalue()


def as_zstd(plain: bytes) -> bytes:
    """Each record a frame."""
    starts = [at for at in range(len(plain)) if plain.startswith(b"WARC/1.", at)]
    bounds = [0, *starts, len(plain)]
    parts = [plain[start:end] for start, end in pairwise(bounds)]
    return b"".join(zstandard.compress(part) for part in parts if part)


def write(path: Path, captures: Iterable[Capture]) -> Path:
    path.write_bytes(warc(captures))
    return path


def ingest(jobdir: Path, *arguments: object, again: bool = False) -> CrawledGraph:
    """Ingest in this process. Returns what a reader of the directory sees. `again`: pages have several lines."""
    assert main(["ingest", *map(str, arguments), "--jobdir", str(jobdir)]) == 0
    found = read_crawl(jobdir)
    assert [fault for fault in found.faults if not (again and "lines in the page log" in fault)] == []
    return found


def captured_urls(path: Path) -> set[str]:
    """The URLs of the responses, as warcio reads them."""
    with path.open("rb") as file:
        return {
            record.rec_headers.get_header("WARC-Target-URI").strip("<>")
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
        }
