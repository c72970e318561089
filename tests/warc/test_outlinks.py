from webgraph_it.items import LINK_KINDS, Link
from webgraph_it.warc.capture import Finding
from webgraph_it.warc.outlinks import CONTEXTS, fields


def test_every_kind_of_link_has_a_hop_and_a_context() -> None:
    assert set(CONTEXTS) == set(LINK_KINDS)
    assert {context.partition(" ")[0] for context in CONTEXTS.values()} == set("LERX")


def test_out_links_are_written_as_heritrix_does() -> None:
    links = (
        Link("http://b.it/x", "it,b)/x", b"", "a"),
        Link("http://c.it/", "it,c)/", b"", "iframe"),
        Link("http://d.it/", "it,d)/", b"", "redirect"),
    )
    assert fields(Finding(2, "it,a)/", 0.0312, links)).decode().splitlines() == [
        "viaKey: it,a)/",
        "depth: 2",
        "fetchTimeMs: 31",
        "outlink: http://b.it/x L a/@href",
        "outlink: http://c.it/ E iframe/@src",
        "outlink: http://d.it/ R Location:",
    ]


def test_a_seed_says_so() -> None:
    assert fields(Finding(0, "", 1.0, ())) == b"seed:\r\ndepth: 0\r\nfetchTimeMs: 1000\r\n"
