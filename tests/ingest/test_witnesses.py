"""Other people's archives of simweb give the truth for what they captured; ours give the crawl's own graph."""

import json
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.capture_http import capture_http  # before http.client is imported by others, as warcio asks

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from tests.crawl.test_sitemaps import sitemap_web
from tests.ingest.archives import captured_urls, ingest
from tests.ingest.proxy import proxy_to
from tests.ingest.test_ingest import start
from webgraph_it.cli import main
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.crawl_files import read_crawl
from webgraph_it.urls import key

HABITS = (
    *(
        "relative",
        "fragment",
        "session-path",
        "redirect",
        "redirect-chain",
        "meta-refresh",
        "base-href",
        "frames",
    ),
    *("error-404", "iso-8859-1", "gzip", "chunked", "pdf", "docx", "sitemap", "link-header", "meta-nofollow"),
)
SHAPING = ("SCOPE_SURTS", "MAX_QUERIES_PER_PATH", "MAX_HOSTS_PER_DOMAIN")


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb(hosts=6, pages=70, seed=11, only=HABITS) as web:
        yield web


def urls_of(web: SimWeb) -> list[str]:
    return [url for key, url in sorted(web.truth.urls.items()) if url.startswith("http://")]


def assert_truth(web: SimWeb, file: Path, jobdir: Path) -> None:
    """Every captured page has exactly the arcs and the state of the truth."""
    found = ingest(jobdir, file)
    captured = {key(url) for url in captured_urls(file)}
    known = {node for node, state in web.truth.nodes.items() if node in captured}
    assert len(known) > 50
    assert found.arcs == {arc for arc in web.truth.arcs if arc[0] in captured}
    states = found.states()
    assert {node: states[node] for node in known} == {node: web.truth.nodes[node] for node in known}


def test_an_archive_of_wget_gives_the_truth(web: SimWeb, tmp_path: Path) -> None:
    if shutil.which("wget") is None:
        pytest.skip("wget is not installed")
    (tmp_path / "urls.txt").write_text("\n".join(urls_of(web)))
    with proxy_to(web) as proxy:
        quiet = ["-q", "--tries=1", "--timeout=20", "--max-redirect=0", "-O", "pages"]
        through = ["-e", f"http_proxy={proxy}", "-e", "use_proxy=yes"]
        subprocess.run(
            ["wget", *quiet, *through, "--warc-file=wget", "-i", "urls.txt"],
            cwd=tmp_path,
            timeout=100,
            env={"PATH": "/usr/bin:/bin"},
        )
    assert_truth(web, tmp_path / "wget.warc.gz", tmp_path / "job")


def test_an_archive_of_warcio_gives_the_truth(web: SimWeb, tmp_path: Path) -> None:
    file = tmp_path / "capture.warc.gz"
    with proxy_to(web) as proxy, capture_http(str(file)):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}), _NoRedirects())
        for url in urls_of(web):
            request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
            try:
                with opener.open(request, timeout=20) as reply:
                    reply.read()
            except urllib.error.HTTPError as error:
                error.read()
                error.close()
    assert_truth(web, file, tmp_path / "job")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        """Do not follow it: the target is in the list."""


# -- our own ---------------------------------------------------------------------------------------------------


def files_of(jobdir: Path) -> list[Path]:
    return sorted((jobdir / "warc").glob("*.warc.gz"))


def settings_of(web: SimWeb, seeds: Path) -> list[str]:
    shutil.copy(web.settings["SEEDS"], seeds)
    given = {name: json.dumps(web.settings[name]) for name in SHAPING}
    return [
        part for name, value in {"SEEDS": str(seeds), **given}.items() for part in ("-s", f"{name}={value}")
    ]


def graph_files(jobdir: Path) -> dict[str, bytes]:
    """The compact graph, states and URLs included. graph.json names its source and its time."""
    out = jobdir.with_name(f"{jobdir.name}-graph")
    assert main(["convert", str(jobdir), "--out", str(out)]) == 0
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != "graph.json"
    }


