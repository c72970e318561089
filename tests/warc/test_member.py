import gzip
import sys
import zlib
from collections.abc import Callable

import pytest

from webgraph_it.warc.member import _by_zlib, _fastest, member


@pytest.mark.parametrize("press", [member, _by_zlib])
@pytest.mark.parametrize("record", [b"", b"a", bytes(100_000), bytes(range(256)) * 50])
def test_a_member_is_one_gzip_member_that_unpacks_to_the_record(
    press: Callable[[bytes], bytes], record: bytes
) -> None:
    pressed = press(record)
    assert gzip.decompress(pressed) == record
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    unpacking.decompress(pressed + b"next")
    assert unpacking.unused_data == b"next"


def test_isa_l_is_used_if_it_is_there() -> None:
    """It is in the extra `test`."""
    assert _fastest() is not _by_zlib


def test_without_isa_l_zlib_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "isal", None)
    assert _fastest() is _by_zlib


def test_the_same_record_becomes_the_same_bytes() -> None:
    assert member(b"record") == member(b"record")
