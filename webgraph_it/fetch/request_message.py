"""The bytes of a request (pure).

Guarantees: exactly one request, whatever the URL and the headers contain: control characters, which could end a line
and begin another request, are removed. Headers given with the request override ours, except those that identify us.
"""

from collections.abc import Mapping

from webgraph_it.fetch.target import Target

ACCEPT = {
    b"Accept": b"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    b"Accept-Language": b"it,en;q=0.5",
    b"Accept-Encoding": b"gzip, deflate, br, zstd",
    b"Connection": b"keep-alive",
}
_IDENTITY = (b"User-Agent", b"From")
_CONTROLS = bytes(range(32)) + b"\x7f"


class RequestWriter:
    """Writes requests with the same default headers."""

    def __init__(self, user_agent: str, from_email: str = "") -> None:
        self._defaults = {b"User-Agent": user_agent.encode(), **ACCEPT}
        if from_email:
            self._defaults[b"From"] = from_email.encode()
        self._default_block = _block(self._defaults)

    def write(
        self,
        target: Target,
        method: str = "GET",
        headers: Mapping[bytes, list[bytes]] | None = None,
        body: bytes = b"",
    ) -> bytes:
        """The request's bytes."""
        path, host = target.path, target.authority
        if not (path.isprintable() and host.isprintable()) or " " in path:
            path, host = _clean(path), _clean(host)
        line = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n".encode()
        block = self._merged(headers) if headers else self._default_block
        if body:
            block += b"Content-Length: %d\r\n" % len(body)
        return line + block + b"\r\n" + body

    def _merged(self, headers: Mapping[bytes, list[bytes]]) -> bytes:
        given = {name: b", ".join(values) for name, values in headers.items() if name not in _IDENTITY}
        return _block({**self._defaults, **given})


def _clean(text: str) -> str:
    return "".join(filter(str.isprintable, text)).replace(" ", "%20")


def _block(headers: Mapping[bytes, bytes]) -> bytes:
    ours = (b"Host", b"Content-Length", b"Transfer-Encoding")
    return b"".join(
        b"%s: %s\r\n" % (name.translate(None, _CONTROLS), value.translate(None, _CONTROLS))
        for name, value in headers.items()
        if name not in ours and value
    )
