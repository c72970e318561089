"""The policy around the RFC: records, retries, the cache, and agreement with Google's own parser."""

from time import process_time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.defaults import robots_policy
from webgraph_it.robots.policy import origin, redirect_target
from webgraph_it.robots.record import RobotsRecord, Verdict
from webgraph_it.urls.names import Refusal, normal

NOW = 1_790_000_000.0


@given(st.integers(0, 999), st.binary(max_size=300), st.integers(0, 9), st.text(max_size=40))
def test_any_answer_is_judged_and_any_path_decided(
    status: int, body: bytes, redirects: int, path: str
) -> None:
    policy = robots_policy()
    for text in (body, b"User-agent: *\nDisallow: " + body):
        record = policy.judge(status, text, None, redirects, NOW)
        assert NOW < record.expires_at <= NOW + 86_400
        url = normal("http://sito.it/" + path)
        assert isinstance(url, Refusal) or policy.allowed(record, url) in (True, False)
        policy.crawl_delay(record)


@pytest.mark.parametrize(
    ("lines", "delay"),
    [
        ("Crawl-delay: 10", 10.0),
        ("crawl-delay: 0.5", 0.5),
        ("Crawl-delay: 0,5", 0.5),
        ("Crawl-delay: 10 secondi", 10.0),
        ("Crawl-delay: 10s", 10.0),
        ("Crawl-delay: 86400", 86_400.0),
        ("Crawl-delay: 1\nCrawl-delay: 2", 2.0),
        ("Crawl-delay: soon", None),
        ("Crawl-delay: -1", None),
        ("Crawl-delay: inf", None),
        ("Crawl-delay: nan", None),
        ("Request-rate: 1/5", 5.0),
        ("Request-rate: 2/1m", 30.0),
        ("Crawl-delay: 60\nRequest-rate: 1/5", 60.0),
        ("Request-rate: 0/0", None),
        ("Disallow: /a", None),
    ],
)
def test_crawl_delay(lines: str, delay: float | None) -> None:
    policy = robots_policy()
    record = policy.judge(200, f"User-agent: *\n{lines}\n".encode(), None, 0, NOW)
    assert policy.crawl_delay(record) == delay


def test_crawl_delay_of_others_is_not_ours() -> None:
    policy = robots_policy()
    text = b"User-agent: *\nCrawl-delay: 9\nDisallow: /a\n\nUser-agent: webgraph_it\nDisallow: /b\n"
    assert policy.crawl_delay(policy.judge(200, text, None, 0, NOW)) is None


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: a\nCrawl-delay: 5\n\nUser-agent: *\nDisallow: /x\n", None),
        ("User-agent: *\nCrawl-delay: 5\n\nUser-agent: a\nDisallow: /x\n", 5.0),
        ("User-agent: a\nCrawl-delay: 5\n\nUser-agent: *\nCrawl-delay: 9\n", 9.0),
        ("User-agent: a\nRequest-rate: 1/5\n\nUser-agent: *\nDisallow: /x\n", None),
        ("User-agent: a\nUser-agent: *\nCrawl-delay: 5\n", 5.0),
        ("User-agent: webgraph_it\nCrawl-delay: 5\nUser-agent: *\nCrawl-delay: 9\n", 5.0),
        ("User-agent: a\nCrawl-delay: 5\nUser-agent: webgraph_it\nUser-agent: *\nCrawl-delay: 9\n", 9.0),
    ],
)
def test_a_delay_belongs_to_those_named_before_it(text: str, delay: float | None) -> None:
    policy = robots_policy()
    assert policy.crawl_delay(policy.judge(200, text.encode(), None, 0, NOW)) == delay


def test_the_beginning_of_a_byte_order_mark_is_skipped() -> None:
    policy = robots_policy()
    for mark in (b"", b"\xef", b"\xef\xbb", b"\xef\xbb\xbf"):
        record = policy.judge(200, mark + b"User-agent: *\nDisallow: /a\n", None, 0, NOW)
        assert not policy.allowed(record, "http://sito.it/a"), mark


