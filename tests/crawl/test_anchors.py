"""Anchor texts and nofollow of whole crawls: as the web was built, killed or not, and the graph stays the same."""

import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import differences, finish, run_crawl, start_crawl
from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.crawl_files import digest
from webgraph_it.simweb.names import key

MARKUP = re.compile(r"<a\b([^>]*)>(.*?)</a>")


def web() -> SimWeb:
    shares = {"nofollow-link": 0.3, "duplicate": 0.2, "redirect": 0.2}
    return SimWeb(hosts=6, pages=24, seed=3, degree=5, page_bytes=500, only=[], shares=shares)


def built(served: SimWeb) -> set[str]:
    """The lines that a right crawl writes, made from the markup by which the web was built."""
    lines: set[str] = set()
    for place in {place for host in served.world.hosts for place in places(served, host)}:
        page = served.world.page(place)
        assert page is not None
        anchors = [
            (key(link.target), *found)
            for link in page.links
            if link.target is not None
            for found in MARKUP.findall(link.markup)
        ]
        followed = {target for target, attributes, _ in anchors if "nofollow" not in attributes}
        for target, _, text in anchors:
            label = "" if target in followed else "n"
            lines.add(f"{digest(key(place)).hex()}\t{digest(target).hex()}\t{label}\t{text}")
    return lines


def places(served: SimWeb, host: Any) -> list[Any]:
    nodes = served.truth.nodes
    fetched = {node for node, state in nodes.items() if state == "fetched"}
    found = [served.world.neighbour(host, number) for number in range(host.page_count)]
    return [place for place in found if key(place) in fetched]


def lines(jobdir: Path) -> list[str]:
    return [line for file in sorted((jobdir / "anchors").iterdir()) for line in file.read_text().splitlines()]


def test_every_text_and_label_is_kept_once(tmp_path: Path) -> None:
    with web() as served:
        run_crawl(served, tmp_path, ANCHOR_TEXT=True)
        assert differences(served, tmp_path) == []
    found = lines(tmp_path)
    assert sorted(found) == sorted(built(served))
    assert {line.split("\t")[2] for line in found} == {"", "n"}


def test_labels_alone_have_no_texts_and_without_the_settings_there_is_no_folder(tmp_path: Path) -> None:
    with web() as served:
        run_crawl(served, tmp_path / "labels", NOFOLLOW_LABELS=True)
        run_crawl(served, tmp_path / "plain")
    wanted = {line.rpartition("\t")[0] + "\t" for line in built(served) if "\tn\t" in line}
    assert sorted(lines(tmp_path / "labels")) == sorted(wanted)
    assert not (tmp_path / "plain" / "anchors").exists()


@pytest.mark.parametrize("workers", [1, pytest.param(0, marks=pytest.mark.slow)])
def test_a_crawl_that_is_killed_keeps_each_line_once(tmp_path: Path, workers: int) -> None:
    slow: dict[str, Any] = {
        "ANCHOR_TEXT": True,
        "HOST_DELAY": 0.05,
        "COMMIT_INTERVAL": 0.1,
        "EXTRACT_WORKERS": workers,
    }
    with web() as served:
        for wanted in (8, 20):
            crawl = start_crawl(served, tmp_path, **slow)
            until = time.monotonic() + 20
            while pages_asked(served) < wanted and time.monotonic() < until:
                time.sleep(0.05)
            crawl.kill()
            finish(crawl)
        run_crawl(served, tmp_path, **slow)
        assert differences(served, tmp_path) == []
    assert sorted(lines(tmp_path)) == sorted(built(served))


def pages_asked(served: SimWeb) -> int:
    return sum(hit["event"] == "request" and hit["path"] != "/robots.txt" for hit in served.hits())
