"""Hosts and registrable domains, by the public suffix list inside tldextract."""

import pytest

from webgraph_it.urls.domains import domain, host


@pytest.mark.parametrize(
    ("key", "expected_host", "expected_domain"),
    [
        ("it,padova,comune)/uffici", "comune.padova.it", "comune.padova.it"),
        ("it,unipd,dei)/", "dei.unipd.it", "unipd.it"),
        ("it,unipd):8080/x", "unipd.it", "unipd.it"),
        ("it,gov,interno,questure)/", "questure.interno.gov.it", "interno.gov.it"),
        ("it,blogspot,mio)/", "mio.blogspot.it", "blogspot.it"),
        ("it,padova)/", "padova.it", "padova.it"),
        ("it)/", "it", "it"),
        ("uk,co,esempio,a)/", "a.esempio.co.uk", "esempio.co.uk"),
        ("localhost)/", "localhost", "localhost"),
        ("inesistente,a,b)/", "b.a.inesistente", "b.a.inesistente"),
        ("127.0.0.1):80/", "127.0.0.1", "127.0.0.1"),
        ("[2001:db8::1])/", "[2001:db8::1]", "[2001:db8::1]"),
        ("it,xn--citt-3na,www)/", "www.xn--citt-3na.it", "xn--citt-3na.it"),
    ],
)
def test_host_and_domain_of_a_key(key: str, expected_host: str, expected_domain: str) -> None:
    assert (host(key), domain(key)) == (expected_host, expected_domain)


def test_no_network_and_no_file_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("domains must not connect")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    assert domain("it,mai-visto-prima,a)/") == "mai-visto-prima.it"
