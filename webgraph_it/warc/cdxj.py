"""CDXJ: the index beside a finished file, by which replay tools find a page (pure but for `write`).

One line for each `response` and `revisit`, sorted by bytes:

    key SP timestamp SP {"url": …, "mime": …, "status": …, "digest": …, "length": …, "offset": …, "filename": …} LF

The key is that of index_key.py, the timestamp has 14 digits. `offset` and `length` are those of the gzip member. What
is unknown is left out: `mime` without a Content-Type, `status` and `digest` of a page that was not modified. A revisit
has the mime `warc/revisit`.
"""

import re
from collections.abc import Iterable
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path

from webgraph_it.files.own import write_whole
from webgraph_it.warc.index_key import index_key

REVISIT = "warc/revisit"
SUFFIX = ".cdxj"
_CONTENT_TYPE = re.compile(rb"^content-type[ \t]*:[ \t]*([^\s;]*)", re.IGNORECASE | re.MULTILINE)


def line(
    url: str, date: str, head: bytes, digest: str, member: tuple[int, int], file_name: str, *, revisit: bool
) -> str:
    """`head`: status line and headers; `member`: offset and length. `head` and `digest` are empty if unknown."""
    mime = REVISIT if revisit else mime_of(head)
    said = f'"mime": {quoted(mime)}, ' if mime else ""
    status = f'"status": "{status_of(head)}", ' if head else ""
    hashed = f'"digest": "{digest}", ' if digest else ""
    offset, length = member
    return (
        f'{index_key(url)} {timestamp(date)} {{"url": {quoted(url)}, {said}'
        f'{status}{hashed}"length": "{length}", "offset": "{offset}", '
        f'"filename": {quoted(file_name)}}}\n'
    )


def timestamp(date: str) -> str:
    """`20261118110640` for `2026-11-18T11:06:40.125Z`."""
    return date[:4] + date[5:7] + date[8:10] + date[11:13] + date[14:16] + date[17:19]


def mime_of(head: bytes) -> str:
    """The media type as it was declared, without parameters."""
    found = _CONTENT_TYPE.search(head)
    return found[1].decode("latin-1") if found else ""


def status_of(head: bytes) -> str:
    return head.split(maxsplit=2)[1].decode("latin-1")


def index_of(file: Path) -> Path:
    """`warc/000001.cdxj` for `warc/000001.warc.gz`."""
    return file.with_name(file.name.removesuffix(".warc.gz") + SUFFIX)


def write(file: Path, lines: Iterable[str]) -> None:
    """Write the index of a finished file."""
    write_whole(index_of(file), "".join(sorted(lines)))
