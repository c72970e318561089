"""Writing WARC: ours beside warcio and fastwarc, and the CPU that an archive costs a crawl.

Records: the same responses of 16 KB for all, with both digests, each a gzip member of its own. Rates are per second of
CPU time of one core. `with request, metadata and index` is all that a crawl writes for a page with 30 links.

Crawl: the same web with WARC off and on in alternation. CPU time is that of the crawl and its workers as the kernel
counts it (getrusage), start and end of the process included. The target is at most TARGET times as much.
"""

import io
import resource
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from statistics import median

from tests.crawl.crawling import run_crawl
from webgraph_it.items import Exchange, Link
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.markup import html
from webgraph_it.warc.capture import Capture, Finding
from webgraph_it.warc.record import digest, new_id, warc_date
from webgraph_it.warc.stream import WarcStream

PAGE_BYTES, LINKS = 16_000, 30
TARGET = 1.35
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nServer: x\r\n\r\n"
REQUEST = b"GET /pagina HTTP/1.1\r\nHost: www.esempio.it\r\nUser-Agent: x\r\nAccept: */*\r\n\r\n"


def exchanges(count: int) -> list[Exchange]:
    pages = [
        html(f"Pagina {n}", [f"<a href=/{n}/{i}>x</a>" for i in range(LINKS)], PAGE_BYTES, n)
        for n in range(count)
    ]
    return [
        Exchange(f"http://www.esempio.it/{n}", REQUEST, HEAD, page, page, "", "127.0.0.1", 1.795e9 + n)
        for n, page in enumerate(pages)
    ]


def ours(made: list[Exchange]) -> int:
    """The responses alone."""
    stream = _ResponsesOnly([("software", "x")])
    stream.begin_file("000001.warc.gz")
    return len(stream.members(Capture(each, None) for each in made))


class _ResponsesOnly(WarcStream):
    def _add_capture(self, pressed: bytearray, capture: Capture) -> None:
        exchange, date = capture.exchange, warc_date(capture.exchange.time)
        self._add(pressed, self._response(exchange, date, new_id(), digest(exchange.entity)))


def ours_whole(made: list[Exchange]) -> int:
    links = tuple(Link(f"http://www.esempio.it/altra/{n}", "", b"", "a") for n in range(LINKS))
    stream = WarcStream([("software", "x")])
    stream.begin_file("000001.warc.gz")
    return len(stream.members(Capture(each, Finding(1, "it,esempio)/", 0.1, links)) for each in made))


def by_warcio(made: list[Exchange]) -> int:
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    file = io.BytesIO()
    writer = WARCWriter(file, gzip=True, warc_version="1.1")
    for each in made:
        headers = StatusAndHeaders(
            "200 OK", [("Content-Type", "text/html"), ("Server", "x")], protocol="HTTP/1.1"
        )
        writer.write_record(
            writer.create_warc_record(
                each.url, "response", payload=io.BytesIO(each.body), http_headers=headers
            )
        )
    return file.tell()


def by_fastwarc(made: list[Exchange]) -> int:
    """With zlib's usual level 6; `finish` ends a gzip member."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of its own modules
        from fastwarc.stream_io import GzipWriter
        from fastwarc.warc import WarcRecord, WarcRecordType
    file = io.BytesIO()
    writer = GzipWriter(file, compression_level=6)
    for each in made:
        record = WarcRecord()
        record.init_headers(WarcRecordType.response)
        record.headers["WARC-Target-URI"] = each.url
        record.set_bytes_content(each.head + each.body)
        record.write(writer, checksum_data=True, payload_digest=sha1(each.entity).digest())
        writer.finish()
    return len(file.getvalue())


WRITERS: dict[str, Callable[[list[Exchange]], int]] = {
    "ours": ours,
    "ours, with request, metadata and index": ours_whole,
    "warcio": by_warcio,
    "fastwarc": by_fastwarc,
}


def records(count: int, rounds: int) -> None:
    made = exchanges(count)
    spent: dict[str, list[float]] = {name: [] for name in WRITERS}
    sizes = {}
    for _ in range(rounds):
        for name, write in WRITERS.items():
            began = time.process_time()
            sizes[name] = write(made)
            spent[name].append(time.process_time() - began)
    print(f"\n{count:,} responses of {PAGE_BYTES / 1000:.0f} KB, median of {rounds} rounds")
    print(f"{'writer':40}{'pages/s':>10}{'ours is':>10}{'bytes a page':>14}")
    for name in WRITERS:
        rate = count / median(spent[name])
        times = median(spent[name]) / median(spent["ours"])
        print(f"{name:40}{rate:10,.0f}{times:9.1f}×{sizes[name] / count:14,.0f}")


def crawl(hosts: int, pages: int, rounds: int) -> float:
    """CPU per page with the archive on, as a multiple of off."""
    ratios = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        SimWeb(hosts=hosts, pages=pages, seed=7, only=["plain"], hits=False, keep=True) as web,
    ):
        jobdir, fetched = Path(scratch) / "crawl", len(web.truth.nodes)
        _cpu_seconds(web, jobdir, warc=False)  # the web makes its pages
        print(
            f"\n{fetched:,} pages of 15 KB on {hosts} hosts, {rounds} rounds of a crawl without and with an archive"
        )
        print(f"{'ms CPU a page, off':>20}{'on':>10}{'on ÷ off':>10}{'archive, KB a page':>22}")
        for _ in range(rounds):
            off = _cpu_seconds(web, jobdir, warc=False)
            on = _cpu_seconds(web, jobdir, warc=True, keep=True)
            size = sum(file.stat().st_size for file in (jobdir / "warc").iterdir())
            shutil.rmtree(jobdir)
            ratios.append(on / off)
            print(
                f"{1e3 * off / fetched:20.3f}{1e3 * on / fetched:10.3f}{on / off:10.3f}{size / fetched / 1e3:22.2f}",
                flush=True,
            )
    print(f"median on ÷ off: {median(ratios):.3f}, at most {TARGET} is wanted")
    return median(ratios)


def _cpu_seconds(web: SimWeb, jobdir: Path, *, warc: bool, keep: bool = False) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run_crawl(web, jobdir, seconds=600, WARC=warc)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not keep:
        shutil.rmtree(jobdir)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
