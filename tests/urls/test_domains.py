"""Hosts and registrable domains, by the public suffix list inside tldextract."""

import random

import pytest
from tldextract import TLDExtract

from webgraph_it.urls import domains
from webgraph_it.urls.domains import host_name, labels_below_domain, registrable_domain, site_above


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
    found = registrable_domain(key.partition(")")[0])
    assert (host_name(key), ".".join(reversed(found.split(",")))) == (expected_host, expected_domain)


def test_no_network_and_no_file_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("domains must not connect")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    assert registrable_domain("it,mai-visto-prima,a") == "it,mai-visto-prima"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("it,unipd,dei", "it,unipd"),
        ("it,unipd,dei,www3", "it,unipd"),
        ("it,unipd", ""),
        ("it,padova,comune", ""),
        ("it,padova,comune,sit", "it,padova,comune"),
        ("com,blogspot,rosa", ""),  # a private suffix: each blog is a site
        ("com,blogspot,rosa,a", "com,blogspot,rosa"),
        ("org,altervista,rosa", ""),
        ("ck,www,a", "ck,www"),
        ("ck,altro,a", ""),
        ("ck,altro,a,b", "ck,altro,a"),
        ("inesistente,a,b", "inesistente,a"),
        ("it", ""),
        ("127.0.0.1", ""),
        ("[2001:db8::1]", ""),
    ],
)
def test_the_site_above_a_host(labels: str, expected: str) -> None:
    assert site_above(labels) == expected


def test_the_site_above_is_the_one_of_the_public_suffix_list() -> None:
    oracle = TLDExtract(
        cache_dir=None, suffix_list_urls=(), fallback_to_snapshot=True, include_psl_private_domains=True
    )
    chance = random.Random(1)
    rules = sorted(rule for rule in oracle.tlds if rule.isascii())
    assert len(rules) > 5000
    for rule in chance.sample(rules, 1000):
        suffix = rule.replace("*", "w").lstrip("!")
        for name in (suffix, f"a.{suffix}", f"b.a.{suffix}", f"c.b.a.{suffix}"):
            found = oracle(name)
            expected = found.top_domain_under_public_suffix if found.subdomain else ""
            labels = ",".join(reversed(name.split(".")))
            assert ".".join(reversed(site_above(labels).split(","))) == expected, name


@pytest.mark.parametrize(
    ("host", "labels"), [("it,a", 0), ("it,a,b,c", 2), ("it,pd,comune", 0), ("[::1]", 0), ("it", 0)]
)
def test_labels_are_counted_below_the_registrable_domain(host: str, labels: int) -> None:
    assert labels_below_domain(host) == labels


def test_the_suffix_list_is_loaded_before_anybody_asks() -> None:
    domains._extractor.cache_clear()
    domains._rules.cache_clear()
    domains.load_suffixes()
    assert domains._rules.cache_info().currsize == domains._extractor.cache_info().currsize == 1
