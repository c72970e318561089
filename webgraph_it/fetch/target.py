"""Splits a URL into scheme, host, port and path for one request (pure).

Guarantees: splits every result of `urls.names.normal`. Any other text is either split the same way or raises a
ValueError that names the URL. It does not normalise: the path is sent unchanged.
"""

from typing import NamedTuple


class Target(NamedTuple):
    """What one request needs to know about its URL."""

    tls: bool
    host: str
    """Lower case; an IPv6 address keeps its brackets."""
    port: int
    """As the URL says; PORT_MAP is applied when connecting."""
    authority: str
    """For the Host header: without user and default port."""
    path: str
    """With its query, without a fragment; never empty."""

    @property
    def url(self) -> str:
        """The URL again; identical if it was in normal form."""
        return f"{'https' if self.tls else 'http'}://{self.authority}{self.path}"


def target_of(url: str) -> Target:
    """Split an http or https URL."""
    scheme, _, rest = url.partition("://")
    if scheme not in _DEFAULT_PORTS:
        raise ValueError(f"{url!r} is neither http nor https")
    rest = rest.partition("#")[0]
    slash = rest.find("/")
    question_mark = rest.find("?")
    if slash < 0 or 0 <= question_mark < slash:
        slash = question_mark if question_mark >= 0 else len(rest)
    authority, path = rest[:slash], rest[slash:]
    if path[:1] != "/":
        path = "/" + path
    if "@" in authority:
        authority = authority.rpartition("@")[2]
    tls = scheme == "https"
    if ":" not in authority:
        host = authority.lower()
        if not host:
            raise ValueError(f"{url!r} has no host")
        return Target(tls, host, _DEFAULT_PORTS[scheme], host, path)
    return _with_port(url, scheme, authority, path)


_DEFAULT_PORTS = {"http": 80, "https": 443}


def _with_port(url: str, scheme: str, authority: str, path: str) -> Target:
    default = _DEFAULT_PORTS[scheme]
    host, _, digits = authority.lower().rpartition(":")
    if authority[-1:] == "]":
        host, digits = authority.lower(), ""
    if not host or (digits and not (digits.isascii() and digits.isdigit() and 0 < int(digits) < 65536)):
        raise ValueError(f"{url!r} has no host, or an invalid port")
    port = int(digits) if digits else default
    return Target(scheme == "https", host, port, host if port == default else f"{host}:{port}", path)
