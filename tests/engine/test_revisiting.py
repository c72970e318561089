"""Which re-visits ask for a 304, and with which headers."""

import pytest

from tests.frontier.making import NOW, link, open_frontier
from tests.frontier.test_revisits import ROW, planned
from webgraph_it.engine.revisiting import CONDITIONAL, Revisiting
from webgraph_it.frontier.visits import Visit

ETAG, DATE = b'W/"x"', b"Thu, 01 Jan 2026 00:00:00 GMT"
REVISITING = Revisiting(0.1, 77, is_continuous=False)


@pytest.mark.parametrize(
    ("row", "headers"),
    [
        (ROW._replace(policy=77, etag=ETAG), {"If-None-Match": ETAG}),
        (
            ROW._replace(policy=77, etag=ETAG, last_modified=DATE),
            {"If-None-Match": ETAG, "If-Modified-Since": DATE},
        ),
        (ROW._replace(policy=77, last_modified=DATE), {"If-Modified-Since": DATE}),
        (ROW._replace(policy=78, etag=ETAG), {}),
        (ROW._replace(policy=77), {}),
    ],
)
def test_validators_of_the_last_visit_are_sent_back(row: Visit, headers: dict[str, bytes]) -> None:
    frontier = open_frontier()
    frontier.keep_visit(link("a").digest, row)
    frontier.plan_visits([planned(link("a"))], NOW + 1, NOW)
    lease = frontier.next(NOW)
    assert lease is not None
    meta: dict[str, object] = {}
    assert REVISITING.conditions(lease, frontier, meta) == headers
    assert bool(meta.get(CONDITIONAL)) == bool(headers)
    assert meta["deltafetch_enabled"] is False
    assert REVISITING.conditions(lease._replace(spellings=1), frontier, {}) == {}, (
        "validators belong to a URL"
    )
