"""Hostile requests to the console of a real crawl are refused, and the crawl does not notice."""

import socket
import time
from collections.abc import Iterator

import pytest

from tests.console.watched import OPERATOR, READER, Watched, token_file, watched
from tests.crawl.crawling import differences, finish
from webgraph_it.simweb import SimWeb

ACTION = b'{"action": "pause"}'
MARKUP = "<script>alert(1)</script>"


def sent(
    start: str,
    *headers: str,
    host: str = "127.0.0.1:{port}",
    token: str = "",
    body: bytes = b"",
    json: bool = False,
) -> bytes:
    lines = [f"{start} HTTP/1.1", f"Host: {host}", "Connection: close", *headers]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += ["Content-Type: application/json"] if json else []
    lines += [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([*lines, "", ""]).encode() + body


POST = "POST /api/action"
HOSTILE: dict[str, tuple[bytes, int]] = {
    "a foreign Host": (sent("GET /api/status", host="evil.example", token=OPERATOR), 421),
    "a foreign Host with the right port": (sent("GET /", host="evil.example:{port}"), 421),
    "a rebound name that begins like ours": (sent("GET /", host="127.0.0.1.evil.example:{port}"), 421),
    "two Hosts": (sent("GET /", "Host: evil.example"), 400),
    "no Host": (b"GET /api/status HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
    "an absolute target of another host": (
        sent("GET http://evil.example/api/status", host="evil.example"),
        421,
    ),
    "no token": (sent("GET /api/status"), 401),
    "no token, for metrics": (sent("GET /metrics"), 401),
    "a wrong token": (sent("GET /api/status", token="x" * 30), 401),
    "an empty token": (sent("GET /api/status", "Authorization: Bearer "), 401),
    "a token in the address": (sent(f"GET /api/status?token={OPERATOR}"), 401),
    "another scheme of authorization": (
        sent("GET /api/status", "Authorization: Basic b3BlcmF0b3I6eA=="),
        401,
    ),
    "a made-up cookie": (sent("GET /api/status", "Cookie: webgraph_it_console=operator"), 401),
    "a token as a cookie": (sent("GET /api/status", f"Cookie: webgraph_it_console={OPERATOR}"), 401),
    "a change without a token": (sent(POST, body=ACTION, json=True), 401),
    "a change with the reader's token": (sent(POST, token=READER, body=ACTION, json=True), 403),
    "a rule with the reader's token": (sent("DELETE /api/rules/it,", token=READER), 403),
    "a form": (
        sent(POST, "Content-Type: application/x-www-form-urlencoded", token=OPERATOR, body=b"action=pause"),
        415,
    ),
    "JSON that says it is text": (sent(POST, "Content-Type: text/plain", token=OPERATOR, body=ACTION), 415),
    "a foreign Origin": (
        sent(POST, "Origin: http://evil.example", token=OPERATOR, body=ACTION, json=True),
        403,
    ),
    "Origin null": (sent(POST, "Origin: null", token=OPERATOR, body=ACTION, json=True), 403),
    "another site": (
        sent(POST, "Sec-Fetch-Site: cross-site", token=OPERATOR, body=ACTION, json=True),
        403,
    ),
    "a sister site": (sent(POST, "Sec-Fetch-Site: same-site", token=OPERATOR, body=ACTION, json=True), 403),
    "data for another site": (sent("GET /api/status", "Sec-Fetch-Site: cross-site", token=READER), 403),
    "a body too large": (sent(POST, token=OPERATOR, body=b"[" + b" " * 1_100_000, json=True), 413),
    "a body that is no JSON": (sent(POST, token=OPERATOR, body=b"[" * 100_000, json=True), 400),
    "an action that does not exist": (sent(POST, token=OPERATOR, body=b'{"action": "exec"}', json=True), 400),
    "a change by GET": (sent("GET /api/action?action=pause", token=OPERATOR), 405),
    "a method made up": (sent("BREW /api/status", token=OPERATOR, body=b"{}", json=True), 400),
    "a report outside the folder": (sent("GET /api/reports/../../crawl.json", token=READER), 404),
    "the same, escaped": (sent("GET /api/reports/..%2f..%2fcrawl.json", token=READER), 404),
    "the same, escaped twice": (sent("GET /api/reports/%252e%252e%252fcrawl.json", token=READER), 404),
    "a file that is not the page's": (sent("GET /../server.py", token=READER), 404),
    "a file with a null byte": (sent("GET /api/reports/crawl%00.txt", token=READER), 404),
    "a header injected by the path": (
        sent("GET /api/reports/x%0d%0aSet-Cookie:%20a=b", token=READER),
        404,
    ),
    "a line folded": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: a\r\n b: c\r\nX\x00: d\r\n\r\n", 400),
    "a head too long": (sent("GET /", "X: " + "a" * 100_000), 400),
    "two lengths": (sent(POST, "Content-Length: 5", token=OPERATOR, body=ACTION, json=True), 400),
    "length and chunks": (
        sent(POST, "Transfer-Encoding: chunked", token=OPERATOR, body=ACTION, json=True),
        400,
    ),
    "markup as a prefix": (
        sent(POST, token=OPERATOR, body=f'{{"action": "block", "surt": "{MARKUP}"}}'.encode(), json=True),
        400,
    ),
    "markup instead of a host": (sent(f"GET /api/hosts/{MARKUP.replace('/', '%2f')}", token=READER), 404),
}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Watched, SimWeb]]:
    folder = tmp_path_factory.mktemp("hostile")
    tokens = str(token_file(folder))
    with (
        SimWeb(hosts=20, pages=200, seed=5) as web,
        watched(web, folder / "crawl", CONSOLE_TOKENS=tokens, HOST_DELAY=0.2) as found,
    ):
        yield found, web


