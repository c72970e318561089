"""From Scrapy's words to ours: nothing is lost on the way, and nothing is invented."""

import time

import pytest
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.http import Response

from webgraph_it.crawl.reasons import COMPONENT, MEANINGS
from webgraph_it.engine.downloader import FetchCalledOff
from webgraph_it.engine.handler import scrapy_error
from webgraph_it.engine.lease_middleware import HostGivenUp
from webgraph_it.engine.replies import reason_of, refusal_of, reply_of
from webgraph_it.engine.robots_middleware import RobotsDenied
from webgraph_it.fetch.connection import FetchError
from webgraph_it.fetch.content_type import declared
from webgraph_it.fetch.reply import FetchTimes
from webgraph_it.items import State


def response(content_type: bytes = b"", **meta: object) -> Response:
    headers = {"Content-Type": content_type} if content_type else {}
    return Response("http://a.it/", headers=headers, request=Request("http://a.it/", meta=meta))


def test_the_media_type_is_as_declared() -> None:
    assert reply_of(response(b"Text/HTML; charset=utf-8")).media_type() == ("text/html", "utf-8")
    assert reply_of(response()).media_type() == ("", None)


def test_long_types_are_not_remembered() -> None:
    declared.cache_clear()
    for number in range(100):
        reply = reply_of(response(b"a/%d" % number + b"x" * 60_000))
        assert reply.media_type() == ("invalid", None)
    assert declared.cache_info().currsize == 0


def test_the_times_are_the_handlers_or_now() -> None:
    assert reply_of(response(fetch_times=FetchTimes(1.0, 2.0, 4.0))).seconds == 3.0
    before = time.time()
    assert before <= reply_of(response()).times.start <= time.time()
    assert reply_of(response()).seconds == 0.0


def test_what_a_middleware_changed_counts() -> None:
    answer = response(b"text/plain")
    answer.headers["Content-Type"] = "text/html"
    assert reply_of(answer.replace(body=b"new", status=203))[:2] == ("http://a.it/", 203)
    assert reply_of(answer).header(b"Content-Type") == "text/html"


@pytest.mark.parametrize(
    "reason", sorted((*MEANINGS.keys() - {COMPONENT, "called-off"}, "forbidden/loopback"))
)
def test_a_failure_keeps_its_name_through_scrapy(reason: str) -> None:
    assert reason_of(scrapy_error(FetchError(reason, "because"), "http://a.it/")) == reason


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (CannotResolveHostError(), "dns"),
        (DownloadConnectionRefusedError(), "refused"),
        (DownloadTimeoutError(), "timeout"),
        (DownloadFailedError(), "network"),
        (ResponseDataLossError(), "dataloss"),
        (UnsupportedURLSchemeError(), "url"),
        (FetchCalledOff(), "called-off"),
        (ValueError(), COMPONENT),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "refused"), COMPONENT),
        (None, COMPONENT),
    ],
)
def test_what_somebody_elses_component_raises_is_named_by_its_class(
    error: BaseException | None, reason: str
) -> None:
    assert reason_of(error) == reason


def test_a_reason_that_the_table_does_not_know_is_not_believed() -> None:
    error = DownloadFailedError()
    error.reason = "x" * 1000  # type: ignore[attr-defined]
    assert reason_of(error) == "network"


@pytest.mark.parametrize(
    ("refusal", "state", "reason"),
    [
        (RobotsDenied("http://a.it/", "rule"), State.ROBOTS_DENIED, "rule"),
        (HostGivenUp(), State.ERROR, "host-given-up"),
        (IgnoreRequest(), State.ERROR, "ignored"),
    ],
)
def test_a_refusal_says_what_the_node_is(refusal: IgnoreRequest, state: State, reason: str) -> None:
    assert refusal_of(refusal) == (state, reason)
