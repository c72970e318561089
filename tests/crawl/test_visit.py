"""What replies and failures mean: tables, without a socket, Scrapy or an event loop."""

import subprocess
import sys
from hashlib import md5
from ipaddress import ip_address

import pytest

from webgraph_it.crawl import visit
from webgraph_it.crawl.reasons import MEANINGS
from webgraph_it.crawl.visit import (
    LOCAL_PAUSE_SECONDS,
    MAX_SPELLINGS,
    READ,
    Cookies,
    Follow,
    GiveBack,
    Learn,
    Respell,
    Retry,
    WithCookie,
    document_of,
    judge,
    judge_failure,
    judge_robots,
    judge_robots_failure,
    page_of,
    refused,
)
from webgraph_it.extract.records import Extraction
from webgraph_it.fetch.reply import FetchTimes, Reply
from webgraph_it.frontier.records import Failure, Lease
from webgraph_it.items import Link, Page, State
from webgraph_it.robots.policy import RobotsPolicy
from webgraph_it.robots.record import RobotsRecord, Verdict
from webgraph_it.urls import Name, name

NOW = 1_790_000_000.0
POLICY = RobotsPolicy(retry_seconds=60.0)


def lease_of(url: str = "http://sito.it/a", spellings: int = 0) -> Lease:
    named = name(url)
    assert isinstance(named, Name)
    return Lease(*named, 3, 2, "it,via)/", "it,sito", 0, spellings, "", False, b"")


def reply(status: int = 200, body: bytes = b"", url: str = "http://sito.it/a", **headers: str) -> Reply:
    values = {name.replace("_", "-").title().encode(): [value.encode()] for name, value in headers.items()}
    address = ip_address("127.0.0.9")
    return Reply(url, status, values, body, [], address, b"1.1", FetchTimes(NOW, NOW + 1, NOW + 2))


def link(url: str, kind: str) -> Link:
    named = name(url)
    assert isinstance(named, Name)
    return Link(*named, kind)


# -- pages ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [200, 203, 204, 299])
def test_a_document_is_to_be_read(status: int) -> None:
    assert judge(reply(status), lease_of(), may_retry=True) is READ


def test_a_document_that_was_read_is_a_page_with_all_its_facts() -> None:
    links = (link("http://b.it/", "a"), link("http://c.it/x.css", "css"))
    extraction = Extraction(links, media_type="text/html", reason="bomb", content_digest="d" * 32)
    lease = lease_of()
    assert page_of(reply(body=b"<a>"), lease, extraction, {"css"}) == Page(
        url="http://sito.it/a",
        key=lease.key,
        digest=lease.digest,
        time=NOW,
        state=State.FETCHED,
        status=200,
        depth=3,
        via="it,via)/",
        links=links,
        media_type="text/html",
        size_bytes=3,
        content_digest="d" * 32,
        address="127.0.0.9",
        reason="bomb",
        seconds=2.0,
        host_depth=2,
        followed=frozenset((links[1].digest,)),
        body_cut=True,
    )


def test_a_body_that_no_worker_finished_has_a_digest_all_the_same() -> None:
    page = page_of(reply(body=b"bomb"), lease_of(), Extraction(reason="died"), frozenset())
    assert page.content_digest == md5(b"bomb").hexdigest()
    assert page.followed == frozenset()


def test_a_document_has_the_headers_that_hold_links_and_no_location() -> None:
    document = document_of(
        reply(
            body=b"x",
            content_type="text/html; charset=utf-8",
            link="<http://b.it/>",
            location="http://c.it/",
            x_robots_tag="nofollow",
        )
    )
    assert (document.media_type, document.charset, document.nofollow) == ("text/html", "utf-8", True)
    assert document.headers == (("link", b"<http://b.it/>"),)


COOKIE = {"location": "/a", "set_cookie": "x=1; Path=/"}


def test_a_redirect_to_itself_that_sets_a_cookie_is_followed_once_with_it() -> None:
    first = judge(reply(302, **COOKIE), lease_of(), may_retry=True, cookies=Cookies.USED)
    assert first == WithCookie("http://sito.it/a", b"x=1", 2.0)
    second = judge(reply(302, **COOKIE), lease_of(), may_retry=True, cookies=Cookies.SENT)
    assert isinstance(second, Page)
    assert (second.state, second.reason) == (State.ERROR, "redirect-loop")
    assert judge(reply(200), lease_of(), may_retry=True, cookies=Cookies.SENT) is READ


