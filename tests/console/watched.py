"""A real crawl of a small internet with its console, and a client that speaks HTTP as it is told to."""

import http.client
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.crawl.crawling import finish, start_crawl
from webgraph_it.simweb import SimWeb

READER, OPERATOR = "reader-token-of-this-test-0001", "operator-token-of-this-test-01"
WAIT_SECONDS = 60.0


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def token_file(folder: Path) -> Path:
    path = folder / "tokens.toml"
    path.write_text(f'reader = "{READER}"\noperator = "{OPERATOR}"\n')
    path.chmod(0o600)
    return path


class Watched(NamedTuple):
    """A crawl that runs, and where its console is."""

    crawl: subprocess.Popen[str]
    jobdir: Path
    port: int

    def ask(
        self, method: str, path: str, said: object = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """As curl would: a body is JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = {"Content-Type": "application/json"} if said is not None else {}
        body = None if said is None else json.dumps(said)
        connection.request(method, path, body, {**sent, **(headers or {})})
        answer = connection.getresponse()
        found = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        connection.close()
        return found

    def do(self, action: str, **arguments: object) -> Any:
        answer = self.ask("POST", "/api/action", {"action": action, **arguments})
        assert answer.status == 200, answer.body
        return answer.json

    def status(self) -> Any:
        return self.ask("GET", "/api/status").json

    def wait_for_pages(self, pages: int) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while self.ask("GET", "/api/status").json["pages"] < pages:
            assert time.monotonic() < deadline, "the crawl is too slow"
            time.sleep(0.2)


@contextmanager
def watched(web: SimWeb, jobdir: Path, **settings: Any) -> Iterator[Watched]:
    """Its crawl is killed at the end if it runs still."""
    port = free_port()
    crawl = start_crawl(web, jobdir, CONSOLE=f"127.0.0.1:{port}", **settings)
    try:
        deadline = time.monotonic() + WAIT_SECONDS
        while not _listens(port):
            if crawl.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"no console:\n{finish(crawl, 1)[-4000:]}")
            time.sleep(0.05)
        yield Watched(crawl, jobdir, port)
    finally:
        if crawl.poll() is None:
            crawl.kill()
        crawl.communicate()


def _listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0