def test_a_crawl_and_the_ingest_of_its_archive_give_the_same_graph(tmp_path: Path) -> None:
    with SimWeb(hosts=20, pages=200, seed=5) as web:
        run_crawl(web, tmp_path / "crawl", WARC=True)
        settings = settings_of(web, tmp_path / "seeds.txt")
    found = ingest(tmp_path / "job", *files_of(tmp_path / "crawl"), *settings)
    assert found.arcs
    expected = graph_files(tmp_path / "crawl")
    assert len(expected) > 40
    assert graph_files(tmp_path / "job") == expected


def test_sitemaps_in_our_archive_are_no_pages(tmp_path: Path) -> None:
    """Neither settings nor robots.txt are needed for that: the archive says what they are."""
    with sitemap_web() as web:
        run_crawl(web, tmp_path / "crawl", WARC=True)
        assert differences(web, tmp_path / "crawl") == []
        settings = settings_of(web, tmp_path / "seeds.txt")
    found = ingest(tmp_path / "job", *files_of(tmp_path / "crawl"), *settings)
    crawled = read_crawl(tmp_path / "crawl")
    assert any(key.endswith("#sitemap") for key in crawled.pages)
    assert found.arcs == crawled.arcs
    assert set(found.urls) == set(crawled.urls)
    log = {key: found.state(key) for key in found.pages if key.endswith("#sitemap")}
    assert log == {key: crawled.state(key) for key in crawled.pages if key.endswith("#sitemap")}
    files, expected = graph_files(tmp_path / "job"), graph_files(tmp_path / "crawl")
    del (
        files["nodes.parquet"],
        expected["nodes.parquet"],
    )  # which page's robots.txt led to a sitemap is not archived,
    assert files == expected  # so the depth of what it lists differs


@pytest.mark.slow
@pytest.mark.parametrize("point", ["after-sync:3", "after-store-commit:4", "during-checkpoint:1"])
def test_the_same_after_both_were_killed(point: str, tmp_path: Path) -> None:
    often = {"COMMIT_INTERVAL": 0.2, "CHECKPOINT_INTERVAL": 1}
    with SimWeb(hosts=30, pages=600, seed=6) as web:
        crawl = start_crawl(web, tmp_path / "crawl", kill_at=point, WARC=True, **often)
        finish(crawl)
        assert crawl.returncode != 0
        run_crawl(web, tmp_path / "crawl", WARC=True, **often)
        settings = settings_of(web, tmp_path / "seeds.txt")
    files = files_of(tmp_path / "crawl")
    for passes in (30, 200):
        start(tmp_path / "job", files, f"between-captures:{passes}", *settings)
    assert start(tmp_path / "job", files, "", *settings) == 0
    assert graph_files(tmp_path / "job") == graph_files(tmp_path / "crawl")


def test_a_crawl_continues_from_half_an_archive_to_the_truth(tmp_path: Path) -> None:
    with SimWeb(hosts=12, pages=150, seed=8, only=HABITS) as web:
        run_crawl(web, tmp_path / "crawl", WARC=True)
        (file,) = files_of(tmp_path / "crawl")
        half = tmp_path / "half.warc.gz"
        half.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        before = ingest(tmp_path / "job", half, *settings_of(web, tmp_path / "seeds.txt"), "--continue")
        asked = len(web.hits())
        run_crawl(web, tmp_path / "job", SEEDS=str(tmp_path / "seeds.txt"))
        assert differences(web, tmp_path / "job") == []
        states = before.states()
        again = {
            key(f"http://{hit['host']}{hit['path']}")
            for hit in web.hits()[asked:]
            if hit["event"] == "request"
        }
    fetched = {node for node, state in states.items() if state in ("fetched", "redirect")}
    assert len(fetched) > 30
    assert again
    assert fetched.isdisjoint(again)
