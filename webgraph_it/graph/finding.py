"""Which node somebody means: by id, by URL in any spelling, by key, by the name of a host.

Guarantees: a name of no node is an UnknownNodeError, in one sentence, with the most similar URL of the graph if one is
near. It is looked for among the neighbours in order of key: one search, and a few blocks of the URL map.
"""

from difflib import SequenceMatcher

from webgraph_it.graph.webgraph import WebGraph
from webgraph_it.urls import Refusal, names

NEIGHBOURS = 32
ALIKE = 0.6
"""As difflib measures it: 1 is equal."""


class UnknownNodeError(Exception):
    """No node is called so; the message is one sentence for the user."""


def find_node(graph: WebGraph, text: str) -> int:
    """The node that is meant."""
    if text.isdecimal():
        if int(text) >= len(graph):
            raise UnknownNodeError(f"{graph.path} has no node {text}: its ids go from 0 to {len(graph) - 1}.")
        return int(text)
    key = _key(text)
    if key is None:
        raise UnknownNodeError(
            f"{text!r} is no id, URL or key: write for instance 17, http://www.unipd.it/ or it,unipd)/."
        )
    node = graph.urls.find(key)
    if node is None:
        near = _near(graph, key)
        guess = f"; did you mean {graph.url(near)}" if near is not None else ""
        raise UnknownNodeError(f"{text} is not in {graph.path}{guess}{'?' if guess else '.'}")
    return node


def _key(text: str) -> str | None:
    """The key of a URL; `unipd.it/a` is one without its scheme, `it,unipd)/a` is a key itself."""
    if ")" in text.partition("/")[0] and "://" not in text:
        return text
    key = names.key(text if "://" in text else f"http://{text}")
    return None if isinstance(key, Refusal) else key


def _near(graph: WebGraph, key: str) -> int | None:
    """The most similar of the nodes that would stand beside the key, if it is similar at all."""
    place = graph.urls.between("", key).stop
    first, beyond = max(place - NEIGHBOURS, 0), min(place + NEIGHBOURS, len(graph))
    likeness = {
        node: SequenceMatcher(None, graph.urls.key(node), key).ratio() for node in range(first, beyond)
    }
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] >= ALIKE else None
