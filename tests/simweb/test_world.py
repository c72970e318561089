"""A page is a function of (plan, place): in every process, under every spelling, for ever."""

import os
import subprocess
import sys

from tests.simweb.serving import asked
from webgraph_it.simweb import Plan
from webgraph_it.simweb.habits import DEFAULT_SHARES
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.plain import path_of
from webgraph_it.simweb.world import World

PLAN = Plan(hosts=30, pages=120, page_bytes=1000, shares=DEFAULT_SHARES)
DIGEST = """
import hashlib
from webgraph_it.simweb import Plan
from webgraph_it.simweb.habits import DEFAULT_SHARES
from webgraph_it.simweb.names import Place
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World
world = World(Plan(hosts=30, pages=120, page_bytes=1000, shares=DEFAULT_SHARES))
digest = hashlib.md5()
for key, url in sorted(walk(world).urls.items()):
    host, _, path = url.partition("://")[2].partition("/")
    page = world.page(Place(host.removeprefix("www."), "/" + path))
    digest.update(repr((key, page and (page.status, page.headers, page.delivery))).encode())
    digest.update(page.body() if page else b"")
print(digest.hexdigest(), len(world.seeds))
"""


def _digest(hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(
        [sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_every_page_is_the_same_in_every_process() -> None:
    assert _digest("1") == _digest("2") != ""


def test_two_spellings_of_a_key_serve_the_same_content() -> None:
    world = World(PLAN)
    host = next(h for h in world.hosts if not h.traits and h.page_count > 3)
    for index in range(1, host.page_count):
        path = path_of(host, index)
        before, mark, query = path.partition("?")
        spellings = [
            asked(world, "http", host.name, path),
            asked(world, "https", host.name, path),
            asked(world, "http", f"www.{host.name}", path),
            asked(world, "http", host.name.upper(), f"{before};jsessionid=AB{mark}{query}"),
            asked(world, "http", host.name, f"/(S(ab)){path}"),
            asked(world, "http", host.name, f"{path}{'&' if mark else '?'}PHPSESSID=ab"),
        ]
        assert len({answer.data for answer in spellings}) == 1


def test_what_is_not_there_is_a_404() -> None:
    world = World(PLAN)
    for path in (
        "/niente",
        "/redirect/999999/",
        "/nascosto/commento-1.html",
        "/error-404/x/pagina.html",
        "//",
    ):
        assert world.page(Place(world.hosts[0].name, path)) is None
        assert asked(world, "http", world.hosts[0].origin.partition("//")[2], path).status in (404, 301)
    assert asked(world, "http", "altrove.it", "/").status == 404
    assert asked(world, "http", world.hosts[0].name, "/", method="POST").status == 405


def test_sizes_are_about_those_asked_for() -> None:
    world = World(Plan(hosts=20, pages=400, page_bytes=8000))
    sizes = [
        len(page.body())
        for host in world.hosts
        for index in range(host.page_count)
        if (page := world.page(Place(host.name, path_of(host, index))))
    ]
    assert 7000 < sum(sizes) / len(sizes) < 11000
    assert max(sizes) > 3 * min(sizes)
