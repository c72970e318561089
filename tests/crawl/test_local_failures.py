"""What this machine lacks is said once a minute, with the number of URLs and a remedy; no host is blamed for it."""

import socket
from pathlib import Path

import pytest

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from tests.crawl.observing import stats
from webgraph_it.crawl.local_failures import LocalFailures
from webgraph_it.fetch.dns import NO_RESOLVER
from webgraph_it.fetch.sockets import LOCAL
from webgraph_it.simweb import SimWeb

GREEDY = '''
"""An extension that takes every file descriptor once 20 pages are fetched, until five fetches have failed for it."""

import asyncio
import os

from scrapy import signals


class Greedy:
    @classmethod
    def from_crawler(cls, crawler):
        greedy = cls()
        greedy.stats, greedy.pages, greedy.taken = crawler.stats, 0, []
        crawler.signals.connect(greedy.received, signals.response_received)
        return greedy

    def received(self, request):
        self.pages += "robots_txt" not in request.meta
        if self.pages == 20 and not self.taken:
            self.take()

    def take(self):
        try:
            while True:
                self.taken.append(os.dup(0))
        except OSError:
            self.give_back(looks=300)

    def give_back(self, looks):
        if looks and self.stats.get_value("fetch/error/local-files", 0) < 5:
            asyncio.get_running_loop().call_later(0.1, self.give_back, looks - 1)
            return
        for descriptor in self.taken:
            os.close(descriptor)
'''
COMMITS = {"COMMIT_INTERVAL": 300}
"""None but the last, which comes when there are descriptors again: a commit needs some, too."""


def test_it_is_said_at_once_and_then_once_a_minute_with_the_number_since() -> None:
    failures = LocalFailures()
    first = failures.note("local-files", 0.0)
    assert first == (
        "This machine cannot fetch: no file descriptor is free (local-files). "
        "1 URL goes back to the frontier for a retry. Raise the limit (ulimit -n) or lower MAX_TCP_CONNECTIONS."
    )
    assert [failures.note("local-files", 0.01 * n) for n in range(1, 1500)] == [""] * 1499
    assert "1,500 URLs go back" in failures.note("local-files", 60.0)


def test_another_reason_is_said_at_once() -> None:
    failures = LocalFailures()
    failures.note("local-files", 0.0)
    assert "no local port is free" in failures.note("local-ports", 1.0)


@pytest.mark.parametrize("reason", sorted({*LOCAL.values(), NO_RESOLVER}))
def test_every_lack_of_this_machine_has_words(reason: str) -> None:
    assert f"({reason})" in LocalFailures().note(reason, 0.0)


def test_without_file_descriptors_urls_wait_and_nothing_counts_against_a_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "greedy.py").write_text(GREEDY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with SimWeb(hosts=20, pages=150, seed=5, only=["plain"]) as web:
        crawl = start_crawl(
            web,
            tmp_path / "job",
            EXTENSIONS={"greedy.Greedy": 900},
            RETRY_TIMES=0,
            HOST_DELAY=0.2,
            KEEP_ALIVE_SECONDS=0.1,
            MAX_TCP_CONNECTIONS=30,
            **COMMITS,
        )
        output = finish(crawl)
        assert crawl.returncode == 0, output[-4000:]
        assert differences(web, tmp_path / "job") == []
    assert stats(output)["fetch/error/local-files"] >= 5
    assert output.count("This machine cannot fetch: no file descriptor is free (local-files).") == 1


def test_without_a_dns_server_urls_wait_and_are_crawled_when_one_answers(tmp_path: Path) -> None:
    with SimWeb(hosts=3, pages=12, seed=5, only=["plain"]) as web:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            nobody = f"127.0.0.1:{free.getsockname()[1]}"
        crawl = start_crawl(web, tmp_path / "job", DNS_SERVERS=[nobody], CLOSESPIDER_TIMEOUT=3)
        output = finish(crawl)
        assert crawl.returncode == 3, output[-4000:]
        assert output.count("no DNS server can be reached (local-resolver)") == 1
        assert "Check DNS_SERVERS" in output
        run_crawl(web, tmp_path / "job")
        assert differences(web, tmp_path / "job") == []
