"""Host and registrable domain of a key. The only module that uses the public suffix list.

The registrable domain is the public suffix plus one label: `comune.padova.it` is one, because `padova.it`
is a public suffix. It comes from the list inside tldextract: no network, no cache on disk, private suffixes
(blogspot.it) not counted. An IP address and a name without a public suffix are their own domain.

`site_above` does count private suffixes: two sites of altervista.org have two owners.

Hosts and domains are labels of a key (`it,unipd,dei`) unless stated otherwise.
"""

from functools import cache, lru_cache
from hashlib import md5
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import TLDExtract

_HOSTS_REMEMBERED = 50_000


def host_name(key: str) -> str:
    """`it,padova,comune):8080/uffici` → `comune.padova.it`."""
    return _turned(key.partition(")")[0], ",", ".")


def registrable_domain(host: str) -> str:
    """`it,padova,comune,sit` → `it,padova,comune`; a host under no registrable domain is itself one."""
    domain = str(_extractor().extract_str(_turned(host, ",", ".")).top_domain_under_public_suffix)
    return _turned(domain, ".", ",") if domain else host


@lru_cache(maxsize=_HOSTS_REMEMBERED)
def labels_below_domain(host: str) -> int:
    """`it,unipd,dei` has one label (dei) below its registrable domain; an IP address has none."""
    subdomain = str(_extractor().extract_str(_turned(host, ",", ".")).subdomain)
    return subdomain.count(".") + 1 if subdomain else 0


def load_suffixes() -> None:
    """Read the list now: in the middle of a crawl there may be no file descriptor left to read it with."""
    _extractor()
    site_above("it,a,b")


@cache
def _extractor() -> "TLDExtract":
    from tldextract import TLDExtract  # it loads an HTTP client, so import it only when it is needed

    return TLDExtract(cache_dir=None, suffix_list_urls=(), fallback_to_snapshot=True)


def _turned(name: str, separator: str, joint: str) -> str:
    """The labels in reverse order."""
    return joint.join(reversed(name.split(separator)))


def site_above(labels: str) -> str:
    """The registrable domain above a host, counting private suffixes; empty if there is none.

    Host and domain are labels of a key: `it,unipd,dei` → `it,unipd`; `it,unipd` and `it,blogspot,rosa` → empty.
    """
    if labels.count(",") < 2:  # at most a domain: a quick answer for lists of domains
        return ""
    parts = labels.split(",")
    size = _suffix_size(parts) + 1
    return ",".join(parts[:size]) if size < len(parts) else ""


def site_of(host: str) -> str:
    """The site of a host: the registrable domain, private suffixes counted. A host above all sites is its own."""
    return site_above(host) or host


def suffixes_checksum() -> str:
    """Of the public suffix list. With another list, some hosts belong to other sites."""
    return md5("\n".join(sorted(_rules())).encode(), usedforsecurity=False).hexdigest()


def _suffix_size(parts: list[str]) -> int:
    """Number of labels in the public suffix: the longest rule wins, an exception wins over all; without a rule, one."""
    rules = _rules()
    size, name = 1, parts[0]
    for position, label in enumerate(parts[1:], 1):
        wildcard = f"{name},*" in rules
        name = f"{name},{label}"
        if f"!{name}" in rules:
            return position
        if wildcard or name in rules:
            size = position + 1
    return size


@cache
def _rules() -> frozenset[str]:
    """The public suffix list with labels in the order of keys: `it,padova`, `ck,*`, `!ck,www`."""
    rules = _extractor()._get_tld_extractor().tlds(include_psl_private_domains=True)
    return frozenset(
        _in_key_order(rule.encode("idna").decode() if not rule.isascii() else rule) for rule in rules
    )


def _in_key_order(rule: str) -> str:
    sign, name = ("!", rule[1:]) if rule.startswith("!") else ("", rule)
    return sign + _turned(name, ".", ",")
