"""Converts Scrapy's objects to ours: a Response to a Reply, an exception to a reason. crawl/visit.py judges both."""

import time
from typing import cast

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

from webgraph_it.crawl.reasons import COMPONENT, meaning_of
from webgraph_it.engine.downloader import FetchCalledOff
from webgraph_it.engine.handler import EXCHANGE
from webgraph_it.engine.robots_middleware import RobotsDenied
from webgraph_it.fetch.reply import FetchTimes, Reply
from webgraph_it.items import State


def reply_of(response: Response) -> Reply:
    """The response as it is now. A user's middleware may have changed it, or answered instead of the handler."""
    return Reply(
        response.url,
        response.status,
        cast("dict[bytes, list[bytes]]", response.headers),
        response.body,
        response.flags,
        response.ip_address,
        b"",
        response.meta.get("fetch_times") or FetchTimes(*(time.time(),) * 3),
        response.meta.get(EXCHANGE),
    )


_NAMES: tuple[tuple[type[Exception], str], ...] = (
    (FetchCalledOff, "called-off"),
    (CannotResolveHostError, "dns"),
    (DownloadConnectionRefusedError, "refused"),
    (DownloadTimeoutError, "timeout"),
    (DownloadFailedError, "network"),
    (ResponseDataLossError, "dataloss"),
    (UnsupportedURLSchemeError, "url"),
)
"""Names for failures that have none of their own: those raised by a user's component."""


def reason_of(error: BaseException | None) -> str:
    """Why there is no response: the failure's own name (handler.py), or one that follows from the exception's class."""
    if isinstance(error, IgnoreRequest):
        return str(getattr(error, "reason", "ignored"))
    for kind, name in _NAMES:
        if isinstance(error, kind):
            own = getattr(error, "reason", name)
            return own if isinstance(own, str) and meaning_of(own) is not None else name
    return COMPONENT


def refusal_of(error: IgnoreRequest) -> tuple[State, str]:
    """The state of the node, and why. Our own middlewares give both; a user's may not."""
    state = State.ROBOTS_DENIED if isinstance(error, RobotsDenied) else State.ERROR
    return getattr(error, "state", state), getattr(error, "reason", "ignored")
