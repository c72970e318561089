"""Traits of ordinary hosts, and the extra hosts beside them.

Traits of one group exclude each other (a host has one robots.txt). Each habit gets at least one host, as long
as hosts are left. A host's origin is a URL that always works, if the host works at all.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import log
from random import Random

from webgraph_it.simweb.habits.catalogue import EXTRA_HOSTS, HABITS
from webgraph_it.simweb.hosts import (
    HTTP_ONLY_ADDRESS,
    HTTPS_ONLY_ADDRESS,
    REFUSING_ADDRESS,
    Addresses,
    Host,
)
from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.words import PLAIN

LATENCY_MAX_SECONDS = 2.0
ANNEX_PAGES = 2

_GROUPS = (
    ("idn",),
    ("https", "https-twin", "https-redirect", "https-only", "http-only"),
    ("www-twin", "www-redirect", "www-lost"),
    (
        "robots-crawl-delay",
        "robots-disallow",
        "robots-wildcard",
        "robots-group",
        "robots-absent",
        "robots-401",
        "robots-html",
        "robots-redirected",
        "robots-huge",
        "robots-sitemap",
    ),
    ("latency",),
    ("dns-slow", "dns-lost"),
)
EXTRA_HABITS = tuple(habit.name for habit in HABITS if habit.of == EXTRA_HOSTS)
DEAD = frozenset({"dns-nxdomain", "dns-servfail", "refused"})
"""Extra hosts from which nothing can be fetched."""
TRAPS = frozenset({"trap-calendar", "trap-path", "trap-session", "trap-soft-404"})


def with_traits(hosts: list[Host], plan: Plan) -> list[Host]:
    """The same hosts, with traits according to the plan's shares."""
    traits: list[set[str]] = [set() for _ in hosts]
    for group in _GROUPS:
        for number, name in _dealt(group, plan.shares, len(hosts), plan.seed).items():
            traits[number].add(name)
    return [
        _with(host, frozenset(names), plan) if names else host
        for host, names in zip(hosts, traits, strict=True)
    ]


def _dealt(group: tuple[str, ...], shares: Mapping[str, float], hosts: int, seed: int) -> dict[int, str]:
    """Which host gets which habit of the group. Crawl delays go to the smallest hosts, which are the last."""
    numbers = list(range(hosts))
    Random(f"{seed} {group}").shuffle(numbers)
    if "robots-crawl-delay" in group:
        numbers.sort(key=lambda number: number < hosts * 3 // 4)
    dealt: dict[int, str] = {}
    for name in group:
        if name in shares:
            count = max(1, round(shares[name] * hosts))
            dealt |= dict.fromkeys(numbers[:count], name)
            del numbers[:count]
    return dealt


def _with(host: Host, traits: frozenset[str], plan: Plan) -> Host:
    host = replace(host, traits=traits)
    if "idn" in traits:
        host = _accented(host)
    if traits & {"https", "https-redirect", "https-only"}:
        host = replace(host, scheme="https")
    if "https-only" in traits:
        host = replace(host, address=HTTPS_ONLY_ADDRESS)
    if "http-only" in traits:
        host = replace(host, address=HTTP_ONLY_ADDRESS)
    if "latency" in traits:
        host = replace(host, latency_seconds=_latency(host, plan))
    return host


def _accented(host: Host) -> Host:
    shown = f"città-{host.name}"
    return replace(host, shown=shown, name=shown.encode("idna").decode("ascii"))


def _latency(host: Host, plan: Plan) -> float:
    random = Random(f"{plan.seed} latency {host.number}")
    drawn = random.lognormvariate(log(plan.latency_seconds), plan.latency_spread)
    return min(LATENCY_MAX_SECONDS, drawn)


def extra_hosts(plan: Plan) -> list[Host]:
    """The hosts that some habits add, numbered after the ordinary ones."""
    addresses = Addresses(plan, "extra")
    wanted = [
        (habit, serial)
        for habit in EXTRA_HABITS
        if habit in plan.shares
        for serial in range(max(1, round(plan.shares[habit] * plan.hosts)))
    ]
    return [
        Host(
            plan.hosts + n,
            _extra_name(habit, serial, plan.tld),
            plan.pages,
            ANNEX_PAGES,
            REFUSING_ADDRESS if habit == "refused" else addresses.pick(),
            traits=frozenset({habit}),
        )
        for n, (habit, serial) in enumerate(wanted)
    ]


def _extra_name(habit: str, serial: int, tld: str) -> str:
    outside = "com" if tld != "com" else "org"
    domain = outside if habit == "directory" else tld
    return f"{habit}-{PLAIN[serial % len(PLAIN)]}{serial}.{domain}"
