from webgraph_it.fetch.request_message import RequestWriter
from webgraph_it.fetch.target import Target, target_of


def lines(message: bytes) -> list[bytes]:
    head, _, body = message.partition(b"\r\n\r\n")
    assert body == b""
    return head.split(b"\r\n")


def test_a_request_says_who_we_are() -> None:
    writer = RequestWriter("webgraph_it/1 (+https://esempio.it/crawl)", "noi@esempio.it")
    found = lines(writer.write(target_of("http://sito.it:8080/a?b")))
    assert found[:2] == [b"GET /a?b HTTP/1.1", b"Host: sito.it:8080"]
    assert b"User-Agent: webgraph_it/1 (+https://esempio.it/crawl)" in found
    assert b"From: noi@esempio.it" in found
    assert b"Accept-Encoding: gzip, deflate, br, zstd" in found


def test_without_an_address_there_is_no_from() -> None:
    assert b"From:" not in RequestWriter("x").write(target_of("http://sito.it/"))


def test_headers_of_the_request_win_over_ours() -> None:
    headers = {b"Accept-Language": [b"de"], b"X-A": [b"1", b"2"], b"Host": [b"evil.it"]}
    found = lines(RequestWriter("ours").write(target_of("http://sito.it/"), headers=headers))
    assert [line for line in found if line.startswith(b"Accept-Language:")] == [b"Accept-Language: de"]
    assert b"X-A: 1, 2" in found
    assert [line for line in found if line.startswith(b"Host:")] == [b"Host: sito.it"]


def test_nobody_else_says_who_we_are() -> None:
    headers = {b"User-Agent": [b"Mozilla/5.0"], b"From": [b"other@sito.it"]}
    found = lines(
        RequestWriter("ours", "noi@esempio.it").write(target_of("http://sito.it/"), headers=headers)
    )
    assert [line for line in found if line.startswith((b"User-Agent", b"From"))] == [
        b"User-Agent: ours",
        b"From: noi@esempio.it",
    ]


def test_no_line_can_be_smuggled_in() -> None:
    target = Target(False, "sito.it", 80, "sito.it\r\nX: 1", "/a\r\nX-Evil: 1\r\n\r\nGET /b HTTP/1.1")
    headers = {b"X-A": [b"1\r\nX-Evil: 2"], b"X\r\nY": [b"z"]}
    found = lines(RequestWriter("ours").write(target, headers=headers))
    assert not any(line.startswith((b"X-Evil", b"GET /b", b"Y:", b"X: 1")) for line in found)
    assert found[0] == b"GET /aX-Evil:%201GET%20/b%20HTTP/1.1 HTTP/1.1"


def test_a_body_has_its_length() -> None:
    message = RequestWriter("x").write(target_of("http://sito.it/"), "POST", body=b"a=b")
    assert message.startswith(b"POST / HTTP/1.1\r\n")
    assert message.endswith(b"Content-Length: 3\r\n\r\na=b")