@pytest.mark.parametrize(
    "headers",
    [
        {"location": "/a"},
        {"location": "/a", "set_cookie": "x=1; Domain=altro.it"},
        {"location": "https://sito.it/a", "set_cookie": "x=1"},
    ],
)
def test_any_other_redirect_to_itself_is_a_spelling(headers: dict[str, str]) -> None:
    assert isinstance(judge(reply(302, **headers), lease_of(), may_retry=True, cookies=Cookies.USED), Respell)
    assert isinstance(judge(reply(302, **COOKIE), lease_of(), may_retry=True), Respell)


def test_a_cookie_on_the_way_to_another_page_is_nothing() -> None:
    page = judge(
        reply(302, location="/b", set_cookie="x=1"), lease_of(), may_retry=True, cookies=Cookies.USED
    )
    assert isinstance(page, Page)
    assert page.state is State.REDIRECT


def test_a_redirect_is_a_page_with_one_link() -> None:
    page = judge(reply(301, location="/b"), lease_of(), may_retry=True)
    assert isinstance(page, Page)
    assert (page.state, page.status, page.links) == (
        State.REDIRECT,
        301,
        (link("http://sito.it/b", "redirect"),),
    )


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_spelling_is_fetched_there(status: int) -> None:
    found = judge(reply(status, location="https://www.sito.it/a"), lease_of(), may_retry=True)
    assert found == Respell("https://www.sito.it/a", fetched=True, seconds=2.0)


@pytest.mark.parametrize(
    ("location", "spellings", "reason"),
    [
        ("", 0, "redirect-nowhere"),
        ("mailto:a@b.it", 0, "redirect-nowhere"),
        ("https://sito.it/a", MAX_SPELLINGS, "redirect-loop"),
    ],
)
def test_a_redirect_that_leads_nowhere_is_an_error(location: str, spellings: int, reason: str) -> None:
    page = judge(reply(302, location=location), lease_of(spellings=spellings), may_retry=True)
    assert isinstance(page, Page)
    assert (page.state, page.reason, page.links) == (State.ERROR, reason, ())


@pytest.mark.parametrize(
    ("status", "failure"),
    [(500, Failure.SERVER), (502, Failure.SERVER), (503, Failure.BUSY), (429, Failure.BUSY)],
)
def test_a_server_in_trouble_is_asked_again_until_no_attempt_is_left(status: int, failure: Failure) -> None:
    troubled = reply(status, body=b"sorry", retry_after="7", content_type="text/plain")
    assert judge(troubled, lease_of(), may_retry=True) == Retry(failure, 2.0, 7.0)
    page = judge(troubled, lease_of(), may_retry=False)
    assert isinstance(page, Page)
    assert (page.state, page.status, page.reason) == (State.ERROR, status, f"status-{status}")
    assert (page.media_type, page.size_bytes) == ("text/plain", 5)


def test_retry_after_may_be_a_date_and_counts_from_the_end_of_the_reply() -> None:
    date = "Mon, 21 Sep 2026 14:14:02 GMT"  # NOW + 42
    found = judge(reply(503, retry_after=date), lease_of(), may_retry=True)
    assert found == Retry(Failure.BUSY, 2.0, 40.0)


@pytest.mark.parametrize("status", [100, 304, 400, 404, 410])
def test_other_statuses_are_errors_at_once(status: int) -> None:
    page = judge(reply(status), lease_of(), may_retry=True)
    assert isinstance(page, Page)
    assert (page.state, page.reason) == (State.ERROR, f"status-{status}")


# -- failures ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", sorted(MEANINGS))
def test_a_failure_keeps_its_name_in_the_page_log(reason: str) -> None:
    decision = judge_failure(reason, lease_of(spellings=9), NOW, may_retry=False)
    if MEANINGS[reason].goes_back:
        assert isinstance(decision, GiveBack)
    else:
        assert decision == refused(State.ERROR, reason, lease_of(spellings=9), NOW)
        assert decision.reason == reason
        assert decision.time == NOW


@pytest.mark.parametrize(
    ("reason", "failure"),
    [
        ("tls", Failure.NETWORK),
        ("reset", Failure.NETWORK),
        ("dns-timeout", Failure.DNS),
        ("component", Failure.SERVER),
    ],
)
def test_with_attempts_left_it_is_tried_again(reason: str, failure: Failure) -> None:
    assert judge_failure(reason, lease_of(spellings=9), NOW, may_retry=True) == Retry(failure)


