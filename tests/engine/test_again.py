"""A middleware's request waits for its host, and for nobody else."""

from types import SimpleNamespace
from typing import Any

from scrapy import Request

from webgraph_it.engine.again import AGAIN, COOKIE_SENT, Again, with_cookie


def request(lease: object) -> Any:
    return SimpleNamespace(meta={"lease": lease})


def test_requests_come_when_their_host_may_be_asked() -> None:
    again, lease, other = Again(), SimpleNamespace(), SimpleNamespace()
    late, soon = request(lease), request(other)
    again.put(late, 9.0)
    again.put(soon, 5.0)
    assert len(again) == 2
    assert again.take(4.0) is None
    assert again.take(5.0) is soon
    assert again.take(5.0) is None
    assert again.take(9.0) is late
    assert not again


def test_it_knows_which_leases_go_on() -> None:
    again, lease = Again(), SimpleNamespace()
    again.put(request(lease), 1.0)
    assert again.holds(lease)  # type: ignore[arg-type]
    assert not again.holds(SimpleNamespace())  # type: ignore[arg-type]


def test_the_sooner_of_two_times_wakes() -> None:
    again = Again()
    assert again.wake_at(None) is None
    assert again.wake_at(3.0) == 3.0
    again.put(request(None), 2.0)
    assert again.wake_at(None) == 2.0
    assert again.wake_at(3.0) == 2.0
    assert again.wake_at(1.0) == 1.0


def test_the_request_with_a_cookie_is_the_same_visit() -> None:
    lease, robots = object(), object()
    first = Request("http://sito.it/a", meta={"lease": lease, "robots": robots, "fetch_times": 1})
    second = with_cookie(first, "http://sito.it/a?PHPSESSID=1", b"x=1")
    assert (second.url, second.headers[b"Cookie"]) == ("http://sito.it/a?PHPSESSID=1", b"x=1")
    assert second.meta == {"lease": lease, "robots": robots, AGAIN: True, COOKIE_SENT: True}
    assert b"Cookie" not in first.headers
