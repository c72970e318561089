"""A pause has named reasons, and each owner lifts only its own."""

from webgraph_it.crawl.control import Control


def test_one_reason_lifted_leaves_the_others() -> None:
    told: list[bool] = []
    control = Control(told.append)
    control.pause("operator")
    control.pause("disk")
    control.unpause("disk")
    assert control.is_paused
    assert control.reasons == ("operator",)
    assert told == [True]


def test_the_last_reason_lifted_ends_the_pause() -> None:
    told: list[bool] = []
    control = Control(told.append)
    control.pause("disk")
    control.pause("operator")
    control.unpause("disk")
    control.unpause("operator")
    assert not control.is_paused
    assert told == [True, False]


def test_a_reason_is_new_once_and_gone_once() -> None:
    control = Control(lambda paused: None)
    assert [control.pause("disk"), control.pause("disk")] == [True, False]
    assert [control.unpause("disk"), control.unpause("disk")] == [True, False]


def test_who_lifts_a_reason_that_is_not_there_tells_nobody() -> None:
    told: list[bool] = []
    Control(told.append).unpause("disk")
    assert told == []
