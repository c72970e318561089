"""Keys of an index are those that other people's tools look up."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.urls import Name, name
from webgraph_it.warc.index_key import index_key

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns of itself
    from surt import surt

SESSION = "0123456789abcdef0123456789ABCDEF"
PATHS = [
    *("", "/", "/B/C/", "/x//y", "/Path?B=2&a=1&a=0&", "/?", "/%41%2f%C3%A0%20b", "/x?q=%41%26b+c%20d", "/%2541"),
    *("/a/?x", "//", "//a", "/x?&&a", "/x?b&a", "/x%23y", "/x?y=%23", "/a;b=1/c", "/%7Euser", "/x|y", "/%zz", "/%"),
    *("/x?a=1;b=2", "/x?a=b%3Dc", "/x?a-b=1&a=1&a=0&a", "/x?&", "/x?=", "/x%3Fy?z", "/a%2F..%2Fb", "/x?a//b/../c"),
    *("/%00", "/x?a=%2525", "/?a/", "/x/?", "/x?a==b", "/%E8", "/x?cfid=ab&cftoken=4", "/x?cfid=1&z&cftoken=4"),
    *(f"/x;jsessionid={SESSION}?q=1", f"/x?a=1&jsessionid={SESSION}", f"/x?PHPSESSID={SESSION}&b"),
    *(f"/x?bsid={SESSION}&c", "/(4hqa0555fwsecu455xqckv45)/m.html"),
    *(f"/x?sid={SESSION}&sid={SESSION}", "/x?ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&y", "/(S(abc))/x.aspx"),
    *("/a/(s(lit3py55t21z5v55vlm25s55))/c/d.aspx", "/(4hqa0555fwsecu455xqckv45)/m.aspx"),
]  # fmt: skip
HOSTS = [
    "www.A.it",
    "www2.a.it:80",
    "a.it:8080",
    "wwwx.it",
    "www.www.it",
    "1.2.3.4:8080",
    "xn--citt-0na.it",
    "a.it.",
]


def expected(url: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return surt(url)


@pytest.mark.parametrize("path", PATHS)
def test_paths_and_queries(path: str) -> None:
    named = name(f"http://a.it{path}")
    assert isinstance(named, Name)
    assert index_key(named.url) == expected(named.url)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_hosts_and_ports(scheme: str, host: str) -> None:
    named = name(f"{scheme}://{host}/")
    assert isinstance(named, Name)
    assert index_key(named.url) == expected(named.url)


@given(st.text("aB%2f3F0/.?&=+;-_~(),'à #", max_size=30))
def test_any_path(text: str) -> None:
    named = name(f"http://www.a.it/{text}")
    if isinstance(named, Name):
        assert index_key(named.url) == expected(named.url)
