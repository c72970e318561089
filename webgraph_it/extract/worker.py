"""One extraction worker: `python -P -m webgraph_it.extract.worker OPTIONS`, started by process.py only.

It loads everything that it will need, enters its sandbox (sandbox.py), reports which measures are in force, then reads
requests from its socket and replies in order. The kernel limits its address space, and its CPU time per document:
SIGPROF kills the process, even inside C code. The reply for a document that exhausts memory has reason `memory`; then
the worker exits, because its heap is no longer reliable. It also exits at end of file on the socket, when the crawl has
ended or died.
"""

import gc
import json
import os
import resource
import signal
import socket
import sys
from typing import IO, cast

from webgraph_it.extract import sandbox
from webgraph_it.extract.charset import known_codecs
from webgraph_it.extract.extraction import extract_and_digest
from webgraph_it.extract.frames import REQUEST, document, ready, reply
from webgraph_it.extract.records import Document, Extraction, LinkPolicy
from webgraph_it.extract.table import READERS
from webgraph_it.urls.names import no_digest

SPENT = 3
"""Exit code of a worker after a document exhausted its memory."""
_BUFFER_BYTES = 1 << 18
_GARBAGE_THRESHOLD = 20_000


def main(arguments: list[str]) -> int:
    options = json.loads(arguments[0])
    limit_memory(options["memory_bytes"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the crawl, which closes us
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    wanted = policy(options["policy"])
    load_everything(wanted)
    gc.freeze()
    gc.set_threshold(_GARBAGE_THRESHOLD)
    with socket.socket(fileno=options["socket"]) as channel:
        requests = cast("IO[bytes]", channel.makefile("rb", _BUFFER_BYTES))
        try:
            channel.sendall(ready(close_doors()))
            return _serve(channel, requests, wanted, options["cpu_seconds"])
        except ConnectionError:  # the crawl is gone
            return 0


def load_everything(policy: LinkPolicy) -> None:
    """Nothing can be imported later. So load every codec now, and what readers import on their first use."""
    known_codecs()
    for media_type in READERS:
        for body in (b"<a href=x>", b"%PDF-1.4\n", b"PK\x03\x04", b"\x1f\x8b", b"\xe8"):
            extract_and_digest(Document(body, "http://a.it/", media_type, "utf-8"), policy)


def close_doors() -> tuple[str, ...]:
    """Enter the sandbox. From now on a document may control what the process prints, so output is discarded."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    return sandbox.enter()


def _serve(channel: socket.socket, requests: IO[bytes], policy: LinkPolicy, cpu_seconds: float) -> int:
    while asked := _receive(requests):
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        answer, spent = _answer(asked, policy)
        signal.setitimer(signal.ITIMER_PROF, 0)
        channel.sendall(answer)
        if spent:
            return SPENT
        del asked, answer
    return 0


def _receive(requests: IO[bytes]) -> Document | None:
    """The next document; None at the end of file, also in the middle of a frame."""
    header = requests.read(REQUEST.size)
    if len(header) < REQUEST.size:
        return None
    head_length, body_length = REQUEST.unpack(header)
    head, body = requests.read(head_length), requests.read(body_length)
    return document(head, body) if len(body) == body_length and len(head) == head_length else None


def _answer(asked: Document, policy: LinkPolicy) -> tuple[bytes, bool]:
    """The reply, and whether this process must exit."""
    try:
        return reply(extract_and_digest(asked, policy, no_digest)), False
    except MemoryError:
        return reply(Extraction(reason="memory", media_type=asked.media_type)), True


def limit_memory(limit_bytes: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    allowed = limit_bytes if hard == resource.RLIM_INFINITY else min(limit_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))


def policy(fields: dict[str, object]) -> LinkPolicy:
    """The inverse of `policy_fields`."""
    return LinkPolicy(**{name: frozenset(v) if isinstance(v, list) else v for name, v in fields.items()})  # type: ignore[arg-type]


def policy_fields(policy: LinkPolicy) -> dict[str, object]:
    """A policy in a form that JSON can hold."""
    values = {name: getattr(policy, name) for name in policy.__dataclass_fields__}
    return {name: sorted(v) if isinstance(v, frozenset) else v for name, v in values.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
