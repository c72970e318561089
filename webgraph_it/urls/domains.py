"""Host and registrable domain of a key.

The registrable domain is the public suffix and one label more: `comune.padova.it` is one, because `padova.it`
is a public suffix. It comes from the list inside tldextract: no network, no cache on disk, private suffixes
(blogspot.it) not counted. An IP address and a name without a public suffix are their own domain.
"""

from functools import lru_cache

from tldextract import TLDExtract

_HOSTS_REMEMBERED = 1 << 16

_extract = TLDExtract(cache_dir=None, suffix_list_urls=(), fallback_to_snapshot=True)


def host(key: str) -> str:
    """`it,padova,comune):8080/uffici` → `comune.padova.it`."""
    return _host_of_labels(key.partition(")")[0])


def domain(key: str) -> str:
    """`it,unipd,dei)/` → `unipd.it`."""
    return _domain_of_labels(key.partition(")")[0])


@lru_cache(maxsize=_HOSTS_REMEMBERED)
def _host_of_labels(labels: str) -> str:
    return ".".join(reversed(labels.split(",")))


@lru_cache(maxsize=_HOSTS_REMEMBERED)
def _domain_of_labels(labels: str) -> str:
    name = _host_of_labels(labels)
    return str(_extract.extract_str(name).top_domain_under_public_suffix) or name
