"""Extraction workers in a whole crawl: no document hurts it, and a worker's death loses nothing."""

import contextlib
import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from tests.crawl.observing import stats
from tests.crawl.shard_reader import read_crawl
from tests.extract.bombs import BOMBS
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.pages import Page

BOMB_PORT = 8080
"""In URLs; PORT_MAP leads it to where the bombs really are."""
SHORT = (
    "nested div",
    "50,000 body tags with attributes",
    "400,000 links",
    "billion laughs",
    "PDF object stream of 500 MB",
    "PDF of 20,000 object streams",
    "PDF of unclosed strings",
    "ZIP of relationships",
    "SWF with a huge dictionary",
)
NAMED = {
    "50,000 body tags with attributes": "memory",
    "400,000 links": "too-many-links",
    "PDF object stream of 500 MB": "bomb",
}
"""What some are cut for, whatever the machine."""


@contextmanager
def bomb_server(address: str, names: tuple[str, ...]) -> Iterator[int]:
    """Serves an index at / and bomb N at /N; its port."""
    bombs = [BOMBS[name] for name in names]

    class Bombs(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            number = self.path.strip("/")
            if number.isdecimal() and int(number) < len(bombs):
                media_type, make = bombs[int(number)]
                self._answer(200, media_type, make())
            elif number:
                self._answer(404, "text/plain", b"")
            else:
                links = "".join(f"<a href=/{n}>{n}</a>" for n in range(len(bombs)))
                self._answer(200, "text/html", links.encode())

        def _answer(self, status: int, media_type: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None: ...

        def handle_error(self) -> None: ...

    with ThreadingHTTPServer((address, 0), Bombs) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def crawl_bombs(tmp_path: Path, names: tuple[str, ...]) -> tuple[dict[str, str], dict[str, int]]:
    """Crawl a host with bombs beside healthy ones: what was said of each bomb, and the stats."""
    with SimWeb(hosts=10, pages=100, seed=3, only=["plain"]) as web:
        host = web.world.hosts[-1]
        labels = ",".join(reversed(host.name.split(".")))
        seeds = tmp_path / "seeds.txt"
        seeds.write_text(f"http://{host.name}:{BOMB_PORT}/\n" + "\n".join(web.seeds))
        with bomb_server(host.address, names) as port:
            ports = {**web.settings["PORT_MAP"], str(BOMB_PORT): port}
            settings = {"SEEDS": str(seeds), "PORT_MAP": json.dumps(ports), "MAX_PAGES_PER_HOST": 200}
            output = run_crawl(web, tmp_path / "crawl", **settings)
        crawled = read_crawl(tmp_path / "crawl")
        healthy = {(parent, child) for parent, child in web.truth.arcs if not parent.startswith(f"{labels})")}
        assert healthy <= crawled.arcs
    lines = [crawled.pages[f"{labels}):{BOMB_PORT}/{number}"] for number in range(len(names))]
    assert [line["state"] for (line,) in lines] == ["fetched"] * len(names)
    assert "Traceback" not in output
    return {name: str(line["reason"]) for name, (line,) in zip(names, lines, strict=True)}, stats(output)


def test_bombs_are_pages_with_a_reason_and_the_crawl_goes_on(tmp_path: Path) -> None:
    reasons, found = crawl_bombs(tmp_path, SHORT)
    assert reasons | NAMED == reasons
    assert found["extract/workers_replaced"] >= 1


@pytest.mark.slow
def test_every_bomb_in_a_whole_crawl(tmp_path: Path) -> None:
    reasons, _ = crawl_bombs(tmp_path, tuple(BOMBS))
    assert reasons | NAMED == reasons


def kill_the_oldest_worker(crawl: psutil.Process) -> bool:
    """The one that has surely begun to work."""
    with contextlib.suppress(psutil.Error):  # one that ends just now
        workers = [child for child in crawl.children() if "webgraph_it.extract.worker" in child.cmdline()]
        if workers:
            min(workers, key=psutil.Process.create_time).send_signal(signal.SIGKILL)
            return True
    return False


def test_workers_killed_in_the_middle_lose_nothing(tmp_path: Path) -> None:
    with SimWeb(hosts=20, pages=400, seed=5, only=["plain"]) as web:
        crawl = start_crawl(web, tmp_path, EXTRACT_WORKERS=2, HOST_DELAY=0.1)
        kills = 0
        while kills < 3 and crawl.poll() is None:
            time.sleep(0.7)
            if any(hit["event"] == "response" for hit in web.hits()):
                kills += kill_the_oldest_worker(psutil.Process(crawl.pid))
        output = finish(crawl)
        assert crawl.returncode == 0, output[-3000:]
        assert kills == 3
        assert stats(output)["extract/workers_replaced"] == 3
        assert differences(web, tmp_path) == []


def test_a_host_is_asked_on_while_its_page_waits_to_be_read(tmp_path: Path) -> None:
    assert pages_asked_while_none_is_read(tmp_path, enough=5, seconds=15) >= 5


def test_no_more_pages_are_asked_for_than_may_wait_to_be_read(tmp_path: Path) -> None:
    asked = pages_asked_while_none_is_read(tmp_path, enough=2, seconds=3, SCRAPER_SLOT_MAX_ACTIVE_SIZE=1)
    assert asked == 1


def pages_asked_while_none_is_read(tmp_path: Path, enough: int, seconds: float, **settings: Any) -> int:
    """Of a host with ten seeds, by its own log, while the worker is suspended; then the crawl ends, and is exact."""
    with SimWeb(hosts=1, pages=40, seed=5, only=["plain"]) as web:
        seeds = tmp_path / "seeds.txt"
        seeds.write_text("\n".join(web.world.url(page.place) for page in some_pages(web, 10)))
        crawl = start_crawl(web, tmp_path / "crawl", SEEDS=str(seeds), EXTRACT_WORKERS=1, **settings)
        worker = first_worker(crawl.pid)
        worker.suspend()
        while not pages_asked(web) and crawl.poll() is None:
            time.sleep(0.1)
        end = time.monotonic() + seconds
        while pages_asked(web) < enough and time.monotonic() < end:
            time.sleep(0.1)
        asked = pages_asked(web)
        worker.resume()
        finish(crawl)
        assert not differences(web, tmp_path / "crawl")
        return asked


def some_pages(web: SimWeb, count: int) -> list[Page]:
    """The front page and pages that it links to."""
    front = web.world.page(web.world.seed_places[0])
    return [front, *(web.world.page(place) for place in sorted(front.children)[: count - 1])]


def first_worker(pid: int) -> psutil.Process:
    """The extraction worker of a crawl, before there is anything to read."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(psutil.Error):
            for child in psutil.Process(pid).children():
                if "webgraph_it.extract.worker" in child.cmdline():
                    return child
        time.sleep(0.002)
    raise AssertionError("the crawl started no worker")


def pages_asked(web: SimWeb) -> int:
    return sum(hit["event"] == "request" and "robots" not in hit["path"] for hit in web.hits())
