"""RFC 9309, sentence by sentence: every row and every test names its section.

What it says to service owners (3, first paragraph) and about itself (1, 4) leaves a crawler nothing to test.
"""

import pytest

from tests.defaults import robots_policy
from webgraph_it import settings
from webgraph_it.robots.expiry import MAX_AGE_SECONDS
from webgraph_it.robots.policy import PRODUCT_TOKEN, origin, redirect_target
from webgraph_it.robots.record import RobotsRecord, Verdict

NOW = 1_790_000_000.0
DAY = 86_400.0


def record_of(text: str | bytes) -> RobotsRecord:
    body = text.encode() if isinstance(text, str) else text
    return robots_policy().judge(200, body, None, 0, NOW)


def may(text: str | bytes, path: str) -> bool:
    return robots_policy().allowed(record_of(text), "http://sito.it" + path)


US = "User-agent: webgraph_it\n"
ALL = "User-agent: *\n"

SENTENCES = [
    # section, what the sentence says, robots.txt, allowed paths, forbidden paths
    ("2.1", "a rule says how a crawler may access URIs", ALL + "Disallow: /a\n", ["/b"], ["/a"]),
    (
        "2.1",
        "a group is user-agent lines followed by rules",
        "User-agent: x\nUser-agent: webgraph_it\nUser-agent: y\nDisallow: /a\nDisallow: /b\n",
        ["/c"],
        ["/a", "/b"],
    ),
    (
        "2.1",
        "a group is terminated by a user-agent line",
        US + "Disallow: /a\nUser-agent: x\nDisallow: /b\n",
        ["/b"],
        ["/a"],
    ),
    ("2.1", "a group is terminated by the end of file", ALL + "Disallow: /a", ["/b"], ["/a"]),
    (
        "2.1",
        "the last group may have no rules and then allows everything",
        ALL + "Disallow: /\n" + US,
        ["/a"],
        [],
    ),
    ("2.2", "groups and empty lines in any order", "\n\n" + ALL + "\n\nDisallow: /a\n\n\n", ["/b"], ["/a"]),
    (
        "2.2",
        "white space around a name and its colon",
        " \tUser-agent \t:\t *\n\tDisallow : /a\n",
        ["/b"],
        ["/a"],
    ),
    ("2.2", "no white space at all", "User-agent:*\nDisallow:/a\n", ["/b"], ["/a"]),
    ("2.2", "names of lines in any case (RFC 5234 strings)", "USER-AGENT: *\ndIsAlLoW: /a\n", ["/b"], ["/a"]),
    ("2.2", "an empty pattern is a rule that matches nothing", ALL + "Disallow:\n", ["/", "/a"], []),
    ("2.2", "a comment may end any line", "User-agent: * # c\nDisallow: /a # c\n", ["/b"], ["/a"]),
    (
        "2.2",
        "a line may end in CR",
        ALL.replace("\n", "\r") + "Disallow: /a\rDisallow: /b\r",
        ["/c"],
        ["/a", "/b"],
    ),
    ("2.2", "a line may end in LF", ALL + "Disallow: /a\nDisallow: /b\n", ["/c"], ["/a", "/b"]),
    (
        "2.2",
        "a line may end in CRLF",
        "User-agent: *\r\nDisallow: /a\r\nDisallow: /b\r\n",
        ["/c"],
        ["/a", "/b"],
    ),
    ("2.2", "a path may hold UTF-8", ALL + "Disallow: /citt\u00e0\n", ["/citta"], ["/citt%C3%A0"]),
    ("2.2.1", "product tokens match in any case", "user-agent: WebGraph_IT\nDisallow: /a\n", ["/b"], ["/a"]),
    (
        "2.2.1",
        "the group that matches is obeyed, the others not",
        ALL + "Disallow: /\n" + US + "Disallow: /a\n",
        ["/b"],
        ["/a"],
    ),
    (
        "2.2.1",
        "another product's group is not ours, though its name begins or ends like ours",
        "User-agent: webgraph\nDisallow: /\n\nUser-agent: my_webgraph_it\nDisallow: /\n",
        ["/a"],
        [],
    ),
    (
        "2.2.1",
        "several matching groups are combined into one",
        US + "Disallow: /foo\nDisallow: /bar\n\nUser-agent: x\nDisallow: /x\n\n" + US + "Disallow: /baz\n",
        ["/x"],
        ["/foo", "/bar", "/baz"],
    ),
    (
        "2.2.1",
        "without a matching group, that of * is obeyed",
        ALL + "Disallow: /foo\nDisallow: /bar\n\nUser-agent: BazBot\nDisallow: /baz\n",
        ["/baz"],
        ["/foo", "/bar"],
    ),
    (
        "2.2.1",
        "several groups of * are one",
        ALL + "Disallow: /a\n" + ALL + "Disallow: /b\n",
        ["/c"],
        ["/a", "/b"],
    ),
    ("2.2.1", "with neither, no rules apply", "User-agent: BazBot\nDisallow: /\n", ["/a"], []),
    ("2.2.1", "with no groups at all, no rules apply", "", ["/a"], []),
    (
        "2.2.2",
        "paths in allow and disallow match the URI",
        ALL + "Allow: /a/b\nDisallow: /a\n",
        ["/a/b"],
        ["/a/c"],
    ),
    ("2.2.2", "matching is case sensitive", ALL + "Disallow: /A\n", ["/a"], ["/A"]),
    (
        "2.2.2",
        "matching starts with the first octet of the path",
        ALL + "Disallow: /a\n",
        ["/b/a", "/?/a"],
        ["/a"],
    ),
    (
        "2.2.2",
        "the match with the most octets is used, in whatever order",
        ALL + "Disallow: /a/b/c\nAllow: /a/b\nDisallow: /a\n",
        ["/a/b", "/a/b/d"],
        ["/a", "/a/b/c", "/a/b/cd"],
    ),
    ("2.2.2", "duplicates change nothing", ALL + "Disallow: /a\n" * 50, ["/b"], ["/a"]),
    ("2.2.2", "of equivalent rules allow is used", ALL + "Disallow: /a\nAllow: /a\n", ["/a"], []),
    ("2.2.2", "without a match the URI is allowed", ALL + "Disallow: /a\nAllow: /b\n", ["/c"], []),
    (
        "2.2.2",
        "without rules in the group the URI is allowed",
        ALL + "Disallow: /\n" + US + "Allow:\n",
        ["/c"],
        [],
    ),
    (
        "2.2.2",
        "/robots.txt is implicitly allowed",
        ALL + "Disallow: /\n",
        ["/robots.txt"],
        ["/a", "/robots.txt2"],
    ),
    ("2.2.2", "table, row 1", ALL + "Disallow: /foo/bar?baz=quz\n", ["/foo/bar"], ["/foo/bar?baz=quz"]),
    (
        "2.2.2",
        "table, row 2: reserved octets are percent-encoded before comparison",
        ALL + "Disallow: /foo/bar?baz=https://foo.bar\n",
        ["/foo/bar?baz=http"],
        ["/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"],
    ),
    (
        "2.2.2",
        "table, row 2, the other way round",
        ALL + "Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar\n",
        ["/foo/bar?baz=http"],
        ["/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"],
    ),
    (
        "2.2.2",
        "table, row 3: octets outside ASCII are percent-encoded before comparison",
        ALL + "Disallow: /foo/bar/\u30c4\n",
        ["/foo/bar/"],
        ["/foo/bar/%E3%83%84"],
    ),
    (
        "2.2.2",
        "table, row 4: escapes match escapes",
        ALL + "Disallow: /foo/bar/%E3%83%84\n",
        ["/foo/bar/"],
        ["/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"],
    ),
    (
        "2.2.2",
        "table, row 5: an escaped unreserved octet is decoded",
        ALL + "Disallow: /foo/bar/%62%61%7A\n",
        ["/foo/bar/b"],
        ["/foo/bar/baz", "/foo/bar/%62%61%7A"],
    ),
    ("2.2.2", "a reserved octet stays escaped", ALL + "Disallow: /a%2Fb\n", ["/a/b"], ["/a%2Fb", "/a%2fb"]),
    (
        "2.2.2",
        "a match is positive when the rule's path ends before a difference",
        ALL + "Disallow: /fish\n",
        ["/fis", "/catfish", "/?id=fish"],
        ["/fish", "/fish.html", "/fish/salmon", "/fishheads", "/fish.php?id=x"],
    ),
    (
        "2.2.2",
        "rules outside any group are ignored",
        "Disallow: /\nAllow: /a\n" + ALL + "Disallow: /b\n",
        ["/c"],
        ["/b"],
    ),
    (
        "2.2.3",
        "# designates a line comment",
        "# one\n" + ALL + "#Disallow: /a\nDisallow: /b#c\n",
        ["/a"],
        ["/b", "/bc"],
    ),
    ("2.2.3", "$ designates the end of the pattern", ALL + "Disallow: /a$\n", ["/a/", "/ab", "/a?b"], ["/a"]),
    (
        "2.2.3",
        "* designates any characters, none too",
        ALL + "Disallow: /this/*/exactly\n",
        ["/this/exactly", "/that/x/exactly"],
        ["/this/x/exactly", "/this/x/y/exactly", "/this//exactly", "/this/x/exactly/so?z"],
    ),
    (
        "2.2.3",
        "* and $ together",
        ALL + "Disallow: /*.pdf$\n",
        ["/a.pdf?x", "/a.pdfs"],
        ["/a.pdf", "/b/c.pdf"],
    ),
    (
        "2.2.3",
        "%2A is a verbatim *",
        ALL + "Disallow: /path/file-with-a-%2A.html\n",
        [],
        ["/path/file-with-a-*.html"],
    ),
    (
        "2.2.3",
        "%2A is no wildcard",
        ALL + "Disallow: /path/file-with-a-%2A.html\n",
        ["/path/file-with-a-x.html"],
        [],
    ),
    (
        "2.2.3",
        "%24 is a verbatim $",
        ALL + "Disallow: /path/foo-%24\n",
        ["/path/foo-"],
        ["/path/foo-$", "/path/foo-$x"],
    ),
    (
        "2.2.4",
        "misspelt records may be accepted",
        "Useragent: *\nDissalow: /a\nDisallow /b\n",
        ["/c"],
        ["/a", "/b"],
    ),
    (
        "2.2.4",
        "other records do not interfere: a sitemap does not end a group",
        "User-agent: webgraph_it\nSitemap: http://sito.it/s.xml\nUser-agent: x\nDisallow: /a\n",
        ["/b"],
        ["/a"],
    ),
    (
        "2.2.4",
        "nor does a sitemap between rules",
        US + "Disallow: /a\nSitemaps: http://sito.it/s.xml\nDisallow: /b\n",
        ["/c"],
        ["/a", "/b"],
    ),
    (
        "2.2.4",
        "nor does an unknown record (protego alone would end it)",
        "User-agent: webgraph_it\nNoindex: /n\nUser-agent: x\nDisallow: /a\n",
        ["/n"],
        ["/a"],
    ),
    (
        "2.2.4",
        "nor does Crawl-delay, which is no rule",
        "User-agent: webgraph_it\nCrawl-delay: 3\nUser-agent: x\nDisallow: /a\n",
        ["/b"],
        ["/a"],
    ),
    (
        "2.2.1",
        "only the product token of a user-agent line matters (protego alone would take both words)",
        "User-agent: webgraph_it crawler\nDisallow: /a\n\nUser-agent: webgraph_it/0.1\nDisallow: /b\n",
        ["/c"],
        ["/a", "/b"],
    ),
    (
        "2.3",
        "the file is UTF-8; a byte order mark is no part of it",
        "\ufeff" + ALL + "Disallow: /a\n",
        ["/b"],
        ["/a"],
    ),
    (
        "2.3.1.5",
        "each line is tried, the parseable ones are used",
        ALL + "<p>\nDisallow: /a\n\x00\x01\n",
        ["/b"],
        ["/a"],
    ),
    ("5.1", "the example: *", None, ["/publications/x", "/a"], ["/a.gif", "/example/x"]),
    (
        "5.2",
        "the longest match decides",
        US + "Allow: /example/page/\nDisallow: /example/page/disallowed.gif\n",
        ["/example/page/", "/example/page/x"],
        ["/example/page/disallowed.gif"],
    ),
]

