"""500 damaged archives: no crash, no hang, and every record that is not taken has a name."""

import gzip
import io
import re
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.defaults import link_policy
from tests.ingest.archives import Capture, as_zstd, page, warc
from webgraph_it.cli import main
from webgraph_it.extract.worker import policy_fields
from webgraph_it.ingest.archive import look
from webgraph_it.ingest.frames import LENGTHS, packed, unpacked
from webgraph_it.ingest.ledger import ArchiveError
from webgraph_it.ingest.reader import cap_of, items, reader_of
from webgraph_it.settings_table import CrawlSettings
from webgraph_it.simweb.crawl_files import read_crawl

MUTANTS = 500
SECONDS_EACH = 5.0
NAMES = re.compile(
    r"-|not-http|spelling|wat-[a-z-]+|damaged/(?:compression|header|length|truncated|unreadable)"
    r"|(?:url|scope|http|temporary)/[a-z0-9-]+"
)
PLAIN = warc(
    [
        Capture(f"http://sito-{n}.it/", page("/a", f"http://sito-{n + 1}.it/"), more={"WARC-Payload-Digest": "sha1:X"})
        for n in range(6)
    ]
    + [
        Capture("http://sito-0.it/b", b"", "301 Moved", {"Location": "/c"}),
        Capture("http://sito-0.it/d", gzip.compress(page("/e")), headers={"Content-Encoding": "gzip"}),
        Capture("http://sito-0.it/f", b"", kind="revisit", more={"WARC-Payload-Digest": "sha1:X"}),
        Capture("http://sito-0.it/g", b'{"Envelope": {}}', kind="metadata", more={"Content-Type": "application/json"}),
    ],
    packed=False,
)  # fmt: skip
STARTS = [match.start() for match in re.finditer(rb"WARC/1\.1\r\n", PLAIN)]
RECORDS = [PLAIN[start:end] for start, end in zip(STARTS, [*STARTS[1:], len(PLAIN)], strict=True)]
ARC = (
    b"filedesc://a.arc 0.0.0.0 20100301120000 text/plain 13\n1 0 Archive\n\n\n"
    + b"http://sito.it/ 127.1.0.1 20100301120005 text/html 24\nHTTP/1.0 200 OK\r\n\r\n<a>x\n" * 5
)


def mutant(number: int) -> bytes:
    """A file with one to four mutations, before or after it is packed."""
    random = Random(f"mutant {number}")
    data = random.choice([PLAIN, PLAIN, PLAIN, PLAIN, ARC])
    packing = random.choice([bytes, gzip.compress, as_members, as_zstd if data is PLAIN else gzip.compress])
    before = random.random() < 0.5
    for _ in range(random.randint(1, 4) if before else 0):
        data = mutated(data, random)
    data = packing(data)
    for _ in range(0 if before else random.randint(1, 4)):
        data = mutated(data, random)
    return data


def as_members(data: bytes) -> bytes:
    starts = [match.start() for match in re.finditer(rb"WARC/1\.1\r\n|http://sito\.it/ ", data)]
    parts = [data[start:end] for start, end in zip([0, *starts], [*starts, len(data)], strict=True)]
    return b"".join(gzip.compress(part) for part in parts if part)


def mutated(data: bytes, random: Random) -> bytes:
    at = random.randrange(max(1, len(data)))
    kind = random.randrange(7)
    if kind == 0:
        return data[:at] + bytes((random.randrange(256),)) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data[:at] + random.randbytes(random.randint(1, 300)) + data[at:]
    if kind == 3:
        return data[:at] + data[at + random.randint(1, 400) :]
    if kind == 4:
        return data[:at] + data[random.randrange(max(1, len(data))) :]
    if kind == 5:
        return re.sub(
            rb"Content-Length: \d+",
            b"Content-Length: %d" % random.choice([0, 7, 10**6, 10**18]),
            data,
            count=1,
        )
    return data.replace(b"\r\n", random.choice([b"\n", b"\r", b""]), random.randint(1, 50))


def test_five_hundred_damaged_archives_are_read_to_their_end(tmp_path: Path) -> None:
    (tmp_path / "none.txt").touch()
    reader = reader_of(CrawlSettings.read({}), str(tmp_path / "none.txt"), policy_fields(link_policy()))
    seen: Counter[str] = Counter()
    for number in range(MUTANTS):
        began = time.process_time()
        for item in items(io.BytesIO(mutant(number)), cap_of(reader.limits)):
            frame = packed(reader.read(item))
            head, links = LENGTHS.unpack_from(frame)
            start = LENGTHS.size
            found = unpacked(frame[start : start + head], frame[start + head : start + head + links])
            assert found.url or NAMES.fullmatch(found.reason), (number, found.reason)
            seen[found.reason if not found.url else "captures"] += 1
        assert time.process_time() - began < SECONDS_EACH, number
    assert seen["captures"] > 500
    assert {name for name in seen if name.startswith("damaged/")} >= {
        "damaged/compression",
        "damaged/header",
        "damaged/length",
        "damaged/truncated",
    }


def is_archive(file: Path) -> bool:
    """Whether anything in it is left of an archive."""
    try:
        look(file)
    except ArchiveError:
        return False
    return True


def ingest_mutants(numbers: range, folder: Path) -> None:
    files = [folder / f"{number}.warc.gz" for number in numbers]
    for number, file in zip(numbers, files, strict=True):
        file.write_bytes(mutant(number))
    archives = [file for file in files if is_archive(file)]
    assert len(archives) > 0.9 * len(files)
    assert main(["ingest", *map(str, archives), "--jobdir", str(folder / "job")]) in (0, 1)
    assert main(["convert", str(folder / "job"), "--out", str(folder / "graph"), "--only", "csr"]) == 0
    assert read_crawl(folder / "job").urls


def test_some_of_them_make_a_crawl_directory(tmp_path: Path) -> None:
    ingest_mutants(range(8), tmp_path)


@pytest.mark.slow
def test_all_of_them_make_a_crawl_directory(tmp_path: Path) -> None:
    ingest_mutants(range(MUTANTS), tmp_path)
