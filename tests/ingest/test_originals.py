"""The payload of a revisit is found, also in a file that was compressed as a whole."""

import gzip
from pathlib import Path

import pytest

from tests.ingest.archives import Capture, ingest, page, warc
from tests.ingest.test_ingest import counts
from webgraph_it.ingest import originals
from webgraph_it.ingest.originals import Originals
from webgraph_it.ingest.reading import origin_of
from webgraph_it.ingest.records import Record, records

PROFILE = {"WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"}


def digest(number: int) -> dict[str, str]:
    return {"WARC-Payload-Digest": f"sha1:{number}"}


def captures() -> list[Capture]:
    pages = [Capture(f"http://uno.it/{n}/", page("a", f"b-{n}"), more=digest(n)) for n in range(20)]
    again = [
        Capture(f"http://due.it/{n}/", kind="revisit", more={**PROFILE, **digest(n)})
        for n in reversed(range(20))
    ]
    return [*pages, *again]


@pytest.mark.parametrize("packing", ["members", "whole", "plain"])
def test_revisits_find_their_originals_however_the_file_is_packed(packing: str, tmp_path: Path) -> None:
    file = tmp_path / "a.warc.gz"
    data = warc(captures(), packed=packing == "members")
    file.write_bytes(gzip.compress(data) if packing == "whole" else data)
    found = ingest(tmp_path / "job", file)
    assert counts(tmp_path / "job") == {"pages": 40}
    assert found.arcs == {
        (f"it,{host})/{n}/", f"it,{host})/{n}/{name}")
        for host in ("uno", "due")
        for n in range(20)
        for name in ("a", f"b-{n}")
    }


def test_what_is_not_there_is_not_found_and_a_damaged_file_is_read_as_far_as_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.warc.gz"
    data = gzip.compress(warc(captures(), packed=False))
    file.write_bytes(data[:-200])
    with file.open("rb") as opened:
        found = [each for each in records(opened, 1 << 20) if isinstance(each, Record)]
    known = Originals(tmp_path, 1 << 20)
    record = known.find(file, found[2].position, origin_of(found[3]))
    assert record is not None
    assert record.url == found[3].url
    assert known.find(file, found[2].position, "0" * 32) is None
    known.close()
    monkeypatch.setattr(originals, "MAX_UNPACKED_BYTES", 100)
    known = Originals(tmp_path, 1 << 20)
    assert known.find(file, found[2].position, origin_of(found[3])) is None
    known.close()
