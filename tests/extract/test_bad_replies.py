"""A worker that a document has taken over: whatever it says, the page is kept with a reason, and it is replaced."""

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.defaults import link_policy, worker_pool
from webgraph_it.extract import Document, Extraction, frames, process
from webgraph_it.extract.anchors import MAX_TEXTS
from webgraph_it.extract.records import KINDS, MAX_LINK_BYTES, MAX_LINKS
from webgraph_it.urls import digest

FAKE = """
import json, socket, struct, sys
options, answer = json.loads(sys.argv[2]), open(sys.argv[1], "rb").read()
channel = socket.socket(fileno=options["socket"])
channel.sendall(struct.pack("<III", 2, 0, 0) + b"[]")
requests = channel.makefile("rb")
while header := requests.read(8):
    requests.read(sum(struct.unpack("<II", header)))
    channel.sendall(answer)
"""
DOCUMENT = Document(b"<p>ciao", "http://a.it/", "text/html")
LINKING = DOCUMENT._replace(body=b"<a href=/b>")
META: list[object] = [{}, False, "", "text/html"]


def frame(
    meta: object = META,
    urls: tuple[str, ...] = (),
    kinds: bytes | None = None,
    digest: str = "",
    count: int = -1,
) -> bytes:
    """A reply as its parts say, sound or not."""
    encoded = meta if isinstance(meta, bytes) else json.dumps(meta).encode()
    names = "\n".join((digest, *urls)).encode()
    kinds = bytes(len(urls)) if kinds is None else kinds
    return (
        frames.REPLY.pack(len(encoded), len(names), len(urls) if count < 0 else count)
        + encoded
        + kinds
        + names
    )


def url(text: str) -> Callable[[], bytes]:
    return lambda: frame(urls=("http://b.it/", text))


def meta(*values: object) -> Callable[[], bytes]:
    return lambda: frame([*values, *META[len(values) :]])


def anchors(texts: object, nofollow: object) -> Callable[[], bytes]:
    line = f"anchors {json.dumps([texts, nofollow])}"
    return lambda: frame(urls=("http://b.it/", line), kinds=b"\0", count=1)


BAD: dict[str, Callable[[], bytes]] = {
    "no JSON": lambda: frame(b"{"),
    "deep JSON": lambda: frame(b"[" * 4000),
    "a list too short": lambda: frame([{}]),
    "an object": lambda: frame({}),
    "refused is a list": meta([]),
    "refused is text": meta("javascript"),
    "an unknown refusal": meta({"\x1b[2J": 1}),
    "a refusal that is text": meta({"rel": "1"}),
    "a refusal that is true": meta({"rel": True}),
    "a negative refusal": meta({"rel": -1}),
    "a huge refusal": meta({"rel": 10**30}),
    "nofollow is a number": meta({}, 1),
    "reason is a list": meta({}, False, []),
    "an unknown reason": meta({}, False, "\x1b[2J"),
    "the media type is a number": meta({}, False, "", 1),
    "an unknown media type": meta({}, False, "", "text/\x1b[2J"),
    "an unknown kind": lambda: frame(urls=("http://b.it/",), kinds=bytes((len(KINDS),))),
    "fewer URLs than links": lambda: frame(urls=("http://b.it/",), kinds=b"\0\0", count=2),
    "more URLs than links": lambda: frame(urls=("http://b.it/", "http://c.it/"), kinds=b"\0", count=1),
    "a malformed content digest": lambda: frame(digest="x" * 32),
    "a content digest too long": lambda: frame(digest="0" * 33),
    "a line feed in a URL": url("http://b.it/\nhttp://c.it/"),
    "a tab in a URL": url("http://b.it/\tc"),
    "a carriage return in a URL": url("http://b.it/\r"),
    "a zero in a URL": url("http://b.it/\0"),
    "a blank in a URL": url("http://b.it/ c"),
    "an escape sequence in a URL": url("http://b.it/\x1b[2J"),
    "a URL that is not ASCII": url("http://b.it/città"),
    "a fragment": url("http://b.it/#c"),
    "a user": url("http://b.it@evil.example/"),
    "no scheme": url("//b.it/"),
    "another scheme": url("file:///etc/passwd"),
    "no path": url("http://b.it"),
    "a query for a path": url("http://b.it?c/"),
    "no host": url("http:///c"),
    "a host in upper case": url("http://B.it/"),
    "a host with an empty label": url("http://b..it/"),
    "a host that passes for a key": url("http://it,a)/"),
    "a host too long": url(f"http://{'b' * 64}.it/"),
    "an invalid port": url("http://b.it:x/"),
    "an empty URL": url(""),
    "a URL twice": url("http://b.it/"),
    "a target in two spellings": url("https://www.b.it/"),
    "too many links": lambda: frames.REPLY.pack(2, 1, MAX_LINKS + 1) + b"[]\n",
    "URLs too long": lambda: frames.REPLY.pack(2, MAX_LINK_BYTES * 2, 0) + b"[]",
    "meta too long": lambda: frames.REPLY.pack(1 << 30, 1, 0),
    "anchors of another link": anchors([[1, "x"]], []),
    "a negative anchor": anchors([], [-1]),
    "an anchor that is true": anchors([], [True]),
    "a text that is not clean": anchors([[0, "a\tb"]], []),
    "a text with an escape sequence": anchors([[0, "\x1b[2J"]], []),
    "a text that is a number": anchors([[0, 1]], []),
    "a text too long": anchors([[0, "x" * 201]], []),
    "a text twice": anchors([[0, "x"], [0, "x"]], []),
    "too many texts": anchors([[0, f"{n:05}"] for n in range(MAX_TEXTS + 1)], []),
    "no anchors": anchors([], []),
    "anchors too few": lambda: frame(urls=("http://b.it/", "anchors []"), kinds=b"\0", count=1),
    "anchors deep": lambda: frame(urls=("http://b.it/", "anchors " + "[" * 4000), kinds=b"\0", count=1),
    "ready again": lambda: frames.ready([]),
}


