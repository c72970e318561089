"""From references to named links."""

import pytest
from ada_url import join_url

from tests.defaults import link_policy
from webgraph_it.extract.naming import MAX_REFERENCES, escape_query, named, nested_urls
from webgraph_it.extract.records import Found

BASE = "http://a.it/"


@pytest.mark.parametrize(
    ("url", "inner"),
    [
        ("http://a.it/?u=http://b.it/x", ["http://b.it/x"]),
        ("http://a.it/?u=http%3A%2F%2Fb.it%2Fx%3Fy%3D1&z=2", ["http://b.it/x?y=1"]),
        ("http://a.it/?u=HTTPS%3a%2f%2fb.it", ["HTTPS://b.it"]),
        ("http://a.it/?a=1&u=http://b.it&v=https://c.it", ["http://b.it", "https://c.it"]),
        ("http://a.it/?u=xhttp://b.it", []),
        ("http://a.it/http://b.it/", []),
        ("http://a.it/?http://b.it", []),
    ],
)
def test_nested_urls(url: str, inner: list[str]) -> None:
    assert nested_urls(url) == inner


def test_nested_urls_are_links_only_when_wanted() -> None:
    raw = [("/r?u=http://b.it/", "a", "")]
    links, _, _ = named([Found(raw, BASE)], link_policy(followed=["nested"]))
    assert [(link.kind, link.url) for link in links][1:] == [("nested", "http://b.it/")]
    links, _, _ = named([Found(raw, BASE)], link_policy())
    assert len(links) == 1


def test_each_target_once_in_order_of_appearance() -> None:
    raw = [("/2", "a", ""), ("/1", "area", ""), ("http://www.a.it/2", "a", ""), ("/1#x", "a", "")]
    links, _, complete = named([Found(raw, BASE)], link_policy())
    assert [(link.kind, link.url) for link in links] == [("a", "http://a.it/2"), ("area", "http://a.it/1")]
    assert complete


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("/pagina #top", "/pagina%20"),
        ("/pagina #", "/pagina%20"),
        ("/pagina\t#top", "/pagina"),
        ("/pagina ", "/pagina"),
        (" #top", "/"),
        ("/a?b #c", "/a?b%20"),
    ],
)
def test_a_blank_before_a_fragment_is_not_at_the_end(reference: str, path: str) -> None:
    """As ada, which passes all of the web-platform tests, and so every browser."""
    links, _, _ = named([Found([(reference, "a", "")], BASE)], link_policy())
    assert (
        [link.url for link in links]
        == [f"http://a.it{path}"]
        == [join_url(BASE, reference).partition("#")[0]]
    )


def test_a_target_keeps_the_first_kind_that_is_an_arc() -> None:
    raw = [("/1", "embed", ""), ("/2", "a", ""), ("/1", "area", ""), ("/1", "a", "")]
    links, _, _ = named([Found(raw, BASE)], link_policy(embedded=True))
    assert [(link.kind, link.url) for link in links] == [("a", "http://a.it/2"), ("area", "http://a.it/1")]


def test_references_beyond_the_limit_are_left_out_and_said() -> None:
    raw = [(f"/{number}", "a", "") for number in range(MAX_REFERENCES + 1)]
    links, _, complete = named([Found(raw, BASE)], link_policy())
    assert (len(links), complete) == (MAX_REFERENCES, False)


@pytest.mark.parametrize(
    ("reference", "encoding", "escaped"),
    [
        ("/è?è", "windows-1252", "/è?%E8"),
        ("/?a=1&b=€", "windows-1252", "/?a=1&b=%80"),
        ("/?π", "windows-1252", "/?%26%23960%3B"),
        ("/?è", "UTF-16LE", "/?è"),
        ("/?è", "x-user-defined", "/?è"),
        ("/è", "windows-1252", "/è"),
        ("/?e", "windows-1252", "/?e"),
    ],
)
def test_escape_query(reference: str, encoding: str, escaped: str) -> None:
    assert escape_query(reference, encoding) == escaped


@pytest.mark.parametrize(("arcs", "followed", "setting"), [(["b"], [], "ARCS"), ([], ["b"], "FOLLOWED")])
def test_an_unknown_kind_is_one_clear_sentence(arcs: list[str], followed: list[str], setting: str) -> None:
    with pytest.raises(ValueError, match=f"LINK_KINDS_{setting} has 'b'; expected some of a, area"):
        link_policy(arcs, followed)
