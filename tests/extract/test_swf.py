"""getURL in its forms."""

import struct

from webgraph_it.extract.swf import links

STAGE = b"\0" + bytes(4)


def urls(*tags: tuple[int, bytes]) -> list[str]:
    body = STAGE + b"".join(
        struct.pack("<HI", code << 6 | 63, len(content)) + content for code, content in tags
    )
    found = links(b"FWS\x08" + struct.pack("<I", 8 + len(body)) + body, "http://a.it/", None, frozenset())
    return [reference for reference, _, _ in found.links]


def action(code: int, content: bytes) -> bytes:
    return struct.pack("<BH", code, len(content)) + content


GET_URL = action(0x83, b"http://b.it/\0_self\0")


def test_get_url_in_actions() -> None:
    assert urls((12, b"\x06\x07" + GET_URL + b"\0")) == ["http://b.it/"]
    assert urls((59, b"\1\0" + GET_URL)) == ["http://b.it/"]


def test_nothing_after_the_end_mark_counts() -> None:
    assert urls((12, b"\0" + GET_URL)) == []
    assert urls((0, b""), (12, GET_URL)) == []


def test_get_url2_takes_the_constant_that_was_pushed() -> None:
    pushed = action(0x96, b"\0http://c.it/\0\0_blank\0")
    assert urls((12, pushed + action(0x9A, b"\0"))) == ["http://c.it/"]
    pool = action(0x88, struct.pack("<H", 2) + b"http://d.it/\0_top\0")
    assert urls((12, pool + action(0x96, b"\x08\0\x08\1") + action(0x9A, b"\0"))) == ["http://d.it/"]
    assert urls((12, action(0x96, b"\x07\1\0\0\0\x02") + action(0x9A, b"\0"))) == []


def test_get_url_in_buttons() -> None:
    assert urls((34, b"\1\0\0\0\0junk" + GET_URL + b"\0")) == ["http://b.it/"]
    assert urls((34, b"\x83\xff\xffhttp://b.it/")) == []


def test_get_url_in_sprites() -> None:
    sprite = struct.pack("<HI", 12 << 6 | 63, len(GET_URL)) + GET_URL + b"\0\0"
    assert urls((39, b"\1\0\1\0" + sprite), (12, action(0x83, b"x\0\0"))) == ["http://b.it/", "x"]


def test_commands_of_the_player_are_no_links() -> None:
    assert urls((12, action(0x83, b"FSCommand:quit\0\0"))) == []
