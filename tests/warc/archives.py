"""The archive of a crawl, beside what the crawl and the web say happened."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.warc.witnesses import Record, records
from webgraph_it.simweb import SimWeb
from webgraph_it.warc.record import warc_date

ANSWERS = ("response", "revisit")


def warc_files(jobdir: Path) -> list[Path]:
    """Those that hold anything."""
    return [file for file in sorted((jobdir / "warc").glob("*.warc.gz")) if file.stat().st_size]


def archived(jobdir: Path) -> list[Record]:
    return [record for file in warc_files(jobdir) for record in records(file)]


def status_of(record: Record) -> int:
    """A page that was not modified has an empty block."""
    return int(record.block.split(maxsplit=2)[1]) if record.block else 304


def served(web: SimWeb) -> Counter[tuple[str, int]]:
    """URL and status of every answer that the web gave."""
    asked: dict[int, str] = {}
    answers: Counter[tuple[str, int]] = Counter()
    for hit in web.hits():
        if hit["event"] == "request":
            asked[hit["connection"]] = f"{hit['scheme']}://{hit['host']}{hit['path']}"
        elif hit["event"] == "response" and hit["status"]:  # 0: it broke the connection off
            answers[asked[hit["connection"]], hit["status"]] += 1
    return answers


def page_log(jobdir: Path) -> Iterator[dict[str, Any]]:
    for file in sorted((jobdir / "pages").glob("*.jsonl")):
        for line in file.read_text().splitlines():
            yield json.loads(line)


def logged(jobdir: Path) -> Counter[tuple[str, str]]:
    """URL and date of every line of the page log that has a status."""
    return Counter((line["url"], warc_date(line["time"])) for line in page_log(jobdir) if line["status"])


def named(found: Iterable[Record], *kinds: str) -> Counter[tuple[str, str]]:
    """URL and date of the records of these kinds. Notes (warc/note.py) are no metadata of a reply."""
    return Counter(
        (record.url, record.date)
        for record in found
        if record.kind in kinds and not record.block.startswith(b"state: ")
    )
