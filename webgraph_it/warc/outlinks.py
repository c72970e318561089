"""The block of a metadata record: `application/warc-fields`, with the names that Heritrix uses (pure).

    seed:                    or  viaKey: it,padova,comune)/uffici     (the key of the page, see urls/names.py)
    depth: 2
    fetchTimeMs: 31
    outlink: http://www.comune.padova.it/anagrafe L a/@href

An out-link has its URL, Heritrix's letter for the hop and the place in the document: L a link, E an embedded resource,
R a redirect, X a guess. `viaKey` and `depth` are ours: Heritrix has the URL of the page and a path of letters instead.
"""

from webgraph_it.warc.capture import Finding

CONTEXTS = {
    "a": "L a/@href",
    "area": "L area/@href",
    "frame": "E frame/@src",
    "iframe": "E iframe/@src",
    "link": "E link/@href",
    "form": "L form/@action",
    "refresh": "R meta",
    "redirect": "R Location:",
    "embed": "E =EMBED_MISC",
    "css": "E =EMBED_MISC",
    "script": "X =JS_MISC",
    "xml": "X =SPECULATIVE_MISC",
    "document": "L =NAVLINK_MISC",
    "nested": "L =NAVLINK_MISC",
}
"""Kind of link (items.LINK_KINDS) → hop and context."""
_OTHER = "L =NAVLINK_MISC"


def fields(finding: Finding) -> bytes:
    """The block of the metadata record."""
    found_at = f"viaKey: {finding.via}" if finding.via else "seed:"
    lines = [found_at, f"depth: {finding.depth}", f"fetchTimeMs: {1000 * finding.seconds:.0f}"]
    lines += [f"outlink: {link.url} {CONTEXTS.get(link.kind, _OTHER)}" for link in finding.links]
    return "\r\n".join([*lines, ""]).encode()
