"""What a failure to connect is called: the server's fault, or this machine's."""

import errno
import os

import pytest

from webgraph_it.fetch.sockets import LOCAL, connect_failure, local_lack


def named(number: int, where: str = "192.0.2.1:80") -> str:
    failure = connect_failure(OSError(number, os.strerror(number)), where, False)
    assert failure is not None
    return failure.reason


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EMFILE, "local-files"),
        (errno.ENFILE, "local-files"),
        (errno.EADDRNOTAVAIL, "local-ports"),
        (errno.ENOBUFS, "local-memory"),
        (errno.ENOMEM, "local-memory"),
        (errno.ENETDOWN, "local-network"),
        (errno.ECONNREFUSED, "refused"),
        (errno.ENETUNREACH, "unreachable"),
        (errno.EHOSTUNREACH, "unreachable"),
    ],
)
def test_a_failure_to_connect_has_a_name(number: int, reason: str) -> None:
    assert named(number) == reason


def test_where_there_is_no_ipv6_its_addresses_are_unreachable() -> None:
    """That never changes: as a local failure it would keep the crawl from its end."""
    assert named(errno.EADDRNOTAVAIL, "2001:db8::1:80") == "unreachable"
    assert named(errno.EMFILE, "2001:db8::1:80") == "local-files"


def test_a_machine_that_can_open_a_socket_lacks_nothing() -> None:
    assert local_lack() == ""
    assert "" not in LOCAL.values()
