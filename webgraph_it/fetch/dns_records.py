"""Reads at most MAX_RECORDS records of a DNS answer, however many the server sent.

pycares makes a Python object of every record, which takes 10 µs each, and an answer may have 4,000. So we replace its
parser (`parse_dnsrec`, which its callback looks up by name) with this one. That function is private. If a new pycares
does not have it, answers are read completely, and tests/fetch/test_dns.py fails.
"""

from typing import Any, NamedTuple

import pycares

MAX_RECORDS = 32
"""Maximum of records read from an answer: aliases and addresses."""


_DOOR: dict[str, Any] = vars(pycares)


class Records(NamedTuple):
    """The beginning of an answer."""

    answer: list[Any]
    """pycares' records, at most MAX_RECORDS."""
    sent: int
    """The number of records in all sections of the answer: what c-ares keeps."""


def records(result: Any) -> Records:
    """The records of an answer, whether our parser or that of pycares read it."""
    if isinstance(result, Records):
        return result
    sent = len(result.answer) + len(result.authority) + len(result.additional)
    return Records(result.answer[:MAX_RECORDS], sent)


def read_only_the_beginning() -> bool:
    """Replace the parser of pycares. False if it has no such function."""
    needed = ("parse_dnsrec", "extract_record_data", "DNSRecord", "_lib", "_ffi", "maybe_str")
    if not all(name in _DOOR for name in needed):
        return False
    _DOOR["parse_dnsrec"] = _parsed
    return True


def _parsed(answer: Any) -> tuple[Records | None, int | None]:
    """Does what the parser of pycares does, for the first records of the answer section."""
    lib, ffi = _DOOR["_lib"], _DOOR["_ffi"]
    if answer == ffi.NULL:
        return None, lib.ARES_EBADRESP
    section = lib.ARES_SECTION_ANSWER
    count = lib.ares_dns_record_rr_cnt(answer, section)
    others = sum(
        lib.ares_dns_record_rr_cnt(answer, other)
        for other in (lib.ARES_SECTION_AUTHORITY, lib.ARES_SECTION_ADDITIONAL)
    )
    found = [
        record
        for number in range(min(count, MAX_RECORDS))
        if (record := _record(lib.ares_dns_record_rr_get_const(answer, section, number), lib, ffi))
    ]
    return Records(found, count + others), None


def _record(raw: Any, lib: Any, ffi: Any) -> Any:
    if raw == ffi.NULL:
        return None
    kind = lib.ares_dns_rr_get_type(raw)
    try:
        data = _DOOR["extract_record_data"](raw, kind)
    except Exception:  # as pycares does for record types that it does not know
        return None
    return _DOOR["DNSRecord"](
        name=_DOOR["maybe_str"](ffi.string(lib.ares_dns_rr_get_name(raw))),
        type=kind,
        record_class=lib.ares_dns_rr_get_class(raw),
        ttl=lib.ares_dns_rr_get_ttl(raw),
        data=data,
    )
