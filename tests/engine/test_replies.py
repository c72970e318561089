"""What an answer says, kept short."""

from scrapy.http import Response

from webgraph_it.engine.replies import media_type
from webgraph_it.fetch.content_type import declared


def answer(content_type: bytes) -> Response:
    return Response("http://a.it/", headers={"Content-Type": content_type})


def test_the_media_type_is_as_declared() -> None:
    assert media_type(answer(b"Text/HTML; charset=utf-8")) == ("text/html", "utf-8")
    assert media_type(Response("http://a.it/")) == ("", None)


def test_long_types_are_not_remembered() -> None:
    declared.cache_clear()
    for number in range(100):
        assert media_type(answer(b"a/%d" % number + b"x" * 60_000)) == ("invalid", None)
    assert declared.cache_info().currsize == 0
