"""MAX_TCP_CONNECTIONS as a firewall sees it: no sample of the whole crawl holds more sockets."""

from pathlib import Path

from tests.crawl.crawling import differences, finish, start_crawl
from tests.crawl.observing import Sampler, open_at_the_server, sockets, stats
from webgraph_it.simweb import SimWeb

CAP = 60


def eager_seeds(web: SimWeb, folder: Path) -> Path:
    """A file with the first page of every host: all may be asked at once."""
    path = folder / "seeds.txt"
    path.write_text("".join(f"{host.origin}/\n" for host in web.world.hosts))
    return path


def test_600_eager_hosts_never_have_more_than_60_sockets(tmp_path: Path) -> None:
    """Sockets are counted in the kernel at both ends, TIME_WAIT aside, and by the server's own events."""
    with SimWeb(
        hosts=600, pages=700, seed=7, only=["plain"], shares={"latency": 1.0}, latency_seconds=0.1
    ) as web:
        crawl = start_crawl(
            web, tmp_path / "crawl", MAX_TCP_CONNECTIONS=CAP, SEEDS=str(eager_seeds(web, tmp_path))
        )
        with Sampler(lambda: sockets(web), 0.05) as kernel:
            output = finish(crawl)
        hits = web.hits()
        assert differences(web, tmp_path / "crawl") == []
    to_the_web = [sample.to_the_web for sample in kernel.values]
    at_the_web = [sample.at_the_web for sample in kernel.values]
    assert max(to_the_web) <= CAP
    assert max(at_the_web) <= CAP
    assert max(open_at_the_server(hits)) <= CAP
    assert max(to_the_web) > CAP / 2, "the crawl was not eager: nothing was tested"
    assert stats(output)["connections/peak"] == CAP
