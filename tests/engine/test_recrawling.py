"""Plans of a continuous crawl: made in another process, imported at a checkpoint, and no failure ends the crawl."""

import asyncio
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.defaults import default_scope
from tests.frontier.making import NOW, link, open_frontier
from tests.frontier.test_revisits import ROW
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.engine.recrawling import Recrawling
from webgraph_it.recrawl.plan_files import Planned, new_plan, plans


class Commits:
    """Commits at once."""

    def __init__(self, frontier: Any) -> None:
        self.frontier = frontier
        self.count = 0

    async def commit(self) -> None:
        frozen = self.frontier.freeze()
        frozen.write({})
        self.frontier.forget(frozen)
        self.count += 1

    async def commit_if_large(self) -> None:
        pass


def recrawling(jobdir: Path) -> tuple[Recrawling, Any]:
    frontier = open_frontier()
    frontier.keep_visit(link("a").digest, ROW)
    scheduler = SimpleNamespace(
        frontier=frontier, ended=False, is_closing=False, now=lambda: NOW, wake=lambda: None, fail=pytest.fail
    )
    made: Any = Recrawling(
        scheduler,  # type: ignore[arg-type]
        Commits(frontier),  # type: ignore[arg-type]
        JobDirectory(jobdir),
        default_scope(["it,"]),
        is_popular=False,
    )
    return made, frontier


def write_plan(jobdir: Path) -> None:
    with new_plan(jobdir, "test", NOW + 1) as plan:
        plan.revisit(Planned(0, link("a").key, link("a").url, 0, 0, ""))


def test_a_waiting_plan_is_imported_committed_and_discarded(tmp_path: Path) -> None:
    made, frontier = recrawling(tmp_path)
    write_plan(tmp_path)
    asyncio.run(made.import_plans())
    assert frontier.counts().planned == 1
    assert frontier.counts().uncommitted == 0
    assert plans(tmp_path) == []


def test_two_plans_add_to_each_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made, frontier = recrawling(tmp_path)
    frontier.keep_visit(link("b").digest, ROW)
    write_plan(tmp_path)
    with new_plan(tmp_path, "test", NOW + 1) as plan:
        for page in (link("a"), link("b")):
            plan.revisit(Planned(0, page.key, page.url, 0, 0, ""))
    with caplog.at_level(logging.INFO):
        asyncio.run(made.import_plans())
    said = [record.getMessage() for record in caplog.records]
    assert said == ["A plan was imported: 1 pages are visited again."] * 2, "a page waits once"
    assert frontier.counts().planned == 2
    assert plans(tmp_path) == []


def test_a_damaged_plan_is_reported_and_nothing_else_happens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made, frontier = recrawling(tmp_path)
    write_plan(tmp_path)
    plans(tmp_path)[0].revisits.write_text("x\n")
    asyncio.run(made.import_plans())
    assert "The crawl continues without it." in caplog.text
    assert frontier.counts().planned == 0


@pytest.mark.parametrize("file", ["plan.json", "revisits.tsv", "untried.u18"])
def test_a_plan_that_lacks_a_file_is_one_sentence_and_the_next_plan_is_imported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, file: str
) -> None:
    made, frontier = recrawling(tmp_path)
    write_plan(tmp_path)
    (plans(tmp_path)[0].path / file).unlink()
    write_plan(tmp_path)
    asyncio.run(made.import_plans())
    (said,) = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert f"000001/{file} is missing: the plan is not used." in said
    assert frontier.counts().planned == 1
    assert [plan.number for plan in plans(tmp_path)] == [1]


def test_lines_with_a_wrong_url_are_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made, frontier = recrawling(tmp_path)
    write_plan(tmp_path)
    list_of_pages = plans(tmp_path)[0].revisits
    list_of_pages.write_text(list_of_pages.read_text().replace("http://a.it/", ""))
    asyncio.run(made.import_plans())
    assert "1 lines of " in caplog.text
    assert "or none: skipped. The first one is that of it,a)/." in caplog.text
    assert frontier.counts().planned == 0


def test_pages_out_of_scope_are_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made, frontier = recrawling(tmp_path)
    made._scope = default_scope(["it,b)"])
    write_plan(tmp_path)
    asyncio.run(made.import_plans())
    assert "1 pages of " in caplog.text
    assert "are out of scope: skipped." in caplog.text
    assert frontier.counts().planned == 0


@pytest.mark.parametrize(("code", "checkpoints"), [(0, 1), (1, 0)])
def test_a_continuous_crawl_plans_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    code: int,
    checkpoints: int,
) -> None:
    made, _ = recrawling(tmp_path)
    done = []

    async def checkpoint() -> None:
        done.append(True)

    monkeypatch.setattr(made, "_run_planner", lambda: (code, "it has no pages"))
    with caplog.at_level(logging.ERROR):
        asyncio.run(made.plan_again(checkpoint))
    assert len(done) == checkpoints
    assert ("No new plan could be made: it has no pages" in caplog.text) == bool(code)


def test_a_planner_that_cannot_be_started_is_only_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made, _ = recrawling(tmp_path)
    monkeypatch.setattr("webgraph_it.engine.recrawling.PLANNER", (str(tmp_path / "missing"),))

    async def checkpoint() -> None:
        pytest.fail("there is no plan")

    asyncio.run(made.plan_again(checkpoint))
    assert "No new plan could be made: " in caplog.text
