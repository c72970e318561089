"""Whether one seed list contains another, in bounded memory, however long the lists are.

Lists usually grow at their end; then comparing bytes is enough. Otherwise the digests of both lists are distributed by
their first byte over BUCKETS temporary files, and compared bucket by bucket.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import md5
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from webgraph_it.urls.seeds import directives, read_batches

BUCKETS = 64
DIGEST_BYTES = 16
LINES_AT_ONCE = 1_000
CHUNK_BYTES = 1 << 20


def contains_all_seeds(new: Path, old: Path) -> bool:
    """Whether every seed and every `+` prefix of `old` is in `new`; order, spelling and comments do not matter.

    The `-` prefixes must be the same, because any difference changes the meaning of the graph.
    """
    if set(directives(new)[1]) != set(directives(old)[1]):
        return False
    return _begins_with(new, old) or _buckets_contain(new, old)


def _begins_with(new: Path, old: Path) -> bool:
    """Whether `new` begins with `old`, byte for byte, up to the end of a line."""
    size = old.stat().st_size
    if new.stat().st_size < size:
        return False
    last = b"\n"
    with new.open("rb") as longer, old.open("rb") as shorter:
        while chunk := shorter.read(CHUNK_BYTES):
            if longer.read(len(chunk)) != chunk:
                return False
            last = chunk[-1:]
        return last == b"\n" or longer.read(1) in (b"", b"\n", b"\r")


def _buckets_contain(new: Path, old: Path) -> bool:
    with ExitStack() as stack:
        news, olds = _dealt(new, stack), _dealt(old, stack)
        return all(_digests(few) <= _digests(many) for few, many in zip(olds, news, strict=True))


def _dealt(path: Path, stack: ExitStack) -> list[IO[bytes]]:
    files: list[IO[bytes]] = [stack.enter_context(_new_bucket()) for _ in range(BUCKETS)]
    for each in seed_digests(path):
        files[each[0] % BUCKETS].write(each)
    return files


def _new_bucket() -> IO[bytes]:
    return TemporaryFile()


def _digests(file: IO[bytes]) -> set[bytes]:
    file.seek(0)
    return set(iter(lambda: file.read(DIGEST_BYTES), b""))


def seed_digests(path: Path) -> Iterator[bytes]:
    """The digest of each seed's node, and one for each `+` prefix."""
    for batch in read_batches(path, lines_at_once=LINES_AT_ONCE):
        yield from (name.digest for name in batch.names)
    for prefix in directives(path)[0]:
        yield md5(b"+" + prefix.encode(), usedforsecurity=False).digest()
