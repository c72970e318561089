"""Traps have no end; portals lead into .it."""

import re
from html import unescape
from urllib.parse import urljoin, urlsplit

import pytest

from webgraph_it.simweb import Plan
from webgraph_it.simweb.habits.hosts import TRAPS
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World


@pytest.mark.parametrize("trap", sorted(TRAPS))
def test_a_trap_goes_on_and_on(trap: str) -> None:
    world = World(Plan(hosts=2, pages=4, shares={trap: 0.5}))
    host = world.extra_hosts[0]
    seen, waiting = {"/"}, ["/"]
    while waiting and len(seen) < 300:
        path = waiting.pop()
        page = world.page(Place(host.name, path))
        assert page is not None
        for link in page.links:
            url = urlsplit(urljoin(host.origin + path, unescape(re.search('href="(.*?)"', link.markup)[1])))
            found = url.path + (f"?{url.query}" if url.query else "")
            if found not in seen:
                seen.add(found)
                waiting.append(found)
    assert len(seen) >= 300


def test_a_portal_shows_pages_that_nobody_else_knows() -> None:
    world = World(Plan(hosts=6, pages=20, shares={"directory": 0.2}))
    truth = walk(world)
    assert [seed for seed in world.seeds if ".com/italia/" in seed]
    hidden = [key for key in truth.nodes if ")/scoperta/" in key]
    assert hidden
    assert not any(child in hidden for _, child in truth.arcs)
    assert not any(node.startswith("com,") for node in truth.nodes)
