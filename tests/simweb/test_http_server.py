"""HTTP and HTTPS as curl sees them, and what the hit log says of it."""

import shutil
import socket
import subprocess
from collections.abc import Iterator

import pytest

from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import Delivery, Page
from webgraph_it.simweb.plain import path_of

SHARES = dict.fromkeys(
    (
        "gzip",
        "deflate",
        "br",
        "chunked",
        "http10",
        "no-keep-alive",
        "redirect-chain",
        "odd-headers",
        "slow-body",
    ),
    0.2,
)
pytestmark = pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=1, pages=400, only=["plain"], shares=SHARES, page_bytes=3000) as web:
        yield web


def curl(web: SimWeb, url: str, *options: str) -> bytes:
    http, https = web.settings["PORT_MAP"]["80"], web.settings["PORT_MAP"]["443"]
    host = web.world.hosts[0]
    ways = [f"::{host.address}:{https if url.startswith('https') else http}"]
    command = ["curl", "-sSk", "--max-time", "10", "--connect-to", *ways, *options, url]
    return subprocess.run(command, capture_output=True, check=True).stdout


def pages(web: SimWeb) -> list[Page]:
    host = web.world.hosts[0]
    found = (web.world.page(Place(host.name, path_of(host, index))) for index in range(host.page_count))
    return [page for page in found if page]


def page_with(web: SimWeb, **wanted: object) -> Page:
    plain = {"coding": "", "framing": "length", "slow": False, "odd_headers": False} | wanted
    return next(page for page in pages(web) if page.delivery == Delivery(**plain))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_curl_gets_a_page(web: SimWeb, scheme: str) -> None:
    page = page_with(web)
    assert curl(web, f"{scheme}://{page.place.host}{page.place.path}") == page.body()


@pytest.mark.parametrize(
    "wanted",
    [
        {"framing": "chunked"},
        {"framing": "http10"},
        {"framing": "close"},
        {"slow": True},
        {"odd_headers": True},
        {"coding": "gzip"},
        {"coding": "deflate"},
        {"coding": "raw-deflate"},
        {"coding": "gzip", "framing": "chunked"},
    ],
    ids=str,
)
def test_curl_gets_a_page_however_it_travels(web: SimWeb, wanted: dict[str, object]) -> None:
    page = page_with(web, **wanted)
    url = f"http://{page.place.host}{page.place.path}"
    assert curl(web, url, "--compressed") == page.body()
    assert curl(web, url, "-H", "Accept-Encoding: identity") == page.body()
    head = curl(web, url, "-I", "-H", "Accept-Encoding: gzip, deflate").decode("latin-1")
    assert head.startswith("HTTP/1.0 200" if wanted.get("framing") == "http10" else "HTTP/1.1 200")
    assert ("Content-Encoding" in head) == bool(wanted.get("coding"))
    assert ("Transfer-Encoding: chunked" in head) == (wanted.get("framing") == "chunked")


def test_curl_follows_a_chain_of_redirects(web: SimWeb) -> None:
    entrance = next(
        link.target
        for page in pages(web)
        for link in page.links
        if link.target and link.target.path.startswith("/redirect-chain/")
    )
    url = f"http://{entrance.host}{entrance.path}"
    trace = curl(web, url, "-L", "-o", "/dev/null", "-w", "%{num_redirects} %{http_code}")
    assert trace == b"3 200"


def test_a_connection_serves_one_request_after_the_other(web: SimWeb) -> None:
    page = page_with(web)
    url = f"http://{page.place.host}{page.place.path}"
    twice = curl(web, url, "-o", "/dev/null", "-o", "/dev/null", "-w", "%{num_connects} ", url)
    assert twice == b"1 0 "


def test_requests_sent_ahead_are_answered_in_order(web: SimWeb) -> None:
    slow, quick = page_with(web, slow=True), page_with(web)
    request = "GET {} HTTP/1.1\r\nHost: {}\r\n{}\r\n"
    sent = request.format(slow.place.path, slow.place.host, "")
    sent += request.format(quick.place.path, quick.place.host, "Connection: close\r\n")
    with socket.create_connection((web.world.hosts[0].address, web.settings["PORT_MAP"]["80"]), 10) as client:
        client.sendall(sent.encode())
        received = b"".join(iter(lambda: client.recv(65536), b""))
    assert received.index(slow.body()) < received.index(quick.body())


def test_what_is_no_request_gets_400(web: SimWeb) -> None:
    with socket.create_connection((web.world.hosts[0].address, web.settings["PORT_MAP"]["80"]), 10) as client:
        client.sendall(b"\x16\x03\x01 buongiorno\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 400 ")


def test_the_log_tells_the_life_of_a_connection() -> None:
    with SimWeb(hosts=2, pages=5, only=["plain"]) as web:
        url, host = web.seeds[0], web.world.hosts[0]
        data = curl(web, url)
        events = {event["event"]: event for event in web.hits()}
    assert list(events) == ["open", "request", "response", "close"]
    assert {event["connection"] for event in events.values()} == {1}
    assert {event["address"] for event in events.values()} == {host.address}
    times = [event["time"] for event in events.values()]
    assert times == sorted(times)
    assert (events["request"]["host"], events["request"]["path"]) == (f"www.{host.name}", "/")
    assert events["request"]["agent"].startswith("curl/")
    assert events["response"]["status"] == 200
    assert events["response"]["bytes"] == events["close"]["bytes"] > len(data)


def test_a_connection_that_never_speaks_tls_is_logged_too() -> None:
    with SimWeb(hosts=2, pages=5, only=["plain"]) as web:
        door = (web.world.hosts[0].address, web.settings["PORT_MAP"]["443"])
        with socket.create_connection(door, 10) as client:
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")
            client.recv(1000)
        assert [event["event"] for event in web.hits()] == ["open", "close"]
