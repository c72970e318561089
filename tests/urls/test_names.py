"""The recipe: one table a step, the pinned vectors, and what holds for every string."""

import json
import re
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webgraph_it.urls import names
from webgraph_it.urls.names import (
    RECIPE_VERSION,
    Name,
    Refusal,
    digest,
    key,
    keys_of_normal,
    name,
    name_all,
    normal,
)

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "names.json").read_text())

# -- references as they come --------------------------------------------------------------------------------

WORDS = r"""
    http: https: ftp: mailto: // / \ ? # @ : . .. %2e %2E%2e %2f %c3 %C3 % %zz www. www2. esempio .it it a B é 日 ß
    xn-- xn--citt-3na 1 0x7f 127.1 [::1] ] & && = ; ;jsessionid=1F ;JSESSIONID= (S(x1)) /(S(x))/ PHPSESSID=1 sid=
    0123456789abcdef0123456789abcdef aspsessionidABCDEFGH=1 cfid cftoken=2 + ~ - _ | ^ { } ` " ' < > ! $ * , ( )
    :80 :8080 :443
"""
SPECIALS = [" ", "\t", "\n", "\x00", "\x7f", "\u200b", "\u3002", "\ud800", "🍕"]
PIECES = st.sampled_from([*WORDS.split(), *SPECIALS])
SOUP = st.lists(PIECES, max_size=12).map("".join)
ROOTS = st.sampled_from(
    ["http://www.esempio.it/", "https://esempio.it", "http://a.b.it/x/", "//", "http://", ""]
)
REFERENCES = st.one_of(
    st.text(), SOUP, st.builds(str.__add__, ROOTS, SOUP), st.builds(str.__add__, ROOTS, st.text())
)
BASES = st.one_of(st.none(), REFERENCES, st.just("http://www.esempio.it/a/b/c.html?d=e"))


def url_of(surt: str) -> str:
    """A URL whose key should be this one: the labels put in order again, and a scheme whose port is another."""
    host, _, rest = surt.partition(")")
    scheme = "https" if rest.startswith(":80/") else "http"
    return f"{scheme}://{'.'.join(reversed(host.split(',')))}{rest}"


# -- pinned -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v['category']}: {v['reference'][:30]!a}")
def test_names_are_as_pinned(vector: dict[str, Any]) -> None:
    found = name(vector["reference"], vector["base"])
    if "refused" in vector:
        assert found is Refusal(vector["refused"])
    else:
        assert found == Name(vector["normal"], vector["key"], bytes.fromhex(vector["digest"]))


def test_names_in_one_go_are_as_pinned() -> None:
    for base in {vector["base"] for vector in VECTORS} - {None}:
        references = [vector["reference"] for vector in VECTORS if vector["base"] == base]
        assert name_all(references, base) == [name(reference, base) for reference in references]


def test_there_are_enough_vectors_of_every_category() -> None:
    categories = {vector["category"].partition(":")[0] for vector in VECTORS}
    assert len(VECTORS) >= 300
    assert categories >= {
        *("IDN", "port", "IPv4 in odd spellings", "IPv6", "credentials", "dot segments", "escapes", "query"),
        *("session", "host", "non-ASCII", "control characters and spaces", "long", "lone surrogates"),
    }


def test_the_recipe_is_version_one() -> None:
    assert RECIPE_VERSION == 1


# -- one table a step: input, output, why ---------------------------------------------------------------------


def table(*rows: tuple[str, str, str]) -> Any:
    return pytest.mark.parametrize(
        ("given_", "expected"), [pytest.param(*row[:2], id=row[2]) for row in rows]
    )


@table(
    ("esempio.it.", "esempio.it", "the dot only says that the name is complete"),
    ("esempio.it", "esempio.it", "nothing to drop"),
    ("it.", "it", "a single label too"),
)
def test_drop_trailing_dot(given_: str, expected: str) -> None:
    assert names.drop_trailing_dot(given_) == expected


@table(
    ("www.esempio.it", "esempio.it", "the usual alias"),
    ("www12.esempio.it", "esempio.it", "one of many front ends"),
    ("www.www2.esempio.it", "esempio.it", "twice, as misconfigured sites have it"),
    ("www.it", "www.it", "a domain of that name"),
    ("www.www.it", "www.it", "its alias"),
    ("wwww.esempio.it", "wwww.esempio.it", "another name"),
    ("www-a.esempio.it", "www-a.esempio.it", "another name with a hyphen"),
    ("a.www.it", "a.www.it", "only a leading one"),
)
def test_drop_www(given_: str, expected: str) -> None:
    assert names.drop_www(given_) == expected


