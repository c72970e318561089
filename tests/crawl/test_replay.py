"""Other people's tools replay an archive: pywb and py-wacz, in an environment of their own."""

import http.client
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.crawl.crawling import finish, run_crawl, start_crawl
from tests.crawl.recrawling import plan_pages
from tests.crawl.test_recrawl import CHANGING
from tests.warc.archives import page_log
from tests.warc.replay import environment, replayed
from webgraph_it.cli import main
from webgraph_it.fetch.decode import decode
from webgraph_it.simweb import SimWeb
from webgraph_it.warc.cdxj import timestamp
from webgraph_it.warc.record import warc_date

pytestmark = pytest.mark.slow
Answer = tuple[int, str, bytes]
"""Status, Content-Encoding, body."""


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return environment(tmp_path_factory.mktemp("environment"), "pywb>=2.10,<3", "wacz>=0.6,<0.7")
    except OSError as error:
        pytest.skip(f"pywb and wacz cannot be installed here: {error}")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SimWeb, Path]]:
    jobdir = tmp_path_factory.mktemp("crawl")
    with SimWeb(hosts=40, pages=300, seed=11) as web:
        run_crawl(web, jobdir, WARC=True, COMMIT_INTERVAL=0.2, CHECKPOINT_INTERVAL=0.7)
        yield web, jobdir


def served(web: SimWeb, line: dict[str, Any], cookie: str = "") -> Answer:
    """What the web answers now. A page that redirects to itself with a cookie is asked for with it."""
    url = urlsplit(line["url"])
    port = web.settings["PORT_MAP"]["443" if url.scheme == "https" else "80"]
    connection = http.client.HTTPConnection(url.netloc)
    connection.sock = socket.create_connection((line["address"], port), timeout=10)
    if url.scheme == "https":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection.sock = context.wrap_socket(connection.sock, server_hostname=url.hostname)
    path = f"{url.path}?{url.query}" if url.query else url.path
    connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", url.netloc)
    connection.putheader("Accept-Encoding", "gzip, deflate, br, zstd")
    if cookie:
        connection.putheader("Cookie", cookie)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.getheader("Content-Encoding", ""), answer.read()
    connection.close()
    set_cookie = answer.getheader("Set-Cookie", "").partition(";")[0]
    return served(web, line, set_cookie) if set_cookie and not cookie and line["status"] == 200 else found


def plain(answer: Answer) -> tuple[int, bytes]:
    status, coding, body = answer
    return status, decode(body, [each.encode() for each in coding.split(",")], 10**8).body if coding else body


def test_pywb_replays_every_page_as_the_web_serves_it(
    binaries: Path, crawled: tuple[SimWeb, Path], tmp_path: Path
) -> None:
    """It finds them by our CDXJ. Many are revisits."""
    web, jobdir = crawled
    lines = [line for line in page_log(jobdir) if line["status"]]
    assert len(lines) > 500
    with replayed(binaries, jobdir, tmp_path) as replay:
        wrong = [
            line["url"]
            for line in lines
            if plain(replay.body(line["url"], timestamp(warc_date(line["time"])))) != plain(served(web, line))
        ]
    assert wrong == []


def test_pywb_replays_a_page_that_was_not_modified_as_it_was(binaries: Path, tmp_path: Path) -> None:
    jobdir, days_later = tmp_path / "crawl", 30
    with SimWeb(hosts=8, pages=160, degree=5, page_bytes=800, only=["plain"], **CHANGING) as web:
        run_crawl(web, jobdir, WARC=True)
        for _ in range(2):
            plan_pages(jobdir)
            web.turn_to(days_later)
            crawl = start_crawl(web, jobdir, days_later=days_later, WARC=True)
            output = finish(crawl)
            assert crawl.returncode == 0, output[-4000:]
    last: dict[str, Answer] = {}
    unmodified = 0
    with replayed(binaries, jobdir, tmp_path / "pywb") as replay:
        for line in page_log(jobdir):
            if line["status"]:
                found = replay.body(line["url"], timestamp(warc_date(line["time"])))
                if line["status"] == 304:
                    assert found == last[line["url"]], line
                    unmodified += 1
                last[line["url"]] = found
    assert unmodified > 50


def test_wacz_validate_accepts_the_package(
    binaries: Path, crawled: tuple[SimWeb, Path], tmp_path: Path
) -> None:
    to = tmp_path / "x.wacz"
    assert main(["warc", "wacz", str(crawled[1]), "--to", str(to)]) == 0
    ran = subprocess.run(
        [binaries / "wacz", "validate", "-f", to], check=False, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "is valid" in ran.stdout