EXAMPLE = """\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("section", "sentence", "text", "allowed", "forbidden"),
    SENTENCES,
    ids=[f"{s[0]} {s[1]}" for s in SENTENCES],
)
def test_rules(
    section: str, sentence: str, text: str | None, allowed: list[str], forbidden: list[str]
) -> None:
    text = EXAMPLE if text is None else text
    assert [path for path in allowed if not may(text, path)] == []
    assert [path for path in forbidden if may(text, path)] == []


@pytest.mark.parametrize(
    ("token", "allowed", "forbidden"),
    [
        ("foobot", ["/example/page.html", "/example/allowed.gif"], ["/", "/publications/"]),
        ("barbot", ["/", "/a.gif"], ["/example/page.html"]),
        ("bazbot", ["/", "/a.gif"], ["/example/page.html"]),
        ("quxbot", ["/", "/a.gif", "/example/page.html"], []),
    ],
)
def test_section_5_1_example_for_each_crawler(token: str, allowed: list[str], forbidden: list[str]) -> None:
    policy = robots_policy(token)
    record = policy.judge(200, EXAMPLE.encode(), None, 0, NOW)
    assert all(policy.allowed(record, "http://sito.it" + path) for path in allowed)
    assert not any(policy.allowed(record, "http://sito.it" + path) for path in forbidden)


def test_section_2_2_1_product_token_has_only_letters_underscores_and_hyphens() -> None:
    assert PRODUCT_TOKEN.replace("_", "").replace("-", "").isalpha()
    assert PRODUCT_TOKEN.isascii()


def test_section_2_2_1_product_token_is_part_of_the_user_agent_header() -> None:
    assert PRODUCT_TOKEN in settings.USER_AGENT


def test_section_2_2_2_encoding_mismatch_is_bridged_octet_by_octet() -> None:
    latin_1 = (ALL + "Disallow: /caff\u00e8\n").encode("latin-1")
    assert not may(latin_1, "/caff%E8")
    assert may(latin_1, "/caff")
    utf_16 = (ALL + "Disallow: /a\n").encode("utf-16")
    assert not may(utf_16, "/a")
    assert may(utf_16, "/b")


def test_section_2_2_4_sitemaps_are_read_wherever_they_stand() -> None:
    text = "Sitemap: http://sito.it/1.xml\n" + US + "Disallow: /a\nSitemap: http://sito.it/2.xml\n"
    assert robots_policy().sitemaps(record_of(text)) == ("http://sito.it/1.xml", "http://sito.it/2.xml")


@pytest.mark.parametrize(
    ("url", "robots"),
    [
        ("https://www.example.com/a/b?c=/d", "https://www.example.com/robots.txt"),
        ("http://sito.it/", "http://sito.it/robots.txt"),
        ("http://sito.it:8080/a", "http://sito.it:8080/robots.txt"),
    ],
)
def test_section_2_3_robots_txt_is_in_the_top_level_path_of_scheme_and_authority(
    url: str, robots: str
) -> None:
    assert origin(url) + "/robots.txt" == robots


def test_section_2_3_media_type_is_not_asked_for() -> None:
    """The file MUST be text/plain; `judge` is not even told, because 3.8 % of servers say otherwise."""
    assert record_of(ALL + "Disallow: /a\n").verdict is Verdict.RULES


def test_section_2_3_1_1_rules_of_a_successful_access_are_followed() -> None:
    assert not may(ALL + "Disallow: /a\n", "/a")


def test_section_2_3_1_2_five_redirects_are_followed_across_authorities() -> None:
    url = "http://uno.it/robots.txt"
    for redirects in range(5):
        target = redirect_target(301, url, f"https://altro{redirects}.it/robots.txt", redirects)
        assert target == f"https://altro{redirects}.it/robots.txt"
        url = target
    assert redirect_target(302, url, "/again.txt", 5) is None


def test_section_2_3_1_2_rules_reached_within_five_redirects_hold_for_the_first_authority() -> None:
    policy = robots_policy()
    record = policy.judge(200, b"User-agent: *\nDisallow: /a\n", None, 5, NOW)
    assert not policy.allowed(record, "http://first.it/a")


@pytest.mark.parametrize(("status", "redirects"), [(301, 5), (302, 5), (200, 6), (308, 0)])
def test_section_2_3_1_2_more_than_five_redirects_are_an_unavailable_file(
    status: int, redirects: int
) -> None:
    record = robots_policy().judge(status, b"User-agent: *\nDisallow: /\n", None, redirects, NOW)
    assert (record.verdict, record.reason) == (Verdict.ALLOW_ALL, "redirects")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 499])
def test_section_2_3_1_3_unavailable_allows_everything(status: int) -> None:
    policy = robots_policy()
    record = policy.judge(status, b"User-agent: *\nDisallow: /\n", None, 0, NOW)
    assert policy.allowed(record, "http://sito.it/a")
    assert record.reason == f"status-{status}"


@pytest.mark.parametrize(
    ("status", "error"), [(500, None), (503, None), (599, None), (429, None), (0, "timeout")]
)
def test_section_2_3_1_4_unreachable_is_complete_disallow(status: int, error: str | None) -> None:
    policy = robots_policy()
    record = policy.judge(status, b"User-agent: *\nAllow: /\n", error, 0, NOW)
    assert not policy.allowed(record, "http://sito.it/")
    assert policy.allowed(record, "http://sito.it/robots.txt")


def test_section_2_3_1_4_unreachable_is_tried_again_and_stays_disallowed_even_after_30_days() -> None:
    """The RFC MAY assume unavailable then; we do not: a host that answers nothing loses nothing."""
    policy = robots_policy(retry_seconds=60)
    record = policy.judge(503, b"", None, 0, NOW)
    assert record.expires_at == NOW + 60
    waits = []
    while record.expires_at < NOW + 40 * DAY:
        before = record.expires_at
        record = policy.judge(503, b"", None, 0, before, previous=record)
        waits.append(record.expires_at - before)
        assert not policy.allowed(record, "http://sito.it/")
    assert waits == sorted(waits)
    assert waits[:3] == [120, 240, 480]
    assert waits[-1] == DAY


def test_section_2_3_1_5_html_instead_of_rules_has_no_parseable_line_and_allows() -> None:
    record = record_of("<!DOCTYPE html><html><head><title>404: not found</title></head><body>…</body></html>")
    assert (record.verdict, record.reason, record.raw) == (Verdict.ALLOW_ALL, "no-rules", b"")


def test_section_2_4_a_cached_version_is_used_for_24_hours_at_most() -> None:
    for record in (
        record_of(ALL + "Disallow: /a\n"),
        record_of(""),
        robots_policy().judge(404, b"", None, 0, NOW),
    ):
        assert record.expires_at - record.fetched_at == MAX_AGE_SECONDS == DAY
    assert robots_policy(max_age_seconds=9e9).judge(404, b"", None, 0, NOW).expires_at == NOW + DAY


def test_section_2_5_the_first_500_kib_are_parsed() -> None:
    filler = b"#" * 1023 + b"\n"
    text = ALL.encode() + filler * 499 + b"Disallow: /a\n"
    assert len(text) < 500 * 1024
    assert not may(text, "/a")


def test_section_2_5_what_follows_500_kib_is_not_parsed_and_half_a_line_is_no_rule() -> None:
    start = (ALL + "Disallow: /a\n").encode()
    rule = b"\nDisallow: /b/c\n"
    text = start + b"#" * (500 * 1024 - len(start) - len(rule) + 3) + rule + b"Disallow: /c\n"
    record = record_of(text)
    assert len(record.raw) <= 500 * 1024
    assert not may(text, "/a")
    assert may(text, "/b")
    assert may(text, "/c")


def test_section_3_memory_is_limited_by_the_parsing_limit() -> None:
    assert len(record_of(ALL.encode() + b"Disallow: /a\n" * 200_000).raw) <= 500 * 1024


def test_section_3_invalid_characters_match_nothing_that_they_do_not_spell() -> None:
    text = ALL.encode() + b"Disallow: /a\x00b\nDisallow: /c\x0bd\nDisallow: /e\xe2\x80\xa8f\n"
    assert all(may(text, path) for path in ("/a", "/b", "/c", "/d", "/e", "/f"))
    assert not may(text, "/a%00b")


def test_section_3_content_is_untrusted_and_a_weapon_is_answered_by_staying_away() -> None:
    weapon = ALL.encode() + b"".join(b"Disallow: /" + b"*a" * 100 + b"%d\n" % i for i in range(2000))
    record = record_of(weapon)
    assert (record.verdict, record.reason, record.raw) == (Verdict.DISALLOW_ALL, "too-many-rules", b"")
