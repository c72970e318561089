"""Records of every kind of file, and what is left of a damaged one."""

import gzip
import io
import re
from collections.abc import Callable

import pytest

from tests.ingest.archives import Capture, as_zstd, page, warc
from webgraph_it.ingest.records import Damage, Record, record_at, records

CAP = 1 << 20
CAPTURES = [Capture(f"http://sito.it/{n}", page(f"/{n + 1}") * (n + 1)) for n in range(5)]
PLAIN = warc(CAPTURES, packed=False)
PACKED = warc(CAPTURES)
URLS = [capture.url for capture in CAPTURES]


def read(data: bytes) -> list[str]:
    """URLs of records, and names of damages in angle brackets."""
    return [
        f"<{item.reason}>" if isinstance(item, Damage) else item.url
        for item in records(io.BytesIO(data), CAP)
    ]


def members() -> list[bytes]:
    """The gzip members of PACKED."""
    found = [found.position for found in records(io.BytesIO(PACKED), CAP) if isinstance(found, Record)]
    ends = [*found[1:], len(PACKED)]
    return [PACKED[: found[0]], *(PACKED[start:end] for start, end in zip(found, ends, strict=True))]


def with_member(number: int, change: Callable[[bytes], bytes], *, unpacked: bool = False) -> bytes:
    parts = members()
    part = parts[number]
    parts[number] = gzip.compress(change(gzip.decompress(part))) if unpacked else change(part)
    return b"".join(parts)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_every_packing_gives_the_same_records(version: str) -> None:
    plain = warc(CAPTURES, version, packed=False)
    for data in (plain, warc(CAPTURES, version), gzip.compress(plain), as_zstd(plain)):
        assert read(data) == URLS


def test_a_record_says_what_the_file_says() -> None:
    first = next(iter(records(io.BytesIO(PACKED), CAP)))
    assert isinstance(first, Record)
    assert first.kind == "response"
    assert first.time == 1714557600.0
    assert first.address == "127.1.0.1"
    assert first.block.endswith(CAPTURES[0].body)
    assert first.digest.startswith("sha1:")


def test_angle_brackets_of_wget_are_not_part_of_the_url() -> None:
    data = PLAIN.replace(b"WARC-Target-URI: http://sito.it/0", b"WARC-Target-URI: <http://sito.it/0>")
    assert read(data) == URLS


DAMAGES: dict[str, tuple[bytes, list[str]]] = {
    "a wrong bit": (
        with_member(2, lambda part: part[:150] + bytes((part[150] ^ 0xFF,)) + part[151:]),
        [URLS[0], "<compression>", *URLS[2:]],
    ),
    "half a member": (with_member(2, lambda part: part[:100]), [URLS[0], "<compression>", *URLS[2:]]),
    "the length is too long": (
        with_member(2, lambda text: text.replace(b"Content-Length: ", b"Content-Length: 99", 1), unpacked=True),
        [URLS[0], "<truncated>", *URLS[2:]],
    ),
    "the length is too short": (
        with_member(2, lambda text: re.sub(rb"Length: \d+", b"Length: 9", text, count=1), unpacked=True),
        [URLS[0], "<length>", *URLS[2:]],
    ),
    "not a WARC header": (
        with_member(2, lambda text: text.replace(b"WARC/1.1", b"WORK/1.1"), unpacked=True),
        [URLS[0], "<header>", *URLS[2:]],
    ),
    "a plain file whose length is too long": (
        re.sub(rb"(/1\r\n(?:.*\r\n)*?Content-Length: )", rb"\g<1>77", PLAIN, count=1),
        [URLS[0], "<truncated>", *URLS[2:]],
    ),
    "no archive": (b"niente\n" * 100, ["<header>"]),
    "nothing": (b"", []),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_has_a_name_and_costs_one_record(name: str) -> None:
    data, expected = DAMAGES[name]
    assert read(data) == expected


def test_a_file_cut_at_any_byte_loses_its_last_record_only() -> None:
    ends = [len(b"".join(members()[: n + 1])) for n in range(len(members()))]
    for length in range(ends[1], len(PACKED), 37):
        whole = sum(length >= end for end in ends) - 1
        found = read(PACKED[:length])
        assert found[:whole] == URLS[:whole]
        assert len(found) <= whole + 1


def test_a_block_is_cut_at_the_cap() -> None:
    first = next(iter(records(io.BytesIO(PACKED), 50)))
    assert isinstance(first, Record)
    assert len(first.block) == 50
    assert [item.url for item in records(io.BytesIO(PACKED), 50) if isinstance(item, Record)] == URLS


def test_a_record_is_found_by_its_position() -> None:
    found = [item for item in records(io.BytesIO(PACKED), CAP) if isinstance(item, Record)]
    for record in found:
        assert record_at(io.BytesIO(PACKED), record.position, CAP) == record
    assert record_at(io.BytesIO(PACKED), found[1].position + 3, CAP) is None
