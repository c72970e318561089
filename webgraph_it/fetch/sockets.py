"""Opens sockets: how they connect, how they will close, their TLS options, and the names of failures.

Guarantees: a socket connects to the address it is given and no other; closing it resets the connection, so that
no side keeps it in a table afterwards. It does not decide which addresses are allowed: guard.py does.
"""

import asyncio
import errno
import os
import socket
import ssl
import struct

from webgraph_it.fetch.connection import FetchError


def connect_failure(error: BaseException, where: str, tls: bool) -> FetchError | None:
    """What went wrong while connecting; None if the error is not a failure to connect."""
    if isinstance(error, TimeoutError):
        return FetchError("connect-timeout", f"{where} did not accept the connection in time")
    if isinstance(error, ConnectionRefusedError):
        return FetchError("refused", f"{where} refused the connection")
    if tls and isinstance(error, ssl.SSLError | ValueError | ConnectionResetError | ConnectionAbortedError):
        return FetchError("tls", f"{where}: {error}")
    if isinstance(error, OSError):
        return FetchError(_name_of(error, is_ipv6=where.count(":") > 1), f"{where}: {error}")
    return None


def _name_of(error: OSError, is_ipv6: bool) -> str:
    """On a machine without an IPv6 address, EADDRNOTAVAIL never goes away. It must not count as local then, or a crawl
    with such a host would never end."""
    if is_ipv6 and error.errno == errno.EADDRNOTAVAIL:
        return "unreachable"
    return LOCAL.get(error.errno or 0, "unreachable")


LOCAL = {
    errno.EMFILE: "local-files",
    errno.ENFILE: "local-files",
    errno.EADDRNOTAVAIL: "local-ports",
    errno.ENOBUFS: "local-memory",
    errno.ENOMEM: "local-memory",
    errno.ENETDOWN: "local-network",
}
"""What this machine lacks: not the server's fault, and a later attempt may succeed."""


def local_lack() -> str:
    """What keeps this machine from opening a socket now, by its name in LOCAL; empty if nothing does."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    except OSError as error:
        return LOCAL.get(error.errno or 0, "")
    return ""


def new_socket(address: str, receive_buffer_bytes: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    if receive_buffer_bytes:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
    return sock


_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


async def connect_socket(loop: asyncio.AbstractEventLoop, sock: socket.socket, to: tuple[str, int]) -> None:
    """As loop.sock_connect, at half its cost: this is the most expensive step of a fetch."""
    error = sock.connect_ex(to)
    if error == errno.EINPROGRESS:
        connected = loop.create_future()
        loop.add_writer(sock, _set_done, connected)
        try:
            await connected
        finally:
            loop.remove_writer(sock)
        error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if error:
        raise OSError(error, os.strerror(error))


def _set_done(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def server_name(host: str) -> str:
    """The name for SNI. An address is not a name, and the ssl module does not send it."""
    return host.strip("[]").removesuffix(".")


_OP_LEGACY_SERVER_CONNECT = 0x4
"""Allows servers without secure renegotiation. The ssl module has this constant only since Python 3.12."""


def lenient_tls() -> ssl.SSLContext:
    """One context for all: accepts any certificate, and any protocol and cipher that OpenSSL still supports.

    We read public pages and send no secrets, so an invalid certificate does not matter for the links.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.options |= _OP_LEGACY_SERVER_CONNECT | getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)
    context.options |= ssl.OP_NO_RENEGOTIATION  # each would cost us a handshake, and the server nothing
    return context