@table(
    ("dei.unipd.it", "it,unipd,dei", "hosts of a domain become neighbours"),
    ("it", "it", "one label"),
    ("1.2.3.4", "1.2.3.4", "an address has no domain"),
    ("[2001:db8::1]", "[2001:db8::1]", "nor has this"),
    ("1.2.3.4.it", "it,4,3,2,1", "digits that are no address"),
)
def test_reverse_labels(given_: str, expected: str) -> None:
    assert names.reverse_labels(given_) == expected


@table(
    ("/a;jsessionid=1F", "/a", "as servlet engines write it"),
    ("/a;JSessionID=1F;v=2/b", "/a;v=2/b", "in any case, anywhere, other parameters stay"),
    ("/a;jsessionid=", "/a", "an empty visit"),
    ("/a;jsessionid", "/a;jsessionid", "no visit"),
    ("/..;jsessionid=1/a", "/..;jsessionid=1/a", "or the segment would mean another directory"),
    ("/%2e%2E;jsessionid=1", "/%2e%2E;jsessionid=1", "in every spelling of it"),
    ("/a;v=1", "/a;v=1", "another parameter"),
)
def test_drop_jsessionid(given_: str, expected: str) -> None:
    assert names.drop_jsessionid(given_) == expected


@table(
    ("/(S(4rq5))/a", "/a", "as ASP.NET writes it"),
    ("/x/(S(4rq5))/", "/x/", "under an application"),
    ("/(S(a))/(S(b))/c", "/c", "twice"),
    ("/(S(4rq5))", "/(S(4rq5))", "ASP.NET always adds a slash"),
    ("/(s(4rq5))/a", "/(s(4rq5))/a", "and an upper-case S"),
    ("/x(S(4rq5))/a", "/x(S(4rq5))/a", "a segment of its own"),
)
def test_drop_aspnet_session(given_: str, expected: str) -> None:
    assert names.drop_aspnet_session(given_) == expected


@table(
    ("PHPSESSID=1f&x=1", "x=1", "PHP"),
    ("x=1&jsessionid=2", "x=1", "Java"),
    ("ASPSESSIONIDQQABCDEF=Z", "", "ASP, eight random letters"),
    ("aspsessionid=1&aspsessionidABC=1", "aspsessionid=1&aspsessionidABC=1", "not so many letters"),
    ("CFID=1&CFTOKEN=2&x=3", "x=3", "ColdFusion"),
    ("phpsessid", "", "without a value"),
    ("sid=" + "aB3" * 11, "", "a long sid is a visit"),
    ("sid=" + "a" * 31, "sid=" + "a" * 31, "a short one may be a section"),
    ("sid=" + "a" * 32 + "-", "sid=" + "a" * 32 + "-", "letters and digits only"),
    ("my_phpsessid=1", "my_phpsessid=1", "another name"),
    ("x=PHPSESSID", "x=PHPSESSID", "a value is no name"),
)
def test_drop_session_parameters(given_: str, expected: str) -> None:
    assert names.drop_session_parameters(given_) == expected


@table(
    ("&x=1&&y=2&", "x=1&y=2", "they say nothing"),
    ("&&", "", "nothing but them"),
    ("x=&y", "x=&y", "an empty value is a value"),
    ("b=2&a=1&b=2", "b=2&a=1&b=2", "order and repetition stay"),
)
def test_drop_empty_parameters(given_: str, expected: str) -> None:
    assert names.drop_empty_parameters(given_) == expected


@table(
    ("/%c3%a0", "/%C3%A0", "one octet, two spellings"),
    ("/%2f%41", "/%2F%41", "not decoded: /%2F and // may be two pages"),
    ("/%zz%c", "/%zz%c", "no escapes"),
    ("/%%c3", "/%%C3", "the second per cent sign begins one"),
)
def test_upper_case_escapes(given_: str, expected: str) -> None:
    assert names.upper_case_escapes(given_) == expected


def test_key_keeps_path_case_and_parameter_order() -> None:
    assert key("http://Esempio.IT/Uno/DUE?b=2&A=1") == "it,esempio)/Uno/DUE?b=2&A=1"


# -- digests ------------------------------------------------------------------------------------------------


