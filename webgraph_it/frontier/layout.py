"""The store's keys and values, byte by byte (layout version 2; version 1 had no `v` and no `w`).

    s <digest 16>                             seen: empty while queued, SEEN_STATE once it is cut or finished
    h <host>                                  HOST_HEAD, then the host's address; if re-visits are planned, a zero byte
                                              and HOST_TAIL
    q <host> ) PLACE                          one queue entry: ENTRY_HEAD, then url \\n key \\n via
    w <host> ) PLACE                          the same for a planned re-visit
    v <digest 16>                             what is known for the next visit of a page (visits.py)
    l LINE_PLACE                              the lines of hosts that have URLs; the value is the host
    p <key up to the question mark>           NUMBER of distinct queries seen on that path
    d <registrable domain, labels as in keys> NUMBER of hosts below that domain
    g <site, labels as in keys>               NUMBER of URLs of that site that were queued, if MAX_PAGES_PER_DOMAIN
    c <host> ) <content digest, first 8>      NUMBER of pages of that host with that content
    r <origin>                                RobotsRecord (robots/record.py)
    m <name>                                  metadata: the caller's, and the frontier's own under STATE

Numbers are big-endian and unsigned, so that keys sort as numbers do. A host's queue is one range. Text is
ASCII (URLs, keys, hosts) or bytes as received (robots.txt). Nothing is pickled.
"""

import struct

from webgraph_it.items import State

from .records import Lease

LAYOUT_VERSION = 2
WITHOUT_VISITS = 1
"""The layout before there were visits. A crawl of this layout is migrated when it is resumed (crawl/migration.py)."""

SEEN, HOST, QUEUE, LINE, QUERIES, CONTENT, ROBOTS, META = b"s", b"h", b"q", b"l", b"p", b"c", b"r", b"m"
DOMAIN, DOMAIN_PAGES, REVISITS = b"d", b"g", b"w"
STATE = META + b"\0state"
"""JSON: layout version, whether the frontier was closed cleanly, the next sequence number, the counters."""

HOST_HEAD = struct.Struct(">IIIIdddHBB16s11s")
"""queued, accepted, finished, failed; the clock: ready at, crawl delay, duration, failures, parkings,
flags (1 parked, 2 given up, above them the last Failure);
LINE_PLACE or zeros; the PLACE below which its queue is empty."""
HOST_TAIL = struct.Struct(">If11s")
"""Planned re-visits; the part of a turn that they have not had yet; the PLACE below which their queue is empty."""
ENTRY_HEAD = struct.Struct(">16sHHBB")
"""digest, depth, host depth, attempts, spellings"""
_NO_DEPTHS = bytes(ENTRY_HEAD.size - 16)
PLACE = struct.Struct(">HQB")
"""priority, sequence number, spellings: another spelling keeps its place, just after the previous one"""
LINE_PLACE = struct.Struct(">QQ")
"""microseconds since 1970, and FIRST_CONTACT if the host's address was not known; sequence number"""
FIRST_CONTACT = 1 << 63
KNOWN_LINE, FIRST_LINE = LINE + b"\x00", LINE + b"\x80"
"""The two lines are two ranges: until the year 4253 the first byte of the microseconds is zero."""
NUMBER = struct.Struct(">I")
SEEN_STATE = struct.Struct(">BH")
"""place in STATES, HTTP status"""
EARLIER_QUOTA_CUT = b"c"
"""The value from before there was SEEN_STATE, when other cut and finished URLs had an empty value."""
STATES = (
    *(State.FETCHED, State.REDIRECT, State.ROBOTS_DENIED, State.ERROR, State.TRAP_CUT, State.QUOTA_CUT),
    State.GONE,
)

MAX_8_BITS, MAX_16_BITS = 0xFF, 0xFFFF


def host_of(key: str) -> str:
    """The part of a key before `)`."""
    return key[: key.index(")")]


def queue_of(host: str) -> bytes:
    """The prefix of all entries of a host."""
    return QUEUE + host.encode() + b")"


def revisits_of(host: str) -> bytes:
    """The prefix of all planned re-visits of a host."""
    return REVISITS + host.encode() + b")"


def packed_entry(
    names: tuple[str, str, str, bytes], depth: int, host_depth: int, attempts: int = 0, spellings: int = 0
) -> bytes:
    """`names` are url, key, via and digest."""
    url, key, via, digest = names
    if depth > MAX_16_BITS or host_depth > MAX_16_BITS:
        depth, host_depth = min(depth, MAX_16_BITS), min(host_depth, MAX_16_BITS)
    head = ENTRY_HEAD.pack(digest, depth, host_depth, attempts, spellings)
    return head + f"{url}\n{key}\n{via}".encode()


def packed_seed(url: str, key: str, digest: bytes) -> bytes:
    """`packed_entry` of a URL without a linking page."""
    return digest + _NO_DEPTHS + f"{url}\n{key}\n".encode()


def lease_of(
    entry: bytes, packed: bytes, host: str, address: str, given_up: bool, is_revisit: bool = False
) -> Lease:
    digest, depth, host_depth, attempts, spellings = ENTRY_HEAD.unpack_from(packed)
    url, key, via = packed[ENTRY_HEAD.size :].decode().split("\n")
    names = (url, key, digest, depth, host_depth, via, host)
    return Lease(*names, attempts, spellings, address, given_up, entry, is_revisit)


def url_of(packed: bytes) -> str:
    """The URL of a queue entry."""
    return packed[ENTRY_HEAD.size : packed.index(b"\n", ENTRY_HEAD.size)].decode()


def packed_seen(state: State, status: int) -> bytes:
    return SEEN_STATE.pack(STATES.index(state), min(max(status, 0), MAX_16_BITS))


def seen_of(packed: bytes) -> tuple[State, int]:
    """State and status; a URL that is still queued was never tried."""
    if not packed:
        return State.NEVER_TRIED, 0
    if packed == EARLIER_QUOTA_CUT:
        return State.QUOTA_CUT, 0
    number, status = SEEN_STATE.unpack(packed)
    return STATES[number], status
