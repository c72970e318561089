"""A frontier that is rebuilt after re-visits knows the same visits, and the crawl goes on with them."""

import json
import shutil
from pathlib import Path

import pytest

from tests.crawl.crawling import finish, run_crawl, start_crawl
from tests.crawl.recrawling import FAST, differences_now, plan_pages
from tests.crawl.test_recrawl import visits
from tests.repair.test_repair import repair
from webgraph_it.frontier import RocksStore
from webgraph_it.frontier.layout import META
from webgraph_it.frontier.visits import Visit
from webgraph_it.repair.visits import visited
from webgraph_it.simweb import SimWeb

CHANGING = {"births": 0.01, "deaths": 0.02, "changes": 0.05}


def tally_of(jobdir: Path) -> dict[str, object]:
    store = RocksStore(jobdir / "frontier")
    tally = json.loads(store.get(META + b"tally") or b"{}")
    store.close()
    return {name: tally[name] for name in ("pages", "links", "parents", "revisits", "states")}


def known_from_files(row: Visit) -> Visit:
    """Without what is in no file. Stored sums are rounded, and so are those in the page log."""
    return row._replace(
        etag=b"",
        last_modified=b"",
        policy=0,
        content_digest=b"",
        changes=round(row.changes, 4),
        last_visit=0,
        last_change=0,
    )


def test_the_visits_are_those_of_the_lost_frontier(tmp_path: Path) -> None:
    assert visited.__module__ == "webgraph_it.repair.visits"
    jobdir = tmp_path / "job"
    with SimWeb(hosts=4, pages=60, degree=5, page_bytes=800, only=["plain"], **CHANGING) as web:
        run_crawl(web, jobdir, **FAST)
        for day in (10, 20):
            plan_pages(jobdir)
            web.turn_to(day)
            finish(start_crawl(web, jobdir, days_later=day, **FAST))
        assert differences_now(web.truth_on(20), jobdir) == []
        before, tally = visits(jobdir), tally_of(jobdir)
        shutil.rmtree(jobdir / "frontier")
        repair(jobdir)
        now = visits(jobdir)
        assert {name: known_from_files(row) for name, row in now.items()} == {
            name: known_from_files(row) for name, row in before.items()
        }
        times = [(row.last_visit, row.last_change) for row in now.values()]
        assert times == [pytest.approx((row.last_visit, row.last_change)) for row in before.values()]
        assert tally_of(jobdir) == tally
        plan_pages(jobdir)
        web.turn_to(30)
        finish(start_crawl(web, jobdir, days_later=30, **FAST))
        assert differences_now(web.truth_on(30), jobdir) == []