@pytest.mark.parametrize("reason", ["dns-nxdomain", "forbidden/loopback", "refused", "unreachable"])
def test_where_nobody_is_another_spelling_is_asked_first(reason: str) -> None:
    found = judge_failure(reason, lease_of(), NOW, may_retry=True)
    assert found == Respell("http://www.sito.it/a", fetched=False)


@pytest.mark.parametrize(
    ("reason", "pause"),
    [
        ("local-files", LOCAL_PAUSE_SECONDS),
        ("local-ports", LOCAL_PAUSE_SECONDS),
        ("local-network", LOCAL_PAUSE_SECONDS),
        ("local-resolver", LOCAL_PAUSE_SECONDS),
        ("called-off", 0.0),
    ],
)
@pytest.mark.parametrize("may_retry", [True, False])
def test_what_is_not_the_hosts_fault_goes_back_however_often(
    reason: str, pause: float, may_retry: bool
) -> None:
    assert judge_failure(reason, lease_of(), NOW, may_retry=may_retry) == GiveBack(pause)
    robots = judge_robots_failure(reason, lease_of(), 2, None, POLICY, NOW, may_retry=may_retry)
    assert robots == GiveBack(pause)


# -- robots.txt -------------------------------------------------------------------------------------------------


def test_robots_txt_is_learnt() -> None:
    rules = b"User-agent: *\nDisallow: /x\nCrawl-delay: 9\n"
    found = judge_robots(reply(200, rules), 0, None, POLICY, NOW)
    assert isinstance(found, Learn)
    assert (found.record.verdict, found.record.waits) == (Verdict.RULES, False)
    assert (found.crawl_delay_seconds, found.seconds) == (9.0, 2.0)


def test_a_redirect_of_robots_txt_is_followed_five_times() -> None:
    moved = reply(301, url="http://sito.it/robots.txt", location="/r")
    assert judge_robots(moved, 4, None, POLICY, NOW) == Follow("http://sito.it/r", 5, 2.0)
    end = judge_robots(moved, 5, None, POLICY, NOW)
    assert isinstance(end, Learn)
    assert end.record.verdict is Verdict.ALLOW_ALL


def test_robots_txt_that_cannot_be_read_keeps_its_pages_waiting_until_that_is_hopeless() -> None:
    known: RobotsRecord | None = None
    waiting = []
    for _ in range(4):
        found = judge_robots(reply(503), 0, known, POLICY, NOW)
        assert isinstance(found, Learn)
        known = found.record
        waiting.append(found.record.waits)
    assert waiting == [True, True, True, False]


def test_half_a_robots_txt_is_none() -> None:
    found = judge_robots(reply(200, b"User-agent: *\n")._replace(flags=["dataloss"]), 0, None, POLICY, NOW)
    assert isinstance(found, Learn)
    assert found.record.reason == "error-dataloss"


def test_a_failure_of_robots_txt_keeps_its_name() -> None:
    found = judge_robots_failure("tls", lease_of(), 0, None, POLICY, NOW, may_retry=True)
    assert isinstance(found, Learn)
    assert (found.record.reason, found.record.waits) == ("error-tls", True)


def test_where_nobody_is_robots_txt_is_sought_at_another_spelling_then_the_page_fails() -> None:
    def failed(spellings: int, hops: int, may_retry: bool) -> visit.RobotsFailureDecision:
        lease = lease_of(spellings=spellings)
        return judge_robots_failure("refused", lease, hops, None, POLICY, NOW, may_retry=may_retry)

    assert failed(0, 0, True) == Respell("http://www.sito.it/a", fetched=False)
    assert failed(9, 0, True) == Retry(Failure.NETWORK)
    assert failed(9, 0, False) == refused(State.ERROR, "refused", lease_of(spellings=9), NOW)
    elsewhere = failed(0, 1, True)  # where it redirected to: the site's own spellings are not to blame
    assert isinstance(elsewhere, Learn)
    assert elsewhere.record.reason == "error-refused"


# -- purity -----------------------------------------------------------------------------------------------------


def test_it_needs_no_scrapy_no_event_loop_and_no_client() -> None:
    """Not even to import it."""
    strangers = {"scrapy", "twisted", "asyncio", "pycares", "webgraph_it.fetch.client"}
    program = f"import sys, webgraph_it.crawl.visit; print(sorted({strangers} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
