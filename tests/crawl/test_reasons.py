"""The one table: every name that the fetcher gives a failure is in it."""

import re
from pathlib import Path

import pytest

from webgraph_it.crawl.reasons import MEANINGS, failure_of, meaning_of
from webgraph_it.fetch.dns import _REASONS, NO_RESOLVER
from webgraph_it.fetch.guard import Refusal
from webgraph_it.fetch.sockets import LOCAL
from webgraph_it.frontier.records import Failure

FETCH = Path(__file__).parents[2] / "webgraph_it" / "fetch"
SOURCE = "".join(path.read_text() for path in sorted(FETCH.glob("*.py")))
SOCKET = set(re.findall(r'(?:FetchError|BadResponse)\(\s*"([a-z-]+)"', SOURCE)) | {"unreachable"}
NAMES = {f"dns-{reason}" for reason in _REASONS.values()} | {f"forbidden/{each.value}" for each in Refusal}


@pytest.mark.parametrize("reason", sorted(SOCKET))
def test_what_a_socket_names_counts_against_the_host(reason: str) -> None:
    meaning = MEANINGS[reason]
    assert meaning.failure is Failure.NETWORK
    assert not meaning.goes_back


@pytest.mark.parametrize("reason", sorted(NAMES | {"forbidden/port"}))
def test_a_name_that_leads_nowhere_may_have_another_spelling(reason: str) -> None:
    meaning = meaning_of(reason)
    assert meaning is not None
    assert (meaning.failure, meaning.nobody_there) == (Failure.DNS, True)


@pytest.mark.parametrize("reason", sorted(set(LOCAL.values()) | {NO_RESOLVER, "called-off"}))
def test_what_the_host_is_not_to_blame_for_goes_back(reason: str) -> None:
    meaning = MEANINGS[reason]
    assert (meaning.failure, meaning.goes_back) == (Failure.NONE, True)


@pytest.mark.parametrize("reason", ["rule", "unknown", "ignored", "host-given-up", "status-404", ""])
def test_a_refusal_is_no_failure_of_a_fetch(reason: str) -> None:
    assert meaning_of(reason) is None
    assert failure_of(0, reason) is Failure.NONE


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (200, Failure.NONE),
        (404, Failure.NONE),
        (429, Failure.BUSY),
        (500, Failure.SERVER),
        (503, Failure.BUSY),
    ],
)
def test_with_a_reply_the_status_decides(status: int, failure: Failure) -> None:
    assert failure_of(status, "timeout") is failure  # of an extraction
