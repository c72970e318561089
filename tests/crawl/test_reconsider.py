"""A raised limit lets in what the lower one had cut, once, and only that."""

import json
from pathlib import Path

import pytest

from tests.defaults import frontier_limits
from tests.frontier.making import NOW, commit, link, open_frontier
from webgraph_it.crawl.reconsider import META_NAME, page_parts, reconsidered
from webgraph_it.crawl.tally import Tally
from webgraph_it.frontier import Frontier, Limits, MemoryStore, Outcome
from webgraph_it.items import State
from webgraph_it.shards.writer import Durable

LOW, HIGH = frontier_limits(max_depth=1), frontier_limits(max_depth=3)
DEEP = link("a", "/deep")


def cut_crawl(folder: Path) -> tuple[MemoryStore, Tally, dict[str, Durable]]:
    """A crawl whose only page led to a page that the depth cut; the log has its line, and one not committed."""
    store = MemoryStore()
    frontier = open_frontier(store, limits=LOW)
    frontier.add_seeds([link("a")], NOW)
    lease = frontier.next(NOW)
    assert lease is not None
    frontier.add([DEEP], 2, lease.key, NOW)
    frontier.done(lease, Outcome(), NOW)
    commit(frontier)
    line = {
        "key": DEEP.key,
        "url": DEEP.url,
        "state": State.QUOTA_CUT,
        "depth": 2,
        "via": "it,a)/",
        "reason": "depth",
    }
    other = {**line, "state": State.FETCHED}
    (folder / "pages").mkdir()
    text = json.dumps(other) + "\n" + json.dumps(line) + "\n"
    (folder / "pages/000001.jsonl").write_text(text + json.dumps({**line, "key": "it,b)/"}) + "\n")
    tally = Tally()
    tally.states[State.QUOTA_CUT] = 1
    tally.reasons["depth"] = 1
    return store, tally, {"pages/000001.jsonl": Durable(len(text), 0)}


def queued(frontier: Frontier) -> int:
    return frontier.counts().queued


def test_the_log_is_read_as_far_as_it_was_committed(tmp_path: Path) -> None:
    _, _, committed = cut_crawl(tmp_path)
    assert [part.length for part in page_parts(tmp_path, committed)] == [
        committed["pages/000001.jsonl"].length
    ]


@pytest.mark.parametrize(("limits", "count"), [(HIGH, 1), (LOW, 0), (frontier_limits(max_depth=0), 1)])
def test_what_todays_limits_allow_is_queued_and_no_longer_counted_as_cut(
    tmp_path: Path, limits: Limits, count: int
) -> None:
    store, tally, committed = cut_crawl(tmp_path)
    frontier = open_frontier(store, limits=limits)
    *_, last = reconsidered(frontier, tally, tmp_path, committed, limits, NOW)
    assert last == queued(frontier) == count
    assert tally.states[State.QUOTA_CUT] == 1 - count


def test_the_same_limits_read_the_log_once(tmp_path: Path) -> None:
    store, tally, committed = cut_crawl(tmp_path)
    frontier = open_frontier(store, limits=HIGH)
    assert list(reconsidered(frontier, tally, tmp_path, committed, HIGH, NOW)) == [0, 1]
    assert list(reconsidered(frontier, tally, tmp_path, committed, HIGH, NOW)) == []


def test_after_a_crash_on_the_way_the_log_is_read_again_and_nothing_is_queued_twice(tmp_path: Path) -> None:
    store, tally, committed = cut_crawl(tmp_path)
    frontier = open_frontier(store, limits=HIGH)
    steps = reconsidered(frontier, tally, tmp_path, committed, HIGH, NOW)
    next(steps)
    assert frontier.get_meta(META_NAME) is None
    assert list(reconsidered(frontier, tally, tmp_path, committed, HIGH, NOW))[-1] == 1
    assert list(steps)[-1] == 0
    assert queued(frontier) == 1