def talk(port: int, message: bytes) -> bytes:
    """All that comes back, until the console closes."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as asking:
        asking.sendall(message.replace(b"{port}", str(port).encode()))
        try:
            while piece := asking.recv(65_536):
                received += piece
        except ConnectionResetError:
            pass
    return received


def test_the_table_is_long_enough() -> None:
    assert len(HOSTILE) >= 25


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_is_refused(name: str, crawl: tuple[Watched, SimWeb]) -> None:
    message, status = HOSTILE[name]
    answer = talk(crawl[0].port, message)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.split(b" ")[1:2] == [str(status).encode()], answer[:500]
    assert b"set-cookie" not in head.lower()
    if status not in (400,):  # aiohttp refuses a broken request before we see it
        assert b"Content-Security-Policy: default-src 'self'" in head
        assert b"X-Content-Type-Options: nosniff" in head
        assert b"application/json" in head
    assert b"Traceback" not in body


def test_a_right_token_is_quick_while_wrong_ones_wait(crawl: tuple[Watched, SimWeb]) -> None:
    found, _ = crawl
    began = time.monotonic()
    assert found.ask("GET", "/api/status", headers={"Authorization": "Bearer " + "y" * 30}).status == 401
    assert time.monotonic() - began >= 1.0
    began = time.monotonic()
    assert found.ask("GET", "/api/status", headers={"Authorization": f"Bearer {READER}"}).status == 200
    assert time.monotonic() - began < 1.0


def test_a_browser_logs_in_by_a_cookie_that_no_script_reads(crawl: tuple[Watched, SimWeb]) -> None:
    found, _ = crawl
    answer = found.ask("POST", "/api/login", {"token": READER})
    assert (answer.status, answer.json) == (200, {"role": "reader"})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert READER not in cookie
    name = cookie.partition(";")[0]
    assert found.ask("GET", "/api/status", headers={"Cookie": name}).json["role"] == "reader"
    assert found.ask("POST", "/api/action", {"action": "pause"}, {"Cookie": name}).status == 403
    assert found.ask("POST", "/api/logout", {}, {"Cookie": name}).status == 200
    assert found.ask("GET", "/api/status", headers={"Cookie": name}).status == 401


def test_health_needs_no_token(crawl: tuple[Watched, SimWeb]) -> None:
    assert crawl[0].ask("GET", "/healthz").json["healthy"] is True


def test_the_crawl_did_not_notice(crawl: tuple[Watched, SimWeb]) -> None:
    """The last test of this module: it ends as if nobody had asked anything."""
    found, web = crawl
    operator = {"Authorization": f"Bearer {OPERATOR}"}
    assert found.ask("GET", "/api/actions", headers=operator).json == []
    output = finish(found.crawl, 120)
    assert found.crawl.returncode == 0, output[-3000:]
    assert "ERROR" not in output
    assert differences(web, found.jobdir) == []