def test_the_largest_file_is_read_and_matched_in_milliseconds() -> None:
    """CPU time, the least of three, with room for a slow machine: measured 20 ms and, for the first match, 1 ms."""
    lines = b"".join(b"Disallow: /cart-%d/\n" % n for n in range(20_000))
    reading, matching = [], []
    for _ in range(3):
        policy = robots_policy()
        started = process_time()
        record = policy.judge(200, b"User-agent: *\n" + lines, None, 0, NOW)
        read = process_time()
        assert not policy.allowed(record, "http://sito.it/cart-19999/a")
        matching.append(process_time() - read)
        reading.append(read - started)
    assert record.verdict is Verdict.RULES
    assert min(reading) < 0.15
    assert min(matching) < 0.02


def test_an_endless_line_may_forbid_more_than_it_says_but_not_allow_more() -> None:
    policy = robots_policy()
    endless = b"/a*" + b"b" * 20_000
    forbidding = policy.judge(200, b"User-agent: *\nDisallow: " + endless, None, 0, NOW)
    assert not policy.allowed(forbidding, "http://sito.it/a" + "b" * 17_000)
    allowing = policy.judge(200, b"User-agent: *\nDisallow: /\nAllow: " + endless, None, 0, NOW)
    assert not policy.allowed(allowing, "http://sito.it/a" + "b" * 17_000)


def test_failures_are_counted_until_pages_wait_no_longer_and_forgotten_after_an_answer() -> None:
    policy = robots_policy(retry_seconds=10, attempts=3)
    record: RobotsRecord | None = None
    waits = []
    for _ in range(4):
        record = policy.judge(0, b"", "DownloadTimeoutError", 0, NOW, previous=record)
        waits.append(record.waits)
    assert waits == [True, True, False, False]
    assert record is not None
    assert record.reason == "error-DownloadTimeoutError"
    assert policy.judge(404, b"", None, 0, NOW, previous=record).failures == 0


def test_retry_after_lengthens_the_wait_up_to_a_day() -> None:
    policy = robots_policy(retry_seconds=10)
    assert policy.judge(503, b"", None, 0, NOW, retry_after_seconds=500).expires_at == NOW + 500
    assert policy.judge(503, b"", None, 0, NOW, retry_after_seconds=1).expires_at == NOW + 10
    assert policy.judge(429, b"", None, 0, NOW, retry_after_seconds=1e9).expires_at == NOW + 86_400


def test_parsed_rules_are_bounded_and_equal_files_are_parsed_once() -> None:
    policy = robots_policy(max_cached_rules=100)
    for i in range(50):
        record = policy.judge(200, b"User-agent: *\nDisallow: /%d\n" % i, None, 0, NOW)
        assert not policy.allowed(record, f"http://sito.it/{i}")
        assert policy.allowed(record, "http://sito.it/x")
    assert repr(policy) == "<RobotsPolicy webgraph_it [9 files, 99 rules]>"


@pytest.mark.parametrize(
    ("status", "location", "target"),
    [
        (301, "https://www.sito.it/robots.txt", "https://www.sito.it/robots.txt"),
        (308, "//altro.it/r", "http://altro.it/r"),
        (302, "r.txt#x", "http://sito.it/r.txt"),
        (302, None, None),
        (302, "", None),
        (302, "ftp://sito.it/robots.txt", None),
        (302, "http://", None),
        (304, "/r", None),
        (200, "/r", None),
    ],
)
def test_redirect_target(status: int, location: str | None, target: str | None) -> None:
    assert redirect_target(status, "http://sito.it/robots.txt", location, 0) == target


def test_origin_is_scheme_and_authority() -> None:
    assert origin("https://www.sito.it:8443/a://b/c") == "https://www.sito.it:8443"


