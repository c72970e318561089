"""TLS between the bytes of a socket and those of HTTP, without I/O: the connection does the reading and writing.

We do not use the event loop's TLS, because it continues to read up to 256 KB after reading was paused. With a bandwidth
limit, what is not wanted yet must stay at the server, with or without TLS.
"""

import ssl

_MAX_RECORD_BYTES = 16 * 1024
_PIECE_BYTES = 8 * 1024
"""Input for OpenSSL at a time: it keeps a buffer for the largest piece as long as the connection exists."""


class TlsStream:
    """The client's side of one TLS connection. Any call may raise ssl.SSLError."""

    def __init__(self, context: ssl.SSLContext, server_name: str) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=server_name or None)
        self.is_secured = False
        """Whether the handshake is complete."""
        self.is_ended = False
        """Whether the server has said that it will send nothing more."""

    def to_send(self) -> bytes:
        """What must be written to the socket now."""
        return self._outgoing.read()

    def shake_hands(self) -> None:
        """Continue the handshake as far as the received bytes allow."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return
        self.is_secured = True

    def encrypt(self, data: bytes) -> None:
        """Encrypt the data and add it to `to_send`."""
        self._tls.write(data)

    def decrypt(self, data: bytes) -> bytes:
        """The plain bytes that these bytes from the socket complete."""
        plain: list[bytes] = []
        for start in range(0, len(data), _PIECE_BYTES):
            self._incoming.write(data[start : start + _PIECE_BYTES])
            if not self.is_secured:
                self.shake_hands()
            self._read_into(plain)
        return b"".join(plain)

    def _read_into(self, plain: list[bytes]) -> None:
        try:
            while self.is_secured and (self._incoming.pending or self._tls.pending()):
                piece = self._tls.read(_MAX_RECORD_BYTES)
                if not piece:
                    self.is_ended = True
                    break
                plain.append(piece)
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self.is_ended = True
