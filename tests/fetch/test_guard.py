"""Which addresses may be connected to: decisions over every special range, without a socket."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.fetch.guard import Guard, Refusal, literal, networks, special

REFUSED = {
    "0.0.0.0": Refusal.UNSPECIFIED,
    "0.1.2.3": Refusal.RESERVED,
    "10.0.0.1": Refusal.PRIVATE,
    "10.255.255.255": Refusal.PRIVATE,
    "100.64.0.1": Refusal.SHARED,
    "100.127.255.255": Refusal.SHARED,
    "100.100.100.200": Refusal.METADATA,
    "127.0.0.1": Refusal.LOOPBACK,
    "127.255.255.254": Refusal.LOOPBACK,
    "169.254.0.1": Refusal.LINK_LOCAL,
    "169.254.169.254": Refusal.METADATA,
    "169.254.170.2": Refusal.METADATA,
    "172.16.0.1": Refusal.PRIVATE,
    "172.31.255.255": Refusal.PRIVATE,
    "192.0.0.8": Refusal.RESERVED,
    "192.0.2.1": Refusal.DOCUMENTATION,
    "192.88.99.1": Refusal.RESERVED,
    "192.168.1.1": Refusal.PRIVATE,
    "198.18.0.1": Refusal.BENCHMARK,
    "198.19.255.255": Refusal.BENCHMARK,
    "198.51.100.7": Refusal.DOCUMENTATION,
    "203.0.113.9": Refusal.DOCUMENTATION,
    "224.0.0.1": Refusal.MULTICAST,
    "239.255.255.255": Refusal.MULTICAST,
    "240.0.0.1": Refusal.RESERVED,
    "255.255.255.255": Refusal.RESERVED,
    "::": Refusal.UNSPECIFIED,
    "::1": Refusal.LOOPBACK,
    "::127.0.0.1": Refusal.EMBEDDED,
    "::ffff:127.0.0.1": Refusal.EMBEDDED,
    "::ffff:8.8.8.8": Refusal.EMBEDDED,
    "::ffff:0:127.0.0.1": Refusal.EMBEDDED,
    "64:ff9b::7f00:1": Refusal.EMBEDDED,
    "64:ff9b:1::a00:1": Refusal.EMBEDDED,
    "100::1": Refusal.RESERVED,
    "2001::1": Refusal.EMBEDDED,
    "2001:2::1": Refusal.BENCHMARK,
    "2001:10::1": Refusal.RESERVED,
    "2001:db8::1": Refusal.DOCUMENTATION,
    "2002:7f00:1::1": Refusal.EMBEDDED,
    "3fff::1": Refusal.DOCUMENTATION,
    "4000::1": Refusal.RESERVED,
    "5f00::1": Refusal.RESERVED,
    "fc00::1": Refusal.PRIVATE,
    "fd00:ec2::254": Refusal.METADATA,
    "fe80::1": Refusal.LINK_LOCAL,
    "fe80::1%eth0": Refusal.LINK_LOCAL,
    "2600::1%eth0": Refusal.LINK_LOCAL,
    "fec0::1": Refusal.PRIVATE,
    "ff02::1": Refusal.MULTICAST,
}
GLOBAL = (
    "8.8.8.8",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "192.169.0.1",
    "223.255.255.255",
    "2001:200::1",
    "2606:4700::1111",
    "2a00:1450:4002::200e",
)


@pytest.mark.parametrize(("address", "reason"), REFUSED.items())
def test_special_addresses_are_refused_by_name(address: str, reason: Refusal) -> None:
    assert Guard().refusal(ip_address(address)) is reason


@pytest.mark.parametrize("address", GLOBAL)
def test_global_addresses_are_allowed(address: str) -> None:
    assert Guard().refusal(ip_address(address)) is None


@pytest.mark.parametrize("address", GLOBAL)
def test_without_a_contact_no_public_address_is_allowed(address: str) -> None:
    assert Guard(public=False).refusal(ip_address(address)) is Refusal.NO_CONTACT


def test_an_allowed_private_network_opens_itself_and_nothing_else() -> None:
    guard = Guard(networks(["127.1.0.0/16", "fd12::/64"]), public=False)
    assert guard.refusal(ip_address("127.1.200.3")) is None
    assert guard.refusal(ip_address("fd12::5")) is None
    assert guard.refusal(ip_address("127.2.0.1")) is Refusal.LOOPBACK
    assert guard.refusal(ip_address("10.0.0.1")) is Refusal.PRIVATE
    assert guard.refusal(ip_address("::ffff:127.1.200.3")) is Refusal.EMBEDDED


@given(st.ip_addresses(v=4))
def test_whatever_python_does_not_call_global_is_refused_v4(address: IPv4Address) -> None:
    if not address.is_global or address.is_multicast:
        assert special(address) is not None


@given(st.ip_addresses(v=6))
def test_whatever_python_does_not_call_global_is_refused_v6(address: IPv6Address) -> None:
    if not address.is_global or address.is_multicast or address not in ip_network("2000::/3"):
        assert special(address) is not None


def test_a_wrong_network_is_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"ALLOWED_PRIVATE_NETWORKS: '127\.0\.0\.1/8' is not a network"):
        networks(["127.0.0.1/8"])


SPELLINGS = {
    "127.66.0.1": "127.66.0.1",
    "127.66.0.1.": "127.66.0.1",
    "127.66.1": "127.66.0.1",
    "2135031809": "127.66.0.1",
    "0x7f420001": "127.66.0.1",
    "0X7F.0x42.0.1": "127.66.0.1",
    "0177.0102.0.1": "127.66.0.1",
    "0177.66.1": "127.66.0.1",
    "[::ffff:127.66.0.1]": "::ffff:127.66.0.1",
    "[::ffff:7f42:1]": "::ffff:127.66.0.1",
    "[0:0:0:0:0:0:0:1]": "::1",
    "0x": "0.0.0.0",
}


@pytest.mark.parametrize(("spelling", "address"), SPELLINGS.items())
def test_every_spelling_of_an_address_is_read(spelling: str, address: str) -> None:
    assert literal(spelling) == ip_address(address)


@pytest.mark.parametrize(
    "name", ["esempio.it", "1und1.it", "0x.it", "sito.0xg1", "127.66.0.1.it", "a-1", "xn--citt-0na.it"]
)
def test_names_are_no_addresses(name: str) -> None:
    assert literal(name) is None


@pytest.mark.parametrize(
    "host", ["1.2.3.4.5", "256.1.1.1", "0x100000000", "08.1.1.1", "sito.123", "[::1", "[zz]"]
)
def test_what_only_looks_like_an_address_is_no_name_either(host: str) -> None:
    with pytest.raises(ValueError, match="neither an address nor a name"):
        literal(host)
