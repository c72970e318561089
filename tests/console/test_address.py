"""Where the console listens, and by which names it may be called."""

import socket

import pytest

from webgraph_it.console.address import Address, ConsoleError
from webgraph_it.settings_table import CrawlSettings, SettingsError


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "localhost:6060", "127.0.0.1:0", "127.0.0.1:99999", "::1:6060", 6060]
)
def test_what_is_no_address_is_one_sentence(text: object) -> None:
    with pytest.raises(
        SettingsError, match=r"CONSOLE is .*expected: an address and a port such as 127.0.0.1:6060"
    ):
        CrawlSettings.read({"CONSOLE": text})


def test_names_are_the_address_localhost_and_what_was_given() -> None:
    loopback = Address.of("127.0.0.1:6060")
    assert loopback.names(["Crawl.example.it"]) == {
        *("127.0.0.1:6060", "localhost:6060", "crawl.example.it", "crawl.example.it:6060"),
    }
    assert Address.of("192.0.2.1:80").names([]) == {"192.0.2.1:80"}
    assert Address.of("[::1]:6060").names([]) == {"[::1]:6060", "localhost:6060"}


def test_loopback_is_known() -> None:
    assert [
        Address.of(text).is_loopback for text in ("127.9.9.9:1", "[::1]:1", "0.0.0.0:1", "192.0.2.1:1")
    ] == [
        *(True, True, False, False),
    ]


def test_an_address_in_use_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConsoleError, match=rf"CONSOLE is 127.0.0.1:{port}, where nobody can listen now"):
            Address("127.0.0.1", port).listening()
