"""Which addresses count as one for politeness: an IPv4 address is one server, an IPv6 /64 network has one owner."""

from functools import lru_cache
from ipaddress import IPv6Network


def network_of(address: str) -> str:
    """The name of what has one clock: the address, or the /64 network of an IPv6 address."""
    return _network64(address) if ":" in address and "/" not in address else address


@lru_cache(maxsize=4096)
def _network64(address: str) -> str:
    return str(IPv6Network((address, 64), strict=False))
