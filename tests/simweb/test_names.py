"""simweb's names are those of the crawler's recipe, though made without it."""

import re
from html import unescape

import pytest

from webgraph_it.simweb import Plan
from webgraph_it.simweb.habits import DEFAULT_SHARES
from webgraph_it.simweb.names import Place, bare, canonical_path, host_key, key
from webgraph_it.simweb.pages import FETCHED
from webgraph_it.simweb.plain import path_of
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World
from webgraph_it.urls import names

WORLD = World(Plan(hosts=40, pages=200, shares=DEFAULT_SHARES))


def test_the_key_of_every_node_is_that_of_the_recipe() -> None:
    truth = walk(WORLD)
    assert {k: names.key(truth.urls[k]) for k in truth.nodes} == {k: k for k in truth.nodes}


def test_every_spelling_on_an_ordinary_page_has_the_key_of_its_target() -> None:
    spellings = 0
    for host in WORLD.hosts:
        for index in range(host.page_count):
            place = Place(host.name, path_of(host, index))
            page = WORLD.page(place)
            assert page is not None
            assert page.state == FETCHED
            for link in page.links:
                for href in re.findall(r'(?:href|src)="([^"]*)"', link.markup) if link.target else ():
                    name = names.name(unescape(href), WORLD.url(place))
                    assert isinstance(name, names.Name)
                    assert name.key == key(link.target)
                    spellings += 1
    assert spellings > 1000


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/a;jsessionid=1F?x=1", "/a?x=1"),
        ("/(S(abc))/a", "/a"),
        ("/a?PHPSESSID=1&x=2", "/a?x=2"),
        ("/a?sid=" + "f" * 32, "/a"),
        ("/a?sid=kurz", "/a?sid=kurz"),
        ("/perch%c3%a9?", "/perch%C3%A9"),
        ("/A/b", "/A/b"),
    ],
)
def test_canonical_path_undoes_the_spellings_of_the_recipe(target: str, path: str) -> None:
    assert canonical_path(target) == path
    assert names.key(f"http://sito.it{target}") == f"it,sito){path}"


def test_hosts_have_one_name() -> None:
    assert bare("WWW.Comune.Padova.it.") == "comune.padova.it"
    assert host_key("comune.padova.it") == "it,padova,comune)"
