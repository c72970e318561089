"""Links of Flash movies: getURL actions, in files plain, zlib- or LZMA-compressed.

A bounded, linear reader of our own, because no maintained library reads SWF. In action tags the actions are read one by
one: GetURL, and GetURL2 with the last address pushed as a constant. The records of buttons and placed objects vary by
version; there, a GetURL is recognised because its two strings fill its length exactly. ActionScript 3 is not read.
"""

import re
from collections.abc import Iterator

from webgraph_it.extract.bounded import Budget, inflated, unpacked_lzma
from webgraph_it.extract.records import Found

_END, _DEFINE_SPRITE = 0, 39
_ACTION_TAGS = {12: 0, 59: 2}  # DoAction; DoInitAction, after a sprite id
_TAGS_WITH_ACTIONS_INSIDE = frozenset((7, 34, 26, 70))  # DefineButton, DefineButton2, PlaceObject2 and 3
_GET_URL, _GET_URL2, _PUSH, _CONSTANT_POOL = 0x83, 0x9A, 0x96, 0x88
_GET_URL_INSIDE = re.compile(rb"\x83(?=(.{2}))", re.DOTALL)
_NEXT_ACTION = re.compile(rb"[\x01-\x7f]*+([\x80-\xff])(..)", re.DOTALL)
_PUSH_BYTES = {1: 4, 2: 0, 3: 0, 4: 1, 5: 1, 6: 8, 7: 4}  # of the types that are not strings
_LONGEST_URL_BYTES = 8192


def links(body: bytes, base: str, charset: str | None, kinds: frozenset[str]) -> Found:
    """The getURL targets of a movie, in order."""
    budget = Budget()
    movie = _movie(body, budget)
    found = [
        (url, "document", "") for url in _urls(movie, budget) if url and not url.startswith("FSCommand:")
    ]
    return Found(found, base, reason=budget.reason)


def _movie(body: bytes, budget: Budget) -> bytes:
    """What follows the fixed eight bytes, uncompressed."""
    if body[:1] == b"C":
        return inflated(body[8:], budget)
    if body[:1] == b"Z":
        length = int.from_bytes(body[4:8], "little")
        return unpacked_lzma(body[12:17], body[17:], length, budget)
    return body[8:]


def _urls(movie: bytes, budget: Budget) -> Iterator[str]:
    for code, content in budget.steps(_tags(movie, _after_stage(movie))):
        if code in _ACTION_TAGS:
            yield from _action_urls(content[_ACTION_TAGS[code] :], budget)
        elif code in _TAGS_WITH_ACTIONS_INSIDE:
            yield from _urls_inside(content)


def _after_stage(movie: bytes) -> int:
    """The first tag comes after a rectangle of bit-packed sides, the frame rate and the frame count."""
    bits = 5 + 4 * (movie[0] >> 3) if movie else 0
    return (bits + 7) // 8 + 4


def _tags(movie: bytes, position: int) -> Iterator[tuple[int, bytes]]:
    """(code, content) of each tag up to the end mark; the tags of sprites are in their place."""
    sprites = 0
    while position + 2 <= len(movie):
        head = int.from_bytes(movie[position : position + 2], "little")
        code, length = head >> 6, head & 0x3F
        position += 2
        if length == 0x3F:
            length = int.from_bytes(movie[position : position + 4], "little")
            position += 4
        if code == _DEFINE_SPRITE:
            position += 4  # its tags follow in place: id, frame count, tags
            length = 0
            sprites += 1
        elif code == _END:
            if not sprites:
                return
            sprites -= 1
        yield code, movie[position : position + length]
        position += length


def _action_urls(actions: bytes, budget: Budget) -> Iterator[str]:
    pool: list[bytes] = []
    pushed: list[bytes] = []
    for code, content in budget.steps(_actions(actions)):
        if code == _GET_URL and b"\0" in content:  # otherwise the movie was truncated
            yield _text(content.partition(b"\0")[0])
        elif code == _CONSTANT_POOL:
            pool = content[2:].split(b"\0")
        elif code == _PUSH:
            pushed = [*pushed[-2:], *_pushed(content, pool)]
        elif code == _GET_URL2:
            yield from (_text(url) for url in pushed[-2:-1])
            pushed = []


def _actions(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(code, content) of each action with content, up to the end mark. Codes below 0x80 have no content."""
    position = 0
    while action := _NEXT_ACTION.match(data, position):
        position = action.end() + int.from_bytes(action[2], "little")
        yield action[1][0], data[action.end() : position]


def _pushed(content: bytes, pool: list[bytes]) -> Iterator[bytes]:
    """The values of a Push action; empty for those that are not strings."""
    position = 0
    while position < len(content):
        kind = content[position]
        position += 1
        if kind == 0:
            text, _, _ = content[position : position + _LONGEST_URL_BYTES].partition(b"\0")
            position += len(text) + 1
            yield text
        elif kind in (8, 9):
            width = kind - 7
            index = int.from_bytes(content[position : position + width], "little")
            position += width
            yield pool[index] if index < len(pool) else b""
        else:
            position += _PUSH_BYTES.get(kind, len(content))
            yield b""


def _urls_inside(content: bytes) -> Iterator[str]:
    for match in _GET_URL_INSIDE.finditer(content):
        length = int.from_bytes(match[1], "little")
        strings = (
            content[match.start() + 3 : match.start() + 3 + length] if length <= _LONGEST_URL_BYTES else b""
        )
        if len(strings) == length and strings[-1:] == b"\0" and strings.count(b"\0") == 2:
            yield _text(strings.partition(b"\0")[0])


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")
