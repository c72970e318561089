"""The records of the transport. Each implementation has the contract tests."""

from webgraph_it.fleet.transport import MAX_BATCH_BYTES, NOTHING, SHARE_SECONDS, Batch, Share


def test_a_share_lasts_as_long_as_the_protocol_says() -> None:
    assert Share(1, NOTHING).seconds == SHARE_SECONDS


def test_a_full_batch_fits_four_times_into_the_window() -> None:
    batch = Batch(1, 2, 1, 0, MAX_BATCH_BYTES, b"")
    assert (batch.end - batch.begin) * 4 == 1024 * 1024
