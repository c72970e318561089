"""The records of a DNS answer, as many as anybody needs: MAX_RECORDS, whatever the server sent.

pycares makes Python objects of every record of an answer, 10 µs each, and an answer may hold 4,000: its own reading of
an answer (`parse_dnsrec`, which its callback looks up by name) is replaced by this one. That is a private door. If
a new pycares has none, its answers are read whole, and tests/fetch/test_dns.py says so.
"""

from typing import Any, NamedTuple

import pycares

MAX_RECORDS = 32
"""Of an answer: aliases on the way, and addresses."""


_DOOR: dict[str, Any] = vars(pycares)


class Records(NamedTuple):
    """The beginning of an answer."""

    answer: list[Any]
    """pycares' records, at most MAX_RECORDS."""
    sent: int
    """How many records came, in all sections: what c-ares keeps."""


def records(result: Any) -> Records:
    """What is read of an answer, whoever has read it."""
    if isinstance(result, Records):
        return result
    sent = len(result.answer) + len(result.authority) + len(result.additional)
    return Records(result.answer[:MAX_RECORDS], sent)


def read_only_the_beginning() -> bool:
    """Replace pycares' reading of answers. False if it has no such door."""
    needed = ("parse_dnsrec", "extract_record_data", "DNSRecord", "_lib", "_ffi", "maybe_str")
    if not all(name in _DOOR for name in needed):
        return False
    _DOOR["parse_dnsrec"] = _parsed
    return True


def _parsed(answer: Any) -> tuple[Records | None, int | None]:
    """What pycares' own function does, for the first records of the answer section."""
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
    except Exception:  # what pycares does with records of a kind that it does not know
        return None
    return _DOOR["DNSRecord"](
        name=_DOOR["maybe_str"](ffi.string(lib.ares_dns_rr_get_name(raw))),
        type=kind,
        record_class=lib.ares_dns_rr_get_class(raw),
        ttl=lib.ares_dns_rr_get_ttl(raw),
        data=data,
    )
