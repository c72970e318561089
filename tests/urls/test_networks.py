"""What has one clock."""

import pytest

from webgraph_it.urls.networks import network_of


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::9", "2001:db8:1:3::/64"),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64"),
    ],
)
def test_an_ipv6_address_shares_the_clock_of_its_network(address: str, network: str) -> None:
    assert network_of(address) == network
