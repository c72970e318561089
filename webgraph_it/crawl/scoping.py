"""What the scope makes of a page: the links that stay, and what each of them is. Pure."""

from collections import Counter
from collections.abc import Set
from dataclasses import replace

from webgraph_it.items import NOTHING, Link, Page
from webgraph_it.urls.scope import Scope, Verdict


def judge(page: Page, scope: Scope, known_in: Set[bytes] = frozenset()) -> tuple[Page, Counter[str]]:
    """The page with its links in scope and what each of them is, and how many were refused, by stats key.

    `known_in`: digests of nodes already judged to be in scope.
    """
    kept: list[Link] = []
    traps: dict[bytes, str] = {}
    fetch_only: set[bytes] = set()
    refusals: Counter[str] = Counter()
    for link in page.links:
        if link.digest in known_in:
            kept.append(link)
            continue
        verdict = scope.verdict(link.key, link.url)
        if verdict is Verdict.IN:
            kept.append(link)
        elif verdict.in_graph:
            kept.append(link)
            traps[link.digest] = verdict.reason
            refusals[f"scope/trap/{verdict.reason}"] += 1
        elif verdict.fetchable:
            kept.append(link)
            fetch_only.add(link.digest)
        else:
            refusals[f"scope/dropped/{verdict.reason}"] += 1
    in_graph = page.digest in known_in or scope.verdict(page.key).in_graph
    if in_graph and len(kept) == len(page.links) and not traps and not fetch_only:
        return page, refusals
    judged = replace(
        page, links=tuple(kept), in_graph=in_graph, traps=traps or NOTHING, fetch_only=frozenset(fetch_only)
    )
    return judged, refusals
