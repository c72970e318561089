"""Where the console listens, and by which names it may be called. Pure but for `refuse_if_taken`.

A name that is not listed is refused before anything else is looked at: a page on the web can make its own name lead to
127.0.0.1 (DNS rebinding), but then the browser still says that name.
"""

import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from webgraph_it.settings_readers import listen_address


class ConsoleError(Exception):
    """Why the console cannot be served, in one sentence."""


class Address(NamedTuple):
    """An IP address and a port."""

    ip: str
    port: int

    @classmethod
    def of(cls, text: str) -> "Address":
        """`127.0.0.1:6060`; ValueError if it is none."""
        return cls(*listen_address(text))

    def __str__(self) -> str:
        return f"[{self.ip}]:{self.port}" if self._parsed.version == 6 else f"{self.ip}:{self.port}"

    @property
    def _parsed(self) -> IPv4Address | IPv6Address:
        return ip_address(self.ip)

    @property
    def is_loopback(self) -> bool:
        return self._parsed.is_loopback

    def names(self, others: Iterable[str]) -> frozenset[str]:
        """Every Host header that is answered, in lower case. One of `others` may have a port of its own."""
        own = {str(self), f"localhost:{self.port}"} if self.is_loopback else {str(self)}
        given = {name.lower() for name in others}
        return frozenset(own | given | {f"{name}:{self.port}" for name in given if ":" not in name})

    def listening(self) -> socket.socket:
        """A socket that listens there; ConsoleError if the system refuses."""
        family = socket.AF_INET6 if self._parsed.version == 6 else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((self.ip, self.port))
            listening.listen(64)
        except OSError as error:
            listening.close()
            raise ConsoleError(
                f"CONSOLE is {self}, where nobody can listen now ({error.strerror}); "
                "expected: an address of this machine and a free port. Give another with -s CONSOLE=…"
            ) from None
        listening.setblocking(False)
        return listening
