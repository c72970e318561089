"""What a recorded page says of its host: which failures count towards back-off."""

import pytest

from webgraph_it.frontier.records import Failure
from webgraph_it.frontier.scheduler import outcome_of
from webgraph_it.items import Page, State


@pytest.mark.parametrize(
    ("status", "reason", "failure", "fetched"),
    [
        (200, "", Failure.NONE, True),
        (404, "status-404", Failure.NONE, True),
        (500, "status-500", Failure.SERVER, True),
        (503, "status-503", Failure.BUSY, True),
        (429, "status-429", Failure.BUSY, True),
        (0, "dns", Failure.DNS, True),
        (0, "refused", Failure.NETWORK, True),
        (0, "timeout", Failure.NETWORK, True),
        (0, "rule", Failure.NONE, False),
        (0, "host-given-up", Failure.NONE, False),
    ],
)
def test_a_page_says_how_its_host_did(status, reason, failure, fetched):
    page = Page(
        "http://a.it/", "it,a)/", bytes(16), 1.0, State.ERROR, status, 0, "", reason=reason, seconds=2.0
    )
    outcome = outcome_of(page)
    assert (outcome.failure, outcome.fetched, outcome.duration_seconds) == (failure, fetched, 2.0)
