"""Other people's readers of WARC files."""

import gc
import io
import warnings
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader
from warcio.checker import Checker


class Record(NamedTuple):
    """One record, as warcio reads it."""

    kind: str
    headers: dict[str, str]
    block: bytes

    @property
    def url(self) -> str:
        return self.headers["WARC-Target-URI"]

    @property
    def date(self) -> str:
        return self.headers["WARC-Date"]


def records(file: Path | bytes) -> list[Record]:
    """All records of a file. warcio raises if a record is not a gzip member of its own."""
    content = file if isinstance(file, bytes) else file.read_bytes()
    return [
        Record(each.rec_type, dict(each.rec_headers.headers), each.raw_stream.read())
        for each in ArchiveIterator(io.BytesIO(content), no_record_parse=True)
    ]


def checked_by_warcio(
    files: Iterable[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """The exit code and the output of `warcio check`. It unpacks bodies on the way, and its brotli fails with
    brotli 1.2, so it leaves these packed: digests cover packed bodies anyway."""
    monkeypatch.setitem(BufferedReader.DECOMPRESSORS, "br", lambda: None)
    options = SimpleNamespace(inputs=[str(file) for file in files], verbose=False)
    code = Checker(options).process_all()
    return code, capsys.readouterr().out


def wrong_for_fastwarc(file: Path) -> list[str]:
    """Responses that have no digest which fastwarc confirms: of the block if they have one, else of the payload."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of its own modules
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    wrong = []
    for block in (True, False):
        with file.open("rb") as stream:
            for each in ArchiveIterator(stream, parse_http=not block, record_types=WarcRecordType.response):
                if ("WARC-Block-Digest" in each.headers) is block:
                    confirmed = each.verify_block_digest() if block else each.verify_payload_digest()
                    wrong += [] if confirmed else [each.record_id]
    return wrong


def indexed_by_cdxj_indexer(file: Path) -> str:
    """What `cdxj-indexer --sort` prints."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of itself
        from cdxj_indexer.main import write_cdx_index

        output = io.StringIO()
        write_cdx_index(output, [str(file)], {"sort": True})
        gc.collect()  # it leaves files open
    return output.getvalue()
