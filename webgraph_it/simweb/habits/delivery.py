"""How an ordinary page is delivered: charset, content coding, framing, faults. Its links stay the same."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from webgraph_it.simweb.pages import USUAL, Delivery


class Dress(NamedTuple):
    """Charset of a page and where it is declared."""

    charset: str = "utf-8"
    media_type: str = "text/html; charset=utf-8"
    meta: str = "<meta charset=utf-8>"


UTF_8 = Dress()
_LATIN_1 = (
    Dress("iso-8859-1", "text/html; charset=ISO-8859-1", ""),
    Dress(
        "iso-8859-1", "text/html", '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">'
    ),
)
_UNDECLARED = Dress("windows-1252", "text/html", "")


def dress(habits: Sequence[str], number: int) -> Dress:
    """The charset of page `number`."""
    if "iso-8859-1" in habits:
        return _LATIN_1[number % 2]
    return _UNDECLARED if "windows-1252" in habits else UTF_8


def delivery(habits: Sequence[str], number: int) -> Delivery:
    """How page `number` is sent. If two habits conflict, the later one wins."""
    result = USUAL
    for habit in habits:
        changes = _CHANGES.get(habit)
        if changes:
            result = replace(result, **changes[number % len(changes)])  # type: ignore[arg-type]
    return replace(result, coding="") if result.framing.startswith("too-") else result


_CHANGES: dict[str, tuple[dict[str, object], ...]] = {
    "gzip": ({"coding": "gzip"},),
    "deflate": ({"coding": "deflate"}, {"coding": "raw-deflate"}),
    "br": ({"coding": "br"},),
    "chunked": ({"framing": "chunked"},),
    "http10": ({"framing": "http10"},),
    "no-keep-alive": ({"framing": "close"},),
    "wrong-length": ({"framing": "too-long"}, {"framing": "too-short"}),
    "odd-headers": ({"odd_headers": True},),
    "slow-body": ({"slow": True},),
    "retry-429": ({"fault": "429"},),
    "retry-503": ({"fault": "503"},),
    "reset": ({"fault": "reset"},),
}
