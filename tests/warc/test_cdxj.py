"""The index beside a file is the one that cdxj-indexer makes."""

from pathlib import Path

import pytest

from tests.warc.exchanges import HEAD, exchange
from tests.warc.witnesses import indexed_by_cdxj_indexer
from webgraph_it.items import Exchange
from webgraph_it.shards.formats import Part, ShardError
from webgraph_it.warc.capture import Capture, Finding
from webgraph_it.warc.cdxj import index_of, line, mime_of, timestamp, write
from webgraph_it.warc.reading import index_lines, members
from webgraph_it.warc.stream import Finished, WarcStream

EXCHANGES = [
    exchange("http://www.b.it/Uffici/?B=2&a=1"),
    exchange("https://a.it/%C3%A0?q=%22", b"other"),
    exchange("http://c.it/", b"<a href=x>"),
    exchange("http://c.it/gone", b"", head=b"HTTP/1.1 404\r\n\r\n"),
    exchange("http://c.it/lf", b"x\n\ny", head=b"HTTP/1.1 200 OK\nContent-Type: text/plain ; charset=x\n\n"),
    exchange("http://c.it/same", b"", head=HEAD.replace(b"200 OK", b"304 Not Modified")),
    exchange(
        "http://c.it/chunks",
        b"4\r\nciao\r\n0\r\n\r\n",
        entity=b"ciao",
        head=HEAD[:-2] + b"Transfer-Encoding: chunked\r\n\r\n",
    ),
]


def written(folder: Path, exchanges: list[Exchange]) -> tuple[Path, Finished]:
    stream = WarcStream([("software", "x")])
    stream.begin_file("000001.warc.gz")
    file = folder / "000001.warc.gz"
    file.write_bytes(stream.members([Capture(each, Finding(0, "", 0.0, ())) for each in exchanges]))
    stream.begin_file("000002.warc.gz")
    (finished,) = stream.take_finished()
    assert stream.take_finished() == []
    return file, finished


def test_the_index_is_that_of_cdxj_indexer(tmp_path: Path) -> None:
    file, finished = written(tmp_path, EXCHANGES)
    assert (finished.name, finished.length) == (file.name, file.stat().st_size)
    write(file, finished.lines)
    assert index_of(file).read_text() == indexed_by_cdxj_indexer(file)
    assert index_of(file).name == "000001.cdxj"


def test_a_file_without_an_index_gets_the_same_one_from_its_records(tmp_path: Path) -> None:
    file, finished = written(tmp_path, EXCHANGES)
    assert list(index_lines(Part(file, finished.length))) == finished.lines


def test_a_line_byte_by_byte() -> None:
    date = "2026-11-18T11:06:40.125Z"
    assert line("http://a.it/B", date, HEAD, "sha1:X", (7, 9), "000001.warc.gz", revisit=False) == (
        'it,a)/b 20261118110640 {"url": "http://a.it/B", "mime": "text/html", "status": "200", "digest": "sha1:X", '
        '"length": "9", "offset": "7", "filename": "000001.warc.gz"}\n'
    )  # fmt: skip


def test_a_timestamp_has_fourteen_digits() -> None:
    assert timestamp("2026-11-18T11:06:40.125Z") == "20261118110640"


@pytest.mark.parametrize(
    ("header", "mime"), [(b"Content-Type: a/b; c", "a/b"), (b"content-type:a/b", "a/b"), (b"X: y", "")]
)
def test_the_mime_is_the_declared_type(header: bytes, mime: str) -> None:
    assert mime_of(b"HTTP/1.1 200 OK\r\n" + header + b"\r\n\r\n") == mime


def test_only_the_committed_part_of_a_file_is_read(tmp_path: Path) -> None:
    file, finished = written(tmp_path, EXCHANGES)
    length = finished.length
    with file.open("ab") as more:
        more.write(b"torn")
    assert len(list(members(Part(file, length)))) == 1 + 3 * len(EXCHANGES)


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_file_is_one_sentence(damage: str, tmp_path: Path) -> None:
    file, finished = written(tmp_path, EXCHANGES)
    content = bytearray(file.read_bytes())
    if damage == "changed":
        content[100:110] = bytes(10)
    file.write_bytes(content)
    with pytest.raises(ShardError, match="ends within a record" if damage == "cut" else "damaged at byte"):
        list(members(Part(file, finished.length - (damage == "cut"))))
