"""What this machine lacks is said once a minute, with the number of URLs and a remedy; no host is blamed for it."""

from pathlib import Path

import pytest

from tests.crawl.crawling import differences, finish, start_crawl
from tests.crawl.observing import stats
from webgraph_it.crawl.local_failures import LocalFailures
from webgraph_it.fetch.sockets import LOCAL
from webgraph_it.simweb import SimWeb

GREEDY = '''
"""An extension that takes every file descriptor for three seconds, as soon as some pages are fetched."""

import asyncio
import os

from scrapy import signals


class Greedy:
    @classmethod
    def from_crawler(cls, crawler):
        greedy = cls()
        crawler.signals.connect(greedy.opened, signals.spider_opened)
        return greedy

    def opened(self):
        asyncio.get_running_loop().call_later(0.3, self.take)

    def take(self):
        taken = []
        try:
            while True:
                taken.append(os.dup(0))
        except OSError:
            asyncio.get_running_loop().call_later(3, self.give_back, taken)

    def give_back(self, taken):
        for descriptor in taken:
            os.close(descriptor)
'''


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


@pytest.mark.parametrize("reason", sorted(set(LOCAL.values())))
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
        )
        output = finish(crawl)
        assert crawl.returncode == 0, output[-4000:]
        assert differences(web, tmp_path / "job") == []
    assert stats(output)["fetch/error/local-files"] >= 5
    assert output.count("This machine cannot fetch: no file descriptor is free (local-files).") == 1
