"""Sizes and rates as people write them: `4 MB`, `512M`, `1.5 GiB`, `1500 KB/s`, `10 Mbit/s`. The only parser of them.

K, M, G and T are powers of 1000. Ki, Mi, Gi and Ti are powers of 1024. Case does not matter, and the B of a size may
be left out. Anything else raises ValueError, and the caller adds what it expected.
"""

import math
import re

_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)", re.IGNORECASE)
_PREFIXES = {
    prefix + binary: (1024.0 if binary else 1000.0) ** power
    for power, prefix in enumerate(("", "k", "m", "g", "t"))
    for binary in ("", "i")
    if prefix or not binary
}
_BYTES = {f"{prefix}b": factor for prefix, factor in _PREFIXES.items()}
_BITS = {f"{prefix}bit": factor / 8 for prefix, factor in _PREFIXES.items()}


def size_bytes(text: str) -> int:
    """`4 MB` → 4,000,000. A number without a unit is in bytes."""
    return int(_quantity(text, _PREFIXES | _BYTES))


def rate_bytes_per_second(text: str) -> float:
    """`1500 KB/s` → 1,500,000.0; `10 Mbit/s` → 1,250,000.0. The unit and the `/s` are required."""
    quantity, slash, second = text.strip().rpartition("/")
    if not slash or second.lower() != "s":
        raise ValueError(text)
    return _quantity(quantity, _BYTES | _BITS)


def _quantity(text: str, units: dict[str, float]) -> float:
    found = _QUANTITY.fullmatch(text.strip())
    unit = units.get(found[2].lower()) if found else None
    if found is None or unit is None:
        raise ValueError(text)
    quantity = float(found[1]) * unit
    if not math.isfinite(quantity):
        raise ValueError(text)
    return quantity