@pytest.fixture
def first_worker_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Make the first worker a fake that answers every document with these bytes; those after it are real."""

    def says(answer: bytes) -> None:
        file = tmp_path / "answer"
        file.write_bytes(answer)
        real, fakes = process._command, iter([[sys.executable, "-c", FAKE, str(file)]])
        monkeypatch.setattr(process, "_command", lambda module: next(fakes, None) or real(module))

    return says


def extracted(*documents: Document) -> tuple[list[Extraction], int]:
    async def crawl() -> tuple[list[Extraction], int]:
        async with worker_pool(link_policy(), 1) as pool:
            found = await asyncio.gather(*(pool.extract(document) for document in documents))
            return found, pool.replaced

    return asyncio.run(crawl())


def believed(reply: bytes) -> Extraction:
    assert frames.reply_length(bytearray(reply), 0) == len(reply)
    return frames.extraction(reply, DOCUMENT.media_type)


@pytest.mark.parametrize("make", BAD.values(), ids=BAD)
def test_a_bad_reply_is_never_believed(make: Callable[[], bytes]) -> None:
    with pytest.raises(ValueError) as refused:
        believed(make())
    assert str(refused.value).isprintable()


WHOLE_WAY = ("no JSON", "refused is a list", "a tab in a URL", "a user", "too many links", "ready again")


@pytest.mark.parametrize("kind", WHOLE_WAY)
def test_the_page_is_kept_and_the_worker_replaced(
    kind: str, first_worker_says: Callable[[bytes], None], caplog: pytest.LogCaptureFixture
) -> None:
    """The oldest document is blamed; the others that it held go to its successor."""
    first_worker_says(BAD[kind]())
    (first, *others), replaced = extracted(DOCUMENT, LINKING, LINKING)
    assert replaced == 1
    assert first == Extraction(reason="bad-reply", media_type="text/html")
    assert [found.links[0].url for found in others] == ["http://a.it/b"] * 2
    assert "replaced after http://a.it/" in caplog.text
    assert caplog.text.replace("\n", "").isprintable()


def test_an_answer_to_nothing_ends_the_worker(first_worker_says: Callable[[bytes], None]) -> None:
    first_worker_says(frame() * 3)
    found, replaced = extracted(DOCUMENT, DOCUMENT)
    assert [extraction.reason for extraction in found] == ["", ""]
    assert replaced <= 1, "it may have ended with the pool"


def test_a_lie_about_links_is_a_page_with_these_links_and_names_of_their_own(
    first_worker_says: Callable[[bytes], None],
) -> None:
    """Nothing more is left to a worker: the scope judges the key, and the key is that of the URL."""
    told = ("http://a.it/x/../y", "https://evil.example/?sid=1", "http://a.it:8080/;jsessionid=2")
    first_worker_says(frame(urls=told))
    (found,), replaced = extracted(DOCUMENT)
    assert replaced == 0
    assert [link.url for link in found.links] == list(told)
    assert [link.key for link in found.links] == ["it,a)/x/../y", "example,evil)/?sid=1", "it,a):8080/"]
    assert all(link.digest == digest(link.key) for link in found.links)
