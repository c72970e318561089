"""The graph writer, as in the thesis: 300 sequences/s and then as fast as possible, buffered against unbuffered.

Prints the crawl thread's time per page (one sequence, one page-log line, and one URL-list record) and the disk
operations. A page costs a crawl about a millisecond: the writer's share of that is the last column.
"""

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path

from webgraph_it.items import Page, State
from webgraph_it.shards.encode import page_line, sequence
from webgraph_it.shards.writer import DoubleBufferedWriter, Durable, Shards, UnbufferedWriter

LINKS = 55
NEW_URLS = 5
PAGE_MILLISECONDS = 1.0


async def measure(writer_class: type, pages: int, per_second: float | None) -> tuple[float, int, float]:
    """Seconds of the crawl thread per page, disk operations, seconds in all."""
    with tempfile.TemporaryDirectory() as folder:
        shards = Shards(Path(folder), None, {"graph": 1800, "urls": 1800, "pages": 1800}, writer_class)
        digests = [os.urandom(16) for _ in range(LINKS + 1)]
        children = [bytes((d[0] & 0x7F,)) + d[1:] for d in digests[1:]]
        urls = b"".join(
            b"it,esempio,www)/pagina/%d\thttp://www.esempio.it/pagina/%d\n" % (i, i) for i in range(NEW_URLS)
        )
        page = Page(
            "http://esempio.it/", "it,esempio)/", digests[0], 1.7e9, State.FETCHED, 200, 3, "it,altro)/"
        )
        spent, began = 0.0, time.perf_counter()
        for number in range(pages):
            if per_second:
                await asyncio.sleep(max(0.0, began + number / per_second - time.perf_counter()))
            start = time.perf_counter()
            if shards.full:
                await shards.room()
            shards["graph"].write(sequence(digests[0], children))
            shards["urls"].write(urls)
            shards["pages"].write(page_line(page, LINKS).encode())
            spent += time.perf_counter() - start
        files: dict[str, Durable] = {}
        await asyncio.wrap_future(shards.sync(files.update))
        elapsed, operations = time.perf_counter() - began, shards.operations
        shards.close()
    return spent / pages, operations, elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=50_000)
    pages = parser.parse_args().pages
    print(f"{'writer':14}{'rate':>18}{'µs a page':>12}{'disk operations':>18}{'share of a page':>18}")
    for rate, count in ((300.0, min(pages, 3000)), (None, pages)):
        for writer_class in (DoubleBufferedWriter, UnbufferedWriter):
            seconds, operations, elapsed = asyncio.run(measure(writer_class, count, rate))
            share = 100 * seconds * (rate or 1000 / PAGE_MILLISECONDS)
            print(
                f"{writer_class.__name__.removesuffix('Writer'):14}{count / elapsed:14,.0f}/s  {seconds * 1e6:10.1f}"
                f"{operations:18,}{share:16.1f} %"
            )


if __name__ == "__main__":
    main()
