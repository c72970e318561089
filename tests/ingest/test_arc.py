"""ARC files, gzipped and plain, of both versions."""

import gzip
import io

from webgraph_it.ingest.arc import first_bytes, is_arc, records
from webgraph_it.ingest.records import Damage, Record

REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/b>x</a>"
VERSION = b"filedesc://a.arc 0.0.0.0 20100301120000 text/plain 13\n1 0 Archive\n\n"


def record(url: str, date: str = "20100301120005") -> bytes:
    return f"{url} 127.1.0.1 {date} text/html {len(REPLY)}\n".encode() + REPLY + b"\n"


PARTS = [VERSION + b"\n", *(record(f"http://sito.it/{n}") for n in range(4))]


def read(data: bytes) -> list[str]:
    return [
        f"<{item.reason}>" if isinstance(item, Damage) else item.url
        for item in records(io.BytesIO(data), 1 << 20)
    ]


URLS = [f"http://sito.it/{n}" for n in range(4)]


def test_a_plain_and_a_gzipped_file_give_the_same_records() -> None:
    assert read(b"".join(PARTS)) == URLS
    assert read(b"".join(map(gzip.compress, PARTS))) == URLS


def test_a_record_has_address_time_and_reply() -> None:
    found = next(iter(records(io.BytesIO(b"".join(PARTS)), 1 << 20)))
    assert found == Record("response", URLS[0], 1267444805.0, REPLY, -1, "text/html", "127.1.0.1")


def test_the_second_version_has_more_fields() -> None:
    line = f"http://sito.it/v2 127.1.0.1 20100301120005 text/html 200 - - 4711 a.arc {len(REPLY)}\n".encode()
    assert read(VERSION + b"\n" + line + REPLY + b"\n") == ["http://sito.it/v2"]


def test_reading_continues_at_the_member_after_the_damage() -> None:
    packed = [gzip.compress(part) for part in PARTS]
    packed[2] = packed[2][:40] + b"\xff\xff" + packed[2][42:]
    found = read(b"".join(packed))
    assert found[0] == URLS[0]
    assert "<compression>" in found
    assert found[-2:] == URLS[2:]


def test_a_plain_file_ends_at_the_damage() -> None:
    assert read(b"".join(PARTS)[:-10]) == [*URLS[:3], "<truncated>"]
    assert read(PARTS[0] + PARTS[1] + b"niente\n" + PARTS[2]) == [URLS[0], "<header>"]


def test_an_arc_file_is_known_by_its_first_bytes() -> None:
    for data in (b"".join(PARTS), gzip.compress(b"".join(PARTS))):
        assert is_arc(first_bytes(io.BytesIO(data)))
    assert not is_arc(first_bytes(io.BytesIO(b"WARC/1.0\r\n")))
    assert first_bytes(io.BytesIO(b"\x1f\x8b\x08niente")) == b""
