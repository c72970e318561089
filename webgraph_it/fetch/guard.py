"""Decides which addresses may be connected to. Pure.

Guarantees: `Guard.refusal` is total over every IPv4 and IPv6 address, and None only for a global unicast
address or one inside an allowed private network. What is not known to be global is refused. An IPv6 address
must be in 2000::/3. One that contains an IPv4 address (mapped, compatible, 6to4, Teredo, NAT64) is always
refused, because the network decides where it goes, not we. `literal` reads every spelling of an address that
a browser reads (decimal, octal, hexadecimal, short), so none of them passes as a name.

It does not resolve names and does not connect. dns.py filters answers through it, and client.py connects only to
addresses that passed this filter.
"""

from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from webgraph_it.urls.names import Refusal as UrlRefusal
from webgraph_it.urls.names import normal

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@lru_cache(maxsize=4096)
def text_of(address: Address) -> str:
    """As `str`, in half the time: each page needs its address as text three times."""
    return str(address)


class Refusal(Enum):
    """Why an address is not connected to. The value is the reason's name in the stats."""

    UNSPECIFIED = "unspecified"
    LOOPBACK = "loopback"
    PRIVATE = "private"
    SHARED = "shared"
    """Carrier-grade NAT, 100.64.0.0/10."""
    LINK_LOCAL = "link-local"
    METADATA = "metadata"
    """Metadata services of clouds, which hold a machine's secrets."""
    DOCUMENTATION = "documentation"
    BENCHMARK = "benchmark"
    MULTICAST = "multicast"
    RESERVED = "reserved"
    EMBEDDED = "embedded-ipv4"
    """An IPv6 address that contains an IPv4 address."""
    NO_CONTACT = "no-contact"
    """A public address, but CONTACT_URL is not set: nobody could tell us to stop."""


# The IANA special-purpose registries (RFC 6890 and its updates) and the multicast blocks; first match wins.
_SPECIAL: tuple[tuple[str, Refusal], ...] = (
    ("0.0.0.0/32", Refusal.UNSPECIFIED),
    ("0.0.0.0/8", Refusal.RESERVED),
    ("10.0.0.0/8", Refusal.PRIVATE),
    ("100.100.100.200/32", Refusal.METADATA),
    ("100.64.0.0/10", Refusal.SHARED),
    ("127.0.0.0/8", Refusal.LOOPBACK),
    ("169.254.169.254/32", Refusal.METADATA),
    ("169.254.170.2/32", Refusal.METADATA),
    ("169.254.0.0/16", Refusal.LINK_LOCAL),
    ("172.16.0.0/12", Refusal.PRIVATE),
    ("192.0.0.0/24", Refusal.RESERVED),
    ("192.0.2.0/24", Refusal.DOCUMENTATION),
    ("192.31.196.0/24", Refusal.RESERVED),
    ("192.52.193.0/24", Refusal.RESERVED),
    ("192.88.99.0/24", Refusal.RESERVED),
    ("192.168.0.0/16", Refusal.PRIVATE),
    ("192.175.48.0/24", Refusal.RESERVED),
    ("198.18.0.0/15", Refusal.BENCHMARK),
    ("198.51.100.0/24", Refusal.DOCUMENTATION),
    ("203.0.113.0/24", Refusal.DOCUMENTATION),
    ("224.0.0.0/4", Refusal.MULTICAST),
    ("240.0.0.0/4", Refusal.RESERVED),
    ("::/128", Refusal.UNSPECIFIED),
    ("::1/128", Refusal.LOOPBACK),
    ("::/96", Refusal.EMBEDDED),
    ("::ffff:0:0/96", Refusal.EMBEDDED),
    ("::ffff:0:0:0/96", Refusal.EMBEDDED),
    ("64:ff9b::/96", Refusal.EMBEDDED),
    ("64:ff9b:1::/48", Refusal.EMBEDDED),
    ("2001::/32", Refusal.EMBEDDED),
    ("2001:db8::/32", Refusal.DOCUMENTATION),
    ("2001:2::/48", Refusal.BENCHMARK),
    ("2001::/23", Refusal.RESERVED),
    ("2002::/16", Refusal.EMBEDDED),
    ("2620:4f:8000::/48", Refusal.RESERVED),
    ("3fff::/20", Refusal.DOCUMENTATION),
    ("fd00:ec2::254/128", Refusal.METADATA),
    ("fc00::/7", Refusal.PRIVATE),
    ("fe80::/10", Refusal.LINK_LOCAL),
    ("fec0::/10", Refusal.PRIVATE),
    ("ff00::/8", Refusal.MULTICAST),
)
_SPECIAL_NETWORKS = tuple((ip_network(network), reason) for network, reason in _SPECIAL)
_GLOBAL_UNICAST_6 = IPv6Network("2000::/3")


def special(address: Address) -> Refusal | None:
    """Why `address` is not a global unicast address; None if it is one."""
    for network, reason in _SPECIAL_NETWORKS:
        if address in network:
            return reason
    if address.version == 6:
        if address.scope_id is not None:
            return Refusal.LINK_LOCAL
        if address not in _GLOBAL_UNICAST_6:
            return Refusal.RESERVED
    return None


class Guard:
    """Decides which addresses may be connected to."""

    def __init__(self, allowed_private: Iterable[Network] = (), public: bool = True) -> None:
        self.allowed_private = tuple(allowed_private)
        self.public = public
        """False if nobody could tell us to stop. Then only the allowed private networks may be connected to."""

    def refusal(self, address: Address) -> Refusal | None:
        """Why `address` must not be connected to; None if it may."""
        if any(address in network for network in self.allowed_private):
            return None
        return special(address) or (None if self.public else Refusal.NO_CONTACT)


def networks(values: Iterable[str]) -> tuple[Network, ...]:
    """Parse ALLOWED_PRIVATE_NETWORKS. Raises ValueError with one sentence for a wrong value."""
    return tuple(map(_network, values))


def _network(value: str) -> Network:
    try:
        return ip_network(value)
    except ValueError as error:
        raise ValueError(
            f"ALLOWED_PRIVATE_NETWORKS: {value!r} is not a network ({error}); expected for example '127.0.0.0/8'"
        ) from None


def literal(host: str) -> Address | None:
    """The address that `host` spells, as a browser reads it; None if `host` is a name.

    Raises ValueError for a host that looks like an address but is not one (`1.2.3.4.5`, `0x100.1.1.1`): no name
    ends in a number, so DNS must not be asked for it.
    """
    if not (host[:1] == "[" or _ends_in_number(host)):
        return None
    url = normal(f"http://{host}/")
    if isinstance(url, UrlRefusal):
        raise ValueError(f"{host!r} is neither an address nor a name")
    return ip_address(url[len("http://") : -1].strip("[]"))


def _ends_in_number(host: str) -> bool:
    """The URL Standard's test: such a host is an IPv4 address or nothing."""
    last = host.removesuffix(".").rpartition(".")[2].lower()
    return last.isdigit() or (last.startswith("0x") and all(c in "0123456789abcdef" for c in last[2:]))
