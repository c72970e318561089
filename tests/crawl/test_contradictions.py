"""What speaks against a start: watched until it is known whether somebody runs, and said as it is."""

from dataclasses import replace

from webgraph_it.crawl.contradictions import Contradictions
from webgraph_it.fleet.exchange import TWIN_SECONDS, Fault, Run, Status, next_epoch

LATER = TWIN_SECONDS + 1.0


def status(member: int, epoch: int, seeds: str = "one", since: float = 100.0) -> Status:
    return Status(member, epoch, False, (Run(epoch, 0),), (), {}, {"SEEDS": seeds}, since=since)


def board(*statuses: Status) -> dict[int, bytes]:
    return {each.member: each.to_bytes() for each in statuses}


def contradictions(epoch: int, may_have_twin: bool = True) -> Contradictions:
    return Contradictions(1, epoch, "the server", may_have_twin=may_have_twin)


def test_a_newcomer_with_other_settings_is_refused_whatever_the_clocks_say() -> None:
    epoch = next_epoch(0, 5)
    own, other = status(1, epoch, since=1.0), status(2, epoch, "two", since=100.0)
    found = contradictions(epoch)
    assert found.of_start(own, board(other), None, {2: other}, 0.0) == ""
    assert found.is_watching
    again = replace(other, facts={"pages": 1.0})
    words = "its SEEDS is one, and that of member 2 is two"
    assert found.of_start(own, board(again), None, {2: again}, 1.0) == words
    assert (found.fault, found.is_watching) == (Fault.SETTINGS, False)


def test_other_settings_of_a_member_that_is_gone_are_no_contradiction() -> None:
    epoch = next_epoch(0, 5)
    own, other = status(1, epoch), status(2, epoch, "two")
    found = contradictions(epoch)
    for now, is_watching in (0.0, True), (LATER, False):
        assert found.of_start(own, board(other), None, {2: other}, now) == ""
        assert found.is_watching == is_watching


def test_equal_settings_need_no_watch() -> None:
    epoch = next_epoch(0, 5)
    other = status(2, epoch)
    found = contradictions(epoch)
    assert found.of_start(status(1, epoch), board(other), None, {2: other}, 0.0) == ""
    assert not found.is_watching


def test_an_older_copy_is_told_from_a_process_that_runs() -> None:
    known = status(1, next_epoch(next_epoch(next_epoch(0, 7), 7), 7))
    epoch = next_epoch(next_epoch(next_epoch(0, 7), 7), 9)  # of a copy from before its third start
    found = contradictions(epoch)
    assert found.of_start(status(1, epoch), board(known), known, {}, 0.0) == ""
    assert found.is_watching
    assert found.of_start(status(1, epoch), board(known), known, {}, LATER) == (
        "the server remembers a later start of member 1 (start 3), and this directory has only start 2: it is an older "
        "copy, or the server serves another fleet"
    )
    assert found.fault is Fault.OUTDATED
    alive = replace(known, facts={"pages": 1.0})
    twin = contradictions(epoch)
    twin.of_start(status(1, epoch), board(known), known, {}, 0.0)
    words = "member 1 runs already, from another directory"
    assert twin.of_start(status(1, epoch), board(alive), alive, {}, 1.0) == words
    assert twin.fault is Fault.TWIN


def test_a_new_directory_of_a_member_that_has_started_before_is_named_as_such() -> None:
    known, epoch = status(1, next_epoch(0, 7)), next_epoch(0, 9)
    found = contradictions(epoch, may_have_twin=False)
    words = found.of_start(status(1, epoch), board(known), known, {}, 0.0)
    assert "a later start of member 1 (start 1), and this directory has none: " in words


def test_the_next_start_of_a_directory_and_a_status_whose_answer_was_lost_contradict_nothing() -> None:
    known = status(1, next_epoch(0, 7))
    for epoch in next_epoch(known.epoch, 2), known.epoch:
        found = contradictions(epoch, may_have_twin=False)
        assert found.of_start(status(1, epoch), board(known), known, {}, 0.0) == ""
        assert not found.is_watching
    again = contradictions(known.epoch)
    assert again.of_start(status(1, known.epoch), board(known), known, {}, 0.0) == ""
    assert not again.is_watching
