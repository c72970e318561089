"""Which cookies of a reply go back to the page that set them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fetch.cookies import MAX_COOKIES, MAX_HEADER_BYTES, cookie_header
from webgraph_it.fetch.request_message import RequestWriter
from webgraph_it.fetch.target import target_of

NOW = 1_790_000_000.0
PAGE = "http://www.sito.it/a/pagina.html?x=1"


def sent(*set_cookies: bytes, url: str = PAGE) -> bytes:
    return cookie_header(set_cookies, target_of(url), NOW)


@pytest.mark.parametrize(
    ("header", "cookie"),
    [
        (b"a=1", b"a=1"),
        (b" a = 1 ; Path=/; HttpOnly; SameSite=Lax", b"a=1"),
        (b'a="x y,z"', b'a="x y,z"'),
        (b"a=", b"a="),
        (b"a=b=c", b"a=b=c"),
        (b"a=1; Domain=.sito.it", b"a=1"),
        (b"a=1; domain=WWW.SITO.IT", b"a=1"),
        (b"a=1; Domain=altro.it", b""),
        (b"a=1; Domain=ito.it", b""),
        (b"a=1; Path=/a", b"a=1"),
        (b"a=1; Path=/a/", b"a=1"),
        (b"a=1; Path=/a/pagina.html", b"a=1"),
        (b"a=1; Path=/a/pag", b""),
        (b"a=1; Path=relative", b"a=1"),
        (b"a=1; Secure", b""),
        (b"a=1; Max-Age=60", b"a=1"),
        (b"a=1; Max-Age=0", b""),
        (b"a=1; Max-Age=-1", b""),
        (b"a=1; Max-Age=soon", b"a=1"),
        (b"a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", b""),
        (b"a=1; Expires=Thu, 01-Jan-1970 00:00:00 GMT; Max-Age=60", b"a=1"),
        (b"a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT", b"a=1"),
        (b"a=1; Expires=never", b"a=1"),
        (b"", b""),
        (b"a", b""),
        (b"=1", b""),
        (b"a b=1", b""),
        (b"a=1\r\nHost: altro.it", b""),
        (b"a=1\n", b""),
        (b"a=\x00", b""),
        (b"a=citt\xc3\xa0", b""),
    ],
)
def test_a_cookie_is_sent_if_a_browser_would(header: bytes, cookie: bytes) -> None:
    assert sent(header) == cookie


def test_a_secure_cookie_is_sent_by_https() -> None:
    assert sent(b"a=1; Secure", url="https://www.sito.it/") == b"a=1"


def test_the_last_cookie_of_a_name_counts_and_may_remove_it() -> None:
    assert sent(b"a=1", b"b=2", b"a=3") == b"b=2; a=3"
    assert sent(b"a=1", b"b=2", b"a=; Max-Age=0") == b"b=2"


def test_what_does_not_fit_is_left_out() -> None:
    assert sent(b"a=" + b"x" * MAX_HEADER_BYTES, b"b=2") == b"b=2"
    many = [b"c%d=%d" % (n, n) for n in range(1000)]
    assert len(sent(*many).split(b"; ")) == MAX_COOKIES
    assert len(sent(*(b"c%d=" % n + b"x" * 1000 for n in range(20)))) <= MAX_HEADER_BYTES


@given(st.lists(st.binary(max_size=60), max_size=5))
def test_whatever_a_server_sets_it_is_one_header_of_one_request(headers: list[bytes]) -> None:
    cookie = sent(*headers)
    assert len(cookie) <= MAX_HEADER_BYTES
    assert all(0x20 <= byte <= 0x7E for byte in cookie)
    plain = RequestWriter("test").write(target_of(PAGE))
    message = RequestWriter("test").write(target_of(PAGE), headers={b"Cookie": [cookie]})
    assert message.count(b"\r\n") == plain.count(b"\r\n") + bool(cookie)
