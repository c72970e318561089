"""TLS without a socket: our side against OpenSSL's server side, byte by byte."""

import contextlib
import ctypes
import ssl
from pathlib import Path

import pytest

from tests.fetch.certificate import server_context
from webgraph_it.fetch.sockets import lenient_tls
from webgraph_it.fetch.tls_stream import TlsStream

BODY = b"x" * 50_000


class Server:
    """OpenSSL's server side of a connection in memory."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    def answer(self, data: bytes) -> bytes:
        """What goes back during the handshake."""
        self._incoming.write(data)
        with contextlib.suppress(ssl.SSLWantReadError):
            self.tls.do_handshake()
        return self._outgoing.read()

    def write(self, data: bytes) -> bytes:
        self.tls.write(data)
        return self._outgoing.read()

    def close(self) -> bytes:
        with contextlib.suppress(ssl.SSLWantReadError):
            self.tls.unwrap()
        return self._outgoing.read()


def connected(context: ssl.SSLContext) -> tuple[TlsStream, Server]:
    client, server = TlsStream(lenient_tls(), "sito.it"), Server(context)
    client.shake_hands()
    for _ in range(5):
        answer = server.answer(client.to_send())
        if answer:
            assert client.decrypt(answer) == b""
    assert client.is_secured
    return client, server


@pytest.mark.parametrize("step", [1, 7, 2048, 100_000])
def test_what_is_sent_comes_out_however_it_is_cut(step: int, tmp_path: Path) -> None:
    client, server = connected(server_context(tmp_path))
    client.encrypt(b"GET / HTTP/1.1\r\n\r\n")
    server.answer(client.to_send())
    assert server.tls.read(100) == b"GET / HTTP/1.1\r\n\r\n"
    sealed = server.write(BODY)
    pieces = [client.decrypt(sealed[at : at + step]) for at in range(0, len(sealed), step)]
    assert b"".join(pieces) == BODY
    assert not client.is_ended


def test_the_last_bytes_come_with_the_end(tmp_path: Path) -> None:
    client, server = connected(server_context(tmp_path))
    assert client.decrypt(server.write(b"fine") + server.close()) == b"fine"
    assert client.is_ended


class HeapUse(ctypes.Structure):
    """The answer of glibc's mallinfo2: ten numbers, of which we need one."""

    _fields_ = [("before", ctypes.c_size_t * 7), ("in_use", ctypes.c_size_t), ("after", ctypes.c_size_t * 2)]


def heap_bytes() -> int:
    """In use in C's heap, where OpenSSL keeps what it keeps."""
    ask = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if ask is None:
        pytest.skip("needs glibc 2.33 or newer, which can say how much of its heap is in use")
    ask.restype = HeapUse
    return int(ask().in_use)


def test_a_large_answer_leaves_a_connection_small(tmp_path: Path) -> None:
    """Thousands of connections idle after their answer; OpenSSL keeps room for the most it was ever given at once."""
    client, server = connected(server_context(tmp_path))
    sealed = server.write(BODY)
    before = heap_bytes()
    assert client.decrypt(sealed) == BODY
    assert heap_bytes() - before < 32_000


def test_what_is_no_tls_raises(tmp_path: Path) -> None:
    client = TlsStream(lenient_tls(), "sito.it")
    client.shake_hands()
    assert client.to_send()
    with pytest.raises(ssl.SSLError):
        client.decrypt(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_no_server_makes_us_shake_hands_again() -> None:
    """A renegotiation costs the client a handshake, as often as the server likes."""
    assert lenient_tls().options & ssl.OP_NO_RENEGOTIATION