@given(st.text())
def test_digest_is_md5_without_its_first_bit(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    whole = int.from_bytes(md5(text.encode()).digest(), "big")
    assert int.from_bytes(digest(text), "big") == whole & (1 << 127) - 1
    assert len(digest(text)) == 16


# -- for every string ---------------------------------------------------------------------------------------


@given(REFERENCES, BASES)
@example("http://[::1]:80/\ud800", "\ud800")
def test_nothing_raises_and_the_three_agree(reference: str, base: str | None) -> None:
    url, all_three = normal(reference, base), name(reference, base)
    if isinstance(all_three, Refusal):
        assert url is all_three or (all_three is Refusal.HOST and isinstance(url, str))
    else:
        assert all_three == (url, key(all_three.url), digest(all_three.key))
        assert (all_three.url + all_three.key).isascii()
        assert not re.search(r"[\x00-\x20\x7f#]", all_three.key)


@given(REFERENCES, BASES)
def test_normal_is_idempotent(reference: str, base: str | None) -> None:
    url = normal(reference, base)
    if isinstance(url, str):
        assert normal(url) == url
        assert normal(url, "http://altrove.it/x/") == url


@given(REFERENCES)
@example("http://esempio.it/a/..;jsessionid=1/b;jsessionid=2")
@example("http://esempio.it/;jsessionid=1(S(x))/(S(y))/")
@example("http://esempio.it/?&sid=&PHPSESSID=1&%c3")
@example("http://www.www.it./")
@example("https://esempio.it:80/")
def test_key_is_idempotent(reference: str) -> None:
    surt = key(reference)
    if isinstance(surt, str) and not surt.startswith("["):
        assert key(url_of(surt)) == surt


@given(REFERENCES)
def test_spellings_of_a_node_have_one_key(reference: str) -> None:
    url = normal(reference)
    if isinstance(url, str) and isinstance(surt := key(url), str):
        assert key(url + "#cima") == surt
        assert key(f"  {url}\n") == surt
        scheme, _, rest = url.partition("://")
        assert key(f"{scheme.upper()}://utente:segreto@{rest}") == surt
        if re.match(r"[a-z]", rest) and ":" not in rest.partition("/")[0]:
            assert key(f"https://www3.{rest}") in (surt, Refusal.HOST, key(f"http://www3.{rest}"))
            assert key(f"http://{rest}") == key(f"https://{rest}") == surt


@given(st.lists(REFERENCES, max_size=6), BASES)
@example(
    ["/a?PHPSESSID=1&b", "/a?&b", "/a?b&", "/a?b&&c", "/a?", "/?a=/../b", "/a/.b", "//b.it/c"],
    "http://a.it/x",
)
@example(["http://a.1/", "https://xn--a.it/", "http://A.it/b", "http://a..it/", "/a"], "http://127.1/")
@example(["/a", "http://b.it/c;jsessionid=1", "http://www.b.it/?sid=" + 32 * "a"], "no base")
def test_names_in_one_go_are_those_one_by_one(references: list[str], base: str | None) -> None:
    base = base or "http://www.esempio.it/a/b"
    assert name_all(references, base) == [name(reference, base) for reference in references]


LABELS = st.lists(st.sampled_from(["a", "a-b", "a0", "ab", "b", "a_b", "www"]), min_size=1, max_size=3)
HOSTS = LABELS.map(lambda labels: ".".join([*labels, "it"]))
PAGES = st.tuples(
    HOSTS, st.sampled_from(["", ":81", ":8080"]), st.sampled_from(["/", "/a", "/a/b", "/a-b/", "/?x"])
)


@given(st.lists(PAGES, min_size=3, max_size=30))
def test_sorted_keys_group_hosts_and_domains(pages: list[tuple[str, str, str]]) -> None:
    keys = sorted({str(key(f"http://{host}{port}{path}")).encode() for host, port, path in pages})
    hosts = [surt.partition(b")")[0] for surt in keys]
    assert_contiguous(hosts)
    for depth in (2, 3, 4):
        assert_contiguous([b",".join(host.split(b",")[:depth]) for host in hosts])


def assert_contiguous(groups: list[bytes]) -> None:
    starts = [group for before, group in zip([None, *groups], groups, strict=False) if group != before]
    assert len(starts) == len(set(starts))


@given(
    st.lists(
        st.text(max_size=60) | st.from_regex(r"(https?:)?//[a-z.:@0-9\[\]]{1,12}/[ -~]{0,30}", fullmatch=True)
    )
)
def test_keys_of_normal_forms_are_those_of_names(references: list[str]) -> None:
    found = [
        named
        for named in (name(text, "http://www.a.it/b/c?d") for text in references)
        if isinstance(named, Name)
    ]
    assert keys_of_normal([named.url for named in found]) == [named.key for named in found]
