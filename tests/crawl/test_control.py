"""A pause has named reasons, and each owner lifts only its own."""

from webgraph_it.crawl.control import Pauses


def test_one_reason_lifted_leaves_the_others():
    pauses = Pauses()
    pauses.pause("failed")
    pauses.pause("disk")
    pauses.unpause("disk")
    assert pauses
    assert pauses.reasons == ("failed",)


def test_the_last_reason_lifted_ends_the_pause():
    pauses = Pauses()
    pauses.pause("disk")
    pauses.unpause("disk")
    assert not pauses


def test_a_reason_is_new_once_and_gone_once():
    pauses = Pauses()
    assert [pauses.pause("disk"), pauses.pause("disk")] == [True, False]
    assert [pauses.unpause("disk"), pauses.unpause("disk")] == [True, False]
