"""One reader process: `python -P -m webgraph_it.ingest.reader OPTIONS`, started by ahead.py only.

It inherits the open file, loads everything that it will need, enters the sandbox of the extraction workers, and sends
one frame for each record of the file (frames.py). The kernel limits its address space, and its CPU time for each
document. A document that exhausts memory is sent with reason `memory`, and then the process ends with code SPENT; one
that takes too long ends it by SIGPROF. Then the main process starts another reader at that record.
"""

import gc
import io
import json
import signal
import socket
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from webgraph_it.extract.worker import SPENT, close_doors, limit_memory, load_everything, policy
from webgraph_it.fetch.response_parser import Limits
from webgraph_it.ingest import arc, records
from webgraph_it.ingest.frames import BEGUN, END, packed
from webgraph_it.ingest.reading import Milestone, Reader
from webgraph_it.ingest.records import Damage, Record
from webgraph_it.settings_table import TABLE, CrawlSettings
from webgraph_it.urls import Name, name
from webgraph_it.urls.scope import Scope
from webgraph_it.urls.seeds import read_seeds

FRAMING_BYTES = 2 << 20
"""A block may be longer than its body and its head by this much, for the lines between its chunks."""
SENT_AT_ONCE = 1 << 16
"""Bytes. A careful reader, which follows one that died, sends every frame at once: so its last record is known."""
_GARBAGE_THRESHOLD = 20_000


def items(file: BinaryIO, cap_bytes: int) -> Iterator[Record | Damage]:
    """The records of a file in any of the formats."""
    read = arc.records if arc.is_arc(arc.first_bytes(file)) else records.records
    return read(file, cap_bytes)


def items_from(
    file: BinaryIO, cap_bytes: int, first: int, milestone: Milestone | None
) -> Iterator[Record | Damage]:
    """The items from the number `first` on. Begins at the milestone, if that record is still there."""
    if milestone is not None:
        number, position, url = milestone
        found = records.record_at(file, position, cap_bytes) if number <= first else None
        place = name(found.url) if found is not None else None
        if isinstance(place, Name) and place.url == url:
            return islice(records.records(file, cap_bytes, position), first - number, None)
    return islice(items(file, cap_bytes), first, None)


def reader_of(settings: CrawlSettings, seeds: str, fields: dict[str, object]) -> Reader:
    """`fields`: those of the link policy."""
    surts = tuple(settings.SCOPE_SURTS)
    values = {name: settings[name] for name in TABLE}
    scope = Scope.from_settings(values, read_seeds(seeds, surts, may_be_empty=True))
    limits = Limits(settings.MAX_HEADER_BYTES, settings.MAX_HEADER_COUNT, settings.MAX_BODY_BYTES)
    return Reader(scope, policy(fields), limits, settings.MAX_LINKS_PER_PAGE)


def cap_of(limits: Limits) -> int:
    """How much of a block is read."""
    return limits.head_bytes + limits.body_bytes + FRAMING_BYTES


def main(arguments: list[str]) -> int:
    options: dict[str, Any] = json.loads(arguments[0])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which closes us
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    reader = reader_of(CrawlSettings.read(options["settings"]), options["seeds"], options["policy"])
    limit_memory(options["memory_bytes"])
    load_everything(reader.policy)
    gc.freeze()
    gc.set_threshold(_GARBAGE_THRESHOLD)
    with socket.socket(fileno=options["socket"]) as channel, io.FileIO(options["file"]) as raw:
        file = io.BufferedReader(raw, 1 << 18)
        next(items(io.BytesIO(b""), 1), None)  # what is loaded on first use must be loaded now
        try:
            close_doors()
            channel.sendall(BEGUN)
            return _serve(channel, file, reader, options)
        except ConnectionError:  # the main process is gone
            return 0


def _serve(channel: socket.socket, file: BinaryIO, reader: Reader, options: dict[str, Any]) -> int:
    first: int = options["first"]
    unread: str = options["unread"]
    cpu_seconds: float = options["cpu_seconds"]
    at_once = 0 if options["careful"] else SENT_AT_ONCE
    ready = bytearray()
    for item in items_from(file, cap_of(reader.limits), first, options["milestone"]):
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        try:
            frame = packed(reader.read(item, unread))
        except MemoryError:
            signal.setitimer(signal.ITIMER_PROF, 0)
            channel.sendall(ready + packed(reader.read(item, "memory")))
            return SPENT
        signal.setitimer(signal.ITIMER_PROF, 0)
        ready += frame
        if len(ready) > at_once:
            channel.sendall(ready)
            ready.clear()
        unread = ""
    channel.sendall(ready + END)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
