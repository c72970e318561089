"""The DNS answer for each name of the world, including the DNS habits of hosts."""

from webgraph_it.simweb.dns_server import NOERROR, NXDOMAIN, SERVFAIL, TTL_SECONDS, Reply
from webgraph_it.simweb.hostile import DNS_ATTACKS, above_wildcard
from webgraph_it.simweb.names import bare
from webgraph_it.simweb.world import World

SLOW_SECONDS = 0.3


def book(world: World, name: str, asked_before: int) -> Reply:
    """The reply for a name in lower case."""
    host = world.by_name.get(above_wildcard(bare(name)))
    if host is None or "dns-nxdomain" in host.traits:
        return Reply(NXDOMAIN)
    if "www-lost" in host.traits and name.startswith("www.") != host.www:
        return Reply(NXDOMAIN)
    if "dns-servfail" in host.traits:
        return Reply(SERVFAIL)
    attacks = [DNS_ATTACKS[trait](host, asked_before) for trait in host.traits if trait in DNS_ATTACKS]
    return Reply(
        NOERROR,
        attacks[0] if attacks else (host.address,),
        delay_seconds=SLOW_SECONDS if "dns-slow" in host.traits else 0.0,
        lost="dns-lost" in host.traits and asked_before == 0,
        ttl_seconds=0 if attacks else TTL_SECONDS,  # an attacker wants the name to be looked up again
    )
