"""Which requests are refused before anything is read."""

import pytest

from webgraph_it.console.guard import Asked, refusal

NAMES = frozenset({"127.0.0.1:6060", "crawl.example.it"})
LOOK = Asked("GET", "/api/status", ("127.0.0.1:6060",), None, None, "")
CHANGE = Asked("POST", "/api/action", ("127.0.0.1:6060",), None, None, "application/json")


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (LOOK, None),
        (LOOK._replace(hosts=("CRAWL.example.it",)), None),
        (LOOK._replace(hosts=("evil.example",)), 421),
        (LOOK._replace(hosts=()), 421),
        (LOOK._replace(hosts=("127.0.0.1:6060", "127.0.0.1:6060")), 421),
        (LOOK._replace(site="same-origin"), None),
        (LOOK._replace(site="none"), None),
        (LOOK._replace(site="cross-site"), 403),
        (LOOK._replace(site="cross-site", path="/"), None),
        (CHANGE, None),
        (CHANGE._replace(content_type="Application/JSON; charset=utf-8"), None),
        (CHANGE._replace(content_type="text/plain"), 415),
        (CHANGE._replace(content_type=""), 415),
        (CHANGE._replace(method="DELETE", content_type=""), None),
        (CHANGE._replace(method="DELETE", site="cross-site"), 403),
        (CHANGE._replace(site="same-origin", origin="http://127.0.0.1:6060"), None),
        (CHANGE._replace(origin="https://127.0.0.1:6060"), None),
        (CHANGE._replace(origin="http://127.0.0.1"), 403),
        (CHANGE._replace(origin="null"), 403),
        (CHANGE._replace(site="none"), 403),
        (CHANGE._replace(site="same-site"), 403),
        (CHANGE._replace(hosts=("evil.example",), origin="http://evil.example", site="same-origin"), 421),
    ],
)
def test_what_is_refused(asked: Asked, status: int | None) -> None:
    found = refusal(asked, NAMES)
    assert (found and found.status) == status
