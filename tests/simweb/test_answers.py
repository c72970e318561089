"""Faults come once; wrong lengths keep every link before the cut."""

import pytest

from tests.simweb.serving import asked
from webgraph_it.simweb import Plan
from webgraph_it.simweb.answers import RESET, answer
from webgraph_it.simweb.hits import NoHitLog
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.pages import Delivery, Page
from webgraph_it.simweb.site import Request, Site
from webgraph_it.simweb.world import World


def page(**delivery: object) -> Page:
    return Page(Place("a.it", "/"), body=lambda: b"ciao" * 50, delivery=Delivery(**delivery))


@pytest.mark.parametrize("fault", ["429", "503"])
def test_a_fault_says_when_to_come_back(fault: str) -> None:
    first = answer(page(fault=fault), "", first_visit=True)
    assert first.status == int(fault)
    assert b"\r\nRetry-After: 1\r\n" in first.data
    assert answer(page(fault=fault), "", first_visit=False).status == 200


def test_a_reset_sends_nothing() -> None:
    assert answer(page(fault="reset"), "", first_visit=True) is RESET
    assert RESET.data == b""
    assert answer(page(fault="reset"), "", first_visit=False).status == 200


def test_only_the_first_visit_of_a_url_fails() -> None:
    world = World(Plan(hosts=1, pages=1, shares={"retry-503": 1.0}))
    site = Site(world, NoHitLog())
    request = Request("GET", "http", world.hosts[0].name, "/", "", "", keep=True)
    assert [site.answer(request).status for _ in range(4)] == [503, 200, 200, 200]


def test_a_page_that_is_kept_is_made_once_and_answered_as_ever() -> None:
    world = World(Plan(hosts=3, pages=30))
    site, kept = Site(world, NoHitLog()), Site(world, NoHitLog(), kept={})
    request = Request("GET", "http", world.hosts[0].name, "/", "gzip", "", keep=True)
    for method in ("GET", "HEAD", "GET"):
        assert kept.answer(request._replace(method=method)) == site.answer(request._replace(method=method))
    assert kept.answer(request).data is kept.answer(request).data
    assert site.answer(request).data is not site.answer(request).data


def test_what_depends_on_the_visit_or_the_client_is_not_kept() -> None:
    world = World(Plan(hosts=1, pages=1, shares={"retry-503": 1.0, "gzip": 1.0}))
    site = Site(world, NoHitLog(), kept={})
    request = Request("GET", "http", world.hosts[0].name, "/", "", "", keep=True)
    assert [site.answer(request).status for _ in range(3)] == [503, 200, 200]
    assert len(site.answer(request).data) > len(site.answer(request._replace(accept_encoding="gzip")).data)


@pytest.mark.parametrize(("framing", "stated"), [("too-long", 700), ("too-short", 180), ("close", 200)])
def test_a_wrong_length_ends_the_connection(framing: str, stated: int) -> None:
    sent = answer(page(framing=framing), "", first_visit=False)
    assert f"Content-Length: {stated}\r\n".encode() in sent.data
    assert not sent.keep


def test_no_link_is_behind_the_cut_of_a_wrong_length() -> None:
    world = World(Plan(hosts=1, pages=40, page_bytes=500, shares={"wrong-length": 1.0}))
    for link in world.page(Place(world.hosts[0].name, "/")).links:
        data = asked(world, "http", link.target.host, link.target.path).data
        _, _, body = data.partition(b"\r\n\r\n")
        assert body.rindex(b"<a ") < len(body) * 0.8


def test_the_answer_to_head_has_no_body() -> None:
    world = World(Plan(hosts=1, pages=1))
    whole, head = (asked(world, "http", world.hosts[0].name, "/", method=m).data for m in ("GET", "HEAD"))
    assert whole.startswith(head)
    assert head.endswith(b"\r\n\r\n")


def test_a_coding_is_used_only_if_it_is_accepted() -> None:
    assert b"Content-Encoding" not in answer(page(coding="br"), "gzip, deflate", first_visit=False).data
    assert b"Content-Encoding: br" in answer(page(coding="br"), "gzip;q=0.5, BR", first_visit=False).data
