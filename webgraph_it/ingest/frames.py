"""The protocol between a reader process and the main process.

A reader sends BEGUN when it begins, then frames. A frame is `<II` lengths of head and links; head: a line of JSON
with the fields of a Reading but its extraction; links: a reply as of extract/frames.py, empty if there is no page. A
frame without a head is the end of the file.

A reader reads untrusted documents, so the main process does not trust it. As of a worker (extract/frames.py) it takes
only URLs, which it names itself, and facts of the right types. A reader that a document has taken over can still lie
about the pages of its own file.
"""

import json
import re
import struct
from math import isfinite

from webgraph_it.extract import frames
from webgraph_it.frontier.visits import MAX_VALIDATOR_BYTES
from webgraph_it.ingest.reading import INDEX, LIST, Reading
from webgraph_it.items import State
from webgraph_it.warc.note import STATES as NOTE_STATES

LENGTHS = struct.Struct("<II")
MAX_HEAD_BYTES = 1 << 18
MAX_LINKS_BYTES = 1 << 26
BEGUN = b"\n"
END = LENGTHS.pack(0, 0)
_REASON = re.compile(r"[a-z0-9./-]{0,60}")
_ADDRESS = re.compile(r"[0-9a-fA-F.:]{0,45}")
_HEX = re.compile(r"(?:[0-9a-f]{32})?")
_STATES = frozenset(("", State.FETCHED, State.REDIRECT, State.ERROR))


def packed(reading: Reading) -> bytes:
    """A reading as a frame."""
    *facts, extraction = reading
    head = json.dumps(facts).encode()
    links = frames.reply(extraction) if reading.state else b""
    return b"".join((LENGTHS.pack(len(head), len(links)), head, links))


def lengths(start: bytes) -> tuple[int, int]:
    """Of head and links. Raises ValueError if a frame is longer than a reader may send."""
    head, links = LENGTHS.unpack(start)
    if head > MAX_HEAD_BYTES or links > MAX_LINKS_BYTES:
        raise ValueError(f"a frame of {head} and {links} bytes; more than a reader may send")
    return head, links


def unpacked(head: bytes, links: bytes) -> Reading:
    """The inverse of `packed`, with the links named. Raises ValueError for anything else."""
    try:
        found = Reading(*json.loads(head))
        _check(found)
    except (TypeError, RecursionError, AttributeError) as error:
        raise ValueError(f"a malformed frame: {error}") from error
    return found._replace(extraction=frames.extraction(links, found.declared)) if found.state else found


def _check(found: Reading) -> None:
    """Raises ValueError unless every fact has the type and range that a reader gives it."""
    if not (
        type(found.url) is str
        and _REASON.fullmatch(found.reason)
        and type(found.time) is float
        and isfinite(found.time)
        and type(found.is_told) is bool
        and found.state in (NOTE_STATES if found.is_told else _STATES)
        and type(found.status) is int
        and 0 <= found.status <= 999
        and type(found.declared) is str
        and type(found.size_bytes) is int
        and found.size_bytes >= 0
        and _ADDRESS.fullmatch(found.address)
        and _HEX.fullmatch(found.origin)
        and type(found.position) is int
        and -1 <= found.position < 1 << 62
        and type(found.etag) is type(found.last_modified) is str
        and len(found.etag) <= MAX_VALIDATOR_BYTES >= len(found.last_modified)
        and type(found.body_cut) is bool
        and found.sitemap in ("", LIST, INDEX)
    ):
        raise ValueError(f"a reader says {found!r:.300}")
