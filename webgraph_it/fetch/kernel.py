"""Asks the kernel which of our sockets still exist, and how many bytes have arrived at one.

There are two ways to ask, with the same answer. `SocketDiagnosis` asks for one socket at a time by netlink
(sock_diag(7)), which takes a few microseconds each, whatever else the machine does. `SocketTables` reads /proc/net/tcp
and tcp6 completely, which takes a few milliseconds and more with every socket of the machine. It is used where netlink
is not allowed.

Guarantees: a flow is reported as existing in every state that a firewall would count (connecting, established, any
stage of closing), but not in TIME_WAIT, in which a socket carries nothing any more.
"""

import re
import socket
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

Endpoint = tuple[str, int]


class Flow(NamedTuple):
    """A socket's two ends: our address and port, their address and port."""

    local: Endpoint
    remote: Endpoint


class Kernel(Protocol):
    def existing(self, flows: Iterable[Flow]) -> set[Flow]:
        """Those of `flows` that exist."""

    def close(self) -> None: ...


def kernel() -> Kernel:
    """The cheapest way to ask that works here."""
    try:
        return SocketDiagnosis()
    except OSError:
        return SocketTables()


def arrived_bytes(sock: socket.socket) -> int:
    """All bytes that have arrived at a TCP socket so far, read or not. 0 if it is closed or the kernel does not say."""
    if sys.platform != "linux":
        return 0
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES_RECEIVED.size)
    except OSError:
        return 0
    received: int = _BYTES_RECEIVED.unpack(info)[0]
    return received


_BYTES_RECEIVED = struct.Struct("128xQ")
"""tcpi_bytes_received in struct tcp_info."""

_TIME_WAIT, _CLOSE, _LISTEN = 6, 7, 10
_GONE = (_TIME_WAIT, _CLOSE, _LISTEN)
"""LISTEN: the flow is gone, and a server on this machine has its port."""


# -- one socket at a time ---------------------------------------------------------------------------------------

_SOCK_DIAG_BY_FAMILY = 20
_NLM_F_REQUEST = 1
_NLMSG_ERROR = 2
_NETLINK_SOCK_DIAG = 4
_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBBI")
_ANY_STATE = 0xFFFFFFFF
_NO_COOKIE = struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)


class SocketDiagnosis:
    """Asks by netlink. Raises OSError if that is not possible here."""

    def __init__(self) -> None:
        family = getattr(socket, "AF_NETLINK", None)
        if family is None:
            raise OSError("no netlink on this system")
        self._socket = socket.socket(family, socket.SOCK_RAW, _NETLINK_SOCK_DIAG)
        self._socket.settimeout(1.0)
        self._number = 0
        try:
            self._state(Flow(("127.0.0.1", 9), ("127.0.0.1", 9)))
        except OSError:
            self._socket.close()
            raise

    def existing(self, flows: Iterable[Flow]) -> set[Flow]:
        return {flow for flow in flows if self._is_there(flow)}

    def close(self) -> None:
        self._socket.close()

    def _is_there(self, flow: Flow) -> bool:
        try:
            return self._state(flow) not in _GONE
        except OSError:  # no answer: the flow keeps its place, and we ask again
            return True

    def _state(self, flow: Flow) -> int:
        """The socket's state; CLOSE if there is none."""
        self._number = (self._number + 1) % 2**32
        self._socket.send(_question(flow, self._number))
        while True:
            answer = self._socket.recv(8192)
            _, kind, _, number, _ = _HEADER.unpack_from(answer)
            if number == self._number:
                break
        if kind != _NLMSG_ERROR:
            return answer[_HEADER.size + 1]
        error: int = -struct.unpack_from("=i", answer, _HEADER.size)[0]
        if error != 2:  # ENOENT
            raise OSError(error, "the kernel does not say which sockets there are")
        return _CLOSE


def _question(flow: Flow, number: int) -> bytes:
    (here, port), (there, remote_port) = flow
    family = socket.AF_INET6 if ":" in here else socket.AF_INET
    body = b"".join(
        (
            _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 0, _ANY_STATE),
            struct.pack("!HH", port, remote_port),
            socket.inet_pton(family, here).ljust(16, b"\0"),
            socket.inet_pton(family, there).ljust(16, b"\0"),
            _NO_COOKIE,
        )
    )
    return _HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, number, 0) + body


# -- the whole table --------------------------------------------------------------------------------------------

_ROW = re.compile(rb"^ *\d+: ([0-9A-F]+:[0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) ([0-9A-F]{2}) ", re.MULTILINE)


class SocketTables:
    """Reads the kernel's tables."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths or (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))

    def existing(self, flows: Iterable[Flow]) -> set[Flow]:
        rows = set[tuple[bytes, bytes]]()
        for path in self._paths:
            rows |= table_rows(_read(path))
        return {flow for flow in flows if (kernel_name(*flow.local), kernel_name(*flow.remote)) in rows}

    def close(self) -> None: ...


def table_rows(table: bytes) -> set[tuple[bytes, bytes]]:
    """The existing flows in a kernel table (local, remote, as written there)."""
    return {(row[0], row[1]) for row in _ROW.findall(table) if int(row[2], 16) not in _GONE}


def kernel_name(address: str, port: int) -> bytes:
    """An endpoint as /proc/net/tcp writes it: the address in 32-bit words of the host's byte order."""
    packed = socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
    if sys.byteorder == "little":
        packed = b"".join(packed[i : i + 4][::-1] for i in range(0, len(packed), 4))
    return b"%s:%04X" % (packed.hex().upper().encode(), port)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # no IPv6 here
        return b""