@pytest.mark.parametrize("path", ["//a//b", "/a://b", "/a[b]", "/;x=1", "/a?b=//c"])
def test_strange_paths_are_matched_as_they_are(path: str) -> None:
    policy = robots_policy()
    record = policy.judge(200, f"User-agent: *\nDisallow: {path}$\n".encode(), None, 0, NOW)
    assert not policy.allowed(record, "http://sito.it" + path)
    assert policy.allowed(record, "http://sito.it" + path + "x")


# -- an oracle that we did not write: Google's parser, whose authors wrote the RFC ---------------------------
#
# Left out, because there we follow the RFC, which decodes escapes before it compares: %61 is a, %3A is a colon, %24
# is a verbatim $, and in a query %2F is a slash. Google compares octets as they are written.

_PIECES = st.sampled_from(
    [
        *("/", "a", "b", "/a", "*", "?", "&", "=x", "%2F", "%C3%A0", ".html", "~", ":", ",", "-", ";"),
        *("+", "$", "/index.html", "(", "!", "@"),
    ]
)
_AGENTS = st.sampled_from(
    [
        "*",
        "webgraph_it",
        "WebGraph_IT",
        "webgraph_it/1.0",
        "webgraph_it bot",
        "webgraph",
        "Foo Bar",
        "* x",
        "*x",
        "",
    ]
)
_PATTERNS = st.lists(_PIECES, max_size=5).flatmap(
    lambda parts: st.sampled_from(["/", "/", ""]).map(lambda s: s + "".join(parts))
)
_LINES = st.one_of(
    st.builds("User-agent: {}".format, _AGENTS),
    st.builds(
        "{}: {}{}".format,
        st.sampled_from(["Allow", "Disallow", "disalow"]),
        _PATTERNS,
        st.sampled_from(["", "", "$"]),
    ),
    st.builds("Disallow {}".format, _PATTERNS),
    st.sampled_from(
        ["", "# x", "Crawl-delay: 3", "Sitemap: /s.xml", "Unknown: line", "what is this", "Allow:"]
    ),
)
_TEXTS = st.builds(str.join, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(_LINES, max_size=9))


_PATHS = st.lists(_PIECES.filter(lambda piece: piece != "*"), max_size=5)


@st.composite
def _rivals(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A path, and rules of both kinds made of its own pieces, so that most of them match it."""
    path = draw(st.lists(_PIECES.filter(lambda piece: piece != "*"), min_size=1, max_size=6))
    lines = ["User-agent: *"]
    for _ in range(draw(st.integers(2, 4))):
        kept = draw(
            st.lists(st.sampled_from(["kept", "kept", "*", ""]), min_size=len(path), max_size=len(path))
        )
        pattern = "".join(piece if how == "kept" else how for piece, how in zip(path, kept, strict=True))
        end = draw(st.sampled_from(["", "", "*", "$"]))
        lines.append(f"{draw(st.sampled_from(['Allow', 'Disallow']))}: /{pattern}{end}")
    return "\n".join(lines), path


def _google_allows(text: str, url: str) -> bool:
    googlebot = pytest.importorskip(
        "jwm.robotstxt.googlebot", reason="pip install jwm.robotstxt to compare with Google's parser"
    )
    return bool(googlebot.RobotsMatcher().OneAgentAllowedByRobots(text, "webgraph_it", url))


@settings(max_examples=600, deadline=None)
@given(st.one_of(_rivals(), _rivals(), st.tuples(_TEXTS, _PATHS)))
def test_decisions_are_those_of_googles_parser(case: tuple[str, list[str]]) -> None:
    text, path = case
    url = normal("http://sito.it/" + "".join(path))
    assert isinstance(url, str)
    assume("?" not in url or "%2F" not in text + url)
    policy = robots_policy()
    ours = policy.allowed(policy.judge(200, text.encode(), None, 0, NOW), url)
    assert ours == _google_allows(text, url)
