"""Who found a node, from the order of the files."""

import pytest

from webgraph_it.items import Link, Page, State
from webgraph_it.repair import discovery
from webgraph_it.repair.discovery import found
from webgraph_it.repair.streams import START, Listed, Logged, Sequence16
from webgraph_it.urls.names import digest


def listed(key: str) -> Listed:
    return Listed(Link(f"http://{key}/", key, digest(key), ""), START)


def page(key: str) -> Page:
    return Page("", key, digest(key), 0.0, State.FETCHED, 200, 0, "")


def finders(keys: list[str], links: dict[str, list[str]], seeds: set[str]) -> dict[str, str | None]:
    pairs = [
        (
            Logged(page(parent), len(children), START, START),
            Sequence16(digest(parent), [*map(digest, children)], START),
        )
        for parent, children in links.items()
    ]
    digests = set(map(digest, seeds))
    return {
        each.line.link.key: each.finder.key if each.finder else None
        for each in found(map(listed, keys), pairs, lambda _: True, digests.__contains__)
    }


def test_more_seeds_than_the_window_holds_between_two_pages_hide_no_finder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(discovery, "WINDOW_LINES", 5)
    first = [f"it,primo{n})/" for n in range(20)]
    second = [f"it,secondo{n})/" for n in range(20)]
    keys = [*first, "it,a)/1", *second, "it,a)/2", "it,a)/3"]
    links = {first[0]: ["it,a)/1"], first[1]: ["it,a)/1"], first[2]: ["it,a)/2"], "it,a)/2": ["it,a)/3"]}
    assert finders(keys, links, {*first, *second}) == {
        **dict.fromkeys((*first, *second)),
        "it,a)/1": first[0],
        "it,a)/2": first[2],
        "it,a)/3": "it,a)/2",
    }
