"""Listening sockets, only on addresses of 127.0.0.0/8: one per address and port, never a wildcard.

So nothing can be reached from outside the machine, and an address without a listener refuses connections. Port
0 means a port that is free on all the addresses.
"""

import errno
import socket
from collections.abc import Sequence

from webgraph_it.simweb.plan import PlanError

BACKLOG = 4096
_TRIES = 20


def listen(addresses: Sequence[str], port: int, name: str) -> list[socket.socket]:
    """One listening TCP socket per address, all on one port."""
    for _ in range(_TRIES if port == 0 else 1):
        try:
            return _listen_all(addresses, port)
        except OSError as error:
            failure = error
            if error.errno != errno.EADDRINUSE:
                break
    raise PlanError(_sentence(name, port, failure))


def name_server_sockets(address: str, port: int) -> tuple[socket.socket, socket.socket]:
    """A UDP and a listening TCP socket on one port."""
    for _ in range(_TRIES if port == 0 else 1):
        tcp = listen([address], port, "DNS")[0]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.setblocking(False)
        try:
            udp.bind((address, tcp.getsockname()[1]))
        except OSError as error:
            failure = error
            tcp.close()
            udp.close()
        else:
            return udp, tcp
    raise PlanError(_sentence("DNS", port, failure))


def _listen_all(addresses: Sequence[str], port: int) -> list[socket.socket]:
    opened: list[socket.socket] = []
    try:
        for address in addresses:
            opened.append(_listen_one(address, port))
            port = opened[0].getsockname()[1]
    except OSError:
        for each in opened:
            each.close()
        raise
    return opened


def _listen_one(address: str, port: int) -> socket.socket:
    if not address.startswith("127."):
        raise ValueError(f"{address} is outside 127.0.0.0/8")
    one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((address, port))
        one.listen(BACKLOG)
    except OSError:
        one.close()
        raise
    one.setblocking(False)
    return one


def _sentence(name: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} for {name} is busy; choose another one, or 0 for any free port"
    if error.errno == errno.EMFILE:
        return "too many open files for this many addresses; ask for fewer with --addresses, or raise `ulimit -n`"
    return f"port {port} for {name} cannot be opened: {error.strerror}"
