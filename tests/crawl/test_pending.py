"""What is asked of a crawl that does not run is done when it is resumed."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from webgraph_it.crawl.actions import VERBS, ActionError
from webgraph_it.crawl.pending import AT_ONCE, PENDING_FILE, TAKEN_FILE, Pending, postpone

PAUSE = {"action": "pause"}
BLOCK = {"action": "block", "surt": "it,a,"}


@pytest.fixture
def jobdir(tmp_path: Path) -> Path:
    (tmp_path / "reports").mkdir()
    (tmp_path / "crawl.json").write_text("{}")
    return tmp_path


def done(jobdir: Path) -> list[tuple[Any, str]]:
    """What a run does first."""
    seen: list[tuple[Any, str]] = []

    async def do(said: object, who: str, asked_at: float | None) -> None:
        seen.append((said, who))

    asyncio.run(Pending(jobdir / "reports", do).do_all())
    return seen


def take_and_be_killed(jobdir: Path) -> None:
    async def do(said: object, who: str, asked_at: float | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(Pending(jobdir / "reports", do).do_all())


def test_it_is_done_in_order_and_once(jobdir: Path) -> None:
    answer = postpone(jobdir, PAUSE, "user 7")
    assert answer is not None
    assert answer["postponed"].startswith(f"no crawl runs in {jobdir}; ")
    postpone(jobdir, BLOCK, "user 7")
    assert done(jobdir) == [(PAUSE, "user 7, before a resume"), (BLOCK, "user 7, before a resume")]
    assert done(jobdir) == []


def test_after_a_crash_it_is_done_again_and_then_what_came_later_in_the_same_run(jobdir: Path) -> None:
    postpone(jobdir, PAUSE, "user 7")
    take_and_be_killed(jobdir)
    assert (jobdir / "reports" / TAKEN_FILE).exists()
    postpone(jobdir, BLOCK, "user 7")
    assert [said for said, _ in done(jobdir)] == [PAUSE, BLOCK]
    assert list((jobdir / "reports").iterdir()) == []


@pytest.mark.parametrize("name", [PENDING_FILE, TAKEN_FILE])
def test_an_empty_file_and_a_line_cut_short_do_not_stay(jobdir: Path, name: str) -> None:
    path = jobdir / "reports" / name
    path.touch()
    assert done(jobdir) == []
    assert not path.exists()
    path.write_bytes(b'{"who": "user 7", "sa')
    postpone(jobdir, BLOCK, "user 7")
    assert [said for said, _ in done(jobdir)] == [BLOCK]
    assert list((jobdir / "reports").iterdir()) == []


def test_a_refusal_does_not_keep_the_rest_from_being_done(jobdir: Path) -> None:
    seen: list[object] = []

    async def do(said: object, who: str, asked_at: float | None) -> None:
        seen.append(said)
        raise ActionError("no")

    postpone(jobdir, PAUSE, "user 7")
    postpone(jobdir, BLOCK, "user 7")
    asyncio.run(Pending(jobdir / "reports", do).do_all())
    assert seen == [PAUSE, BLOCK]


def test_verbs_for_a_moment_and_crawls_that_never_were_cannot_wait(jobdir: Path, tmp_path: Path) -> None:
    assert set(AT_ONCE) < set(VERBS)
    assert postpone(jobdir, {"action": "checkpoint"}, "user 7") is None
    assert postpone(tmp_path / "nothing", BLOCK, "user 7") is None
    with pytest.raises(ActionError):
        postpone(jobdir, {"action": "explode"}, "user 7")


@pytest.mark.parametrize(
    ("settings", "said", "sentence"),
    [
        (
            "{}",
            {"action": "connections", "cap": 99_999_999},
            "expected: at most 5000, which MAX_TCP_CONNECTIONS allows",
        ),
        ('{"MAX_TCP_CONNECTIONS": 9}', {"action": "connections", "cap": 10}, "expected: at most 9,"),
        ("{}", {"action": "bandwidth", "schedule": [["*", "fast"]]}, "a rate such as"),
    ],
)
def test_what_the_crawl_could_not_do_is_refused_at_once(
    jobdir: Path, settings: str, said: dict[str, Any], sentence: str
) -> None:
    (jobdir / "crawl.json").write_text(f'{{"settings": {settings}}}')
    with pytest.raises(ActionError, match=sentence):
        postpone(jobdir, said, "user 7")
    assert list((jobdir / "reports").iterdir()) == []


def test_the_answer_says_what_was_understood(jobdir: Path) -> None:
    answer = postpone(jobdir, {"action": "block", "surt": "www.esempio.it"}, "user 7")
    assert answer is not None
    assert answer["surt"] == "it,esempio,"


def test_it_is_said_when_it_was_asked(jobdir: Path) -> None:
    seen: list[float | None] = []

    async def do(said: object, who: str, asked_at: float | None) -> None:
        seen.append(asked_at)

    before = time.time()
    postpone(jobdir, PAUSE, "user 7")
    asyncio.run(Pending(jobdir / "reports", do).do_all())
    (jobdir / "reports" / PENDING_FILE).write_text(
        '{"who": "an earlier version", "said": {"action": "pause"}}\n'
    )
    asyncio.run(Pending(jobdir / "reports", do).do_all())
    asked_at, unknown = seen
    assert asked_at is not None
    assert before <= asked_at <= time.time()
    assert unknown is None
