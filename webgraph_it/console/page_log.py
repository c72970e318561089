"""The last lines of the page log, filtered: those in memory first, then the end of the newest file.

A filter is a few words, all of which must fit: `state:error`, `status:404`, `status:5xx`, `reason:dns`, `type:pdf`,
`host:it,unipd`; any other word is looked for in the URL.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from webgraph_it.files.regular import InputError, open_regular
from webgraph_it.shards.formats import PAGES_FOLDER, SUFFIXES, numbered_files

TAIL_BYTES = 4_000_000
MAX_WORDS = 8
MAX_LINES = 500
Words = list[tuple[str, str]]


def words_of(text: str) -> Words:
    """(field, what it must have); the field is `url` for a bare word."""
    found: Words = []
    for word in text.lower().split()[:MAX_WORDS]:
        field, colon, value = word.partition(":")
        found.append((field, value) if colon and field in _FIELDS else ("url", word))
    return found


def fits(page: dict[str, Any], words: Words) -> bool:
    return all(_fits(page, field, value) for field, value in words)


def _fits(page: dict[str, Any], field: str, value: str) -> bool:
    if field == "host":
        return str(page.get("key", "")).startswith((value + ")", value.rstrip(",") + ")"))
    found = str(page.get(field, "")).lower()
    if field == "status":
        return found == value or (value[1:] == "xx" and found[:1] == value[:1] and len(found) == 3)
    return value in found


_FIELDS = ("state", "status", "reason", "type", "host", "url", "via")


def newest(lines: Iterable[str | bytes], words: Words, most: int) -> list[dict[str, Any]]:
    """Lines come newest first, and so do the pages."""
    found: list[dict[str, Any]] = []
    for line in lines:
        page = _parsed(line)
        if page is not None and fits(page, words):
            found.append(page)
            if len(found) >= most:
                break
    return found


def tail(folder: Path, contains: bytes = b"") -> Iterator[bytes]:
    """Lines at the end of the newest file of the page log, newest first. For another thread."""
    try:
        files = numbered_files(folder, SUFFIXES[PAGES_FOLDER])
        if not files:
            return
        with open_regular(files[-1]) as file:
            end = file.seek(0, 2)
            file.seek(max(0, end - TAIL_BYTES))
            data = file.read(TAIL_BYTES)
    except (OSError, InputError):
        return
    if not contains:
        yield from reversed(data.split(b"\n"))
        return
    end = len(data)
    while (place := data.rfind(contains, 0, end)) >= 0:
        end, ends = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place)
        yield data[end : ends if ends >= 0 else len(data)]


def pages(recent: list[str], folder: Path, text: str, most: int) -> list[dict[str, Any]]:
    """The newest first. For another thread."""
    return _found(recent, folder, words_of(text), most)


def pages_of_host(recent: list[str], folder: Path, host: str, most: int) -> list[dict[str, Any]]:
    """The same, of one host (`it,unipd`)."""
    contains = f'"key": "{host})'.encode()
    return _found(recent, folder, [("host", host)], most, contains)


def _found(
    recent: list[str], folder: Path, words: Words, most: int, contains: bytes = b""
) -> list[dict[str, Any]]:
    most = max(1, min(most, MAX_LINES))
    found = newest(reversed(recent), words, most)
    if len(found) < most:  # what was in memory is in the file too, sooner or later
        known = {(page["key"], page["time"]) for page in found}
        older = newest(tail(folder, contains), words, most + len(found))
        found += [page for page in older if (page["key"], page["time"]) not in known]
    return found[:most]


def _parsed(line: str | bytes) -> dict[str, Any] | None:
    try:
        page = json.loads(line)
    except ValueError:
        return None
    return page if isinstance(page, dict) and "key" in page and "time" in page else None
