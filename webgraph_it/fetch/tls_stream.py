"""TLS between the bytes of a socket and those of HTTP, without I/O: the connection reads and writes itself.

Ours and not the event loop's, because a loop that speaks TLS goes on reading up to 256 KB while its user has paused:
with a bandwidth limit what is not wanted yet must stay at the server, TLS or not.
"""

import ssl

_MAX_RECORD_BYTES = 16 * 1024
_PIECE_BYTES = 8 * 1024
"""Given to OpenSSL at once: it keeps room for the largest piece as long as the connection lives, used or idle."""


class TlsStream:
    """The client's side of one TLS connection. Any call may raise ssl.SSLError."""

    def __init__(self, context: ssl.SSLContext, server_name: str) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=server_name or None)
        self.is_secured = False
        """The handshake is over."""
        self.is_ended = False
        """The server has said that nothing more will come."""

    def to_send(self) -> bytes:
        """What must be written to the socket now."""
        return self._outgoing.read()

    def shake_hands(self) -> None:
        """Go as far as what has come allows."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return
        self.is_secured = True

    def encrypt(self, data: bytes) -> None:
        """Put it into `to_send`."""
        self._tls.write(data)

    def decrypt(self, data: bytes) -> bytes:
        """The plain bytes that are complete with these of the socket."""
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
