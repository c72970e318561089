"""The compact graph: CSR arrays, URL map, BV codec, and `WebGraph`, which opens them.

`WebGraph`, `UrlMap` and `BVGraph` are loaded on first use, because the crawl needs neither numpy nor numba.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webgraph_it.graph.bv import BVGraph
    from webgraph_it.graph.damage import GraphError
    from webgraph_it.graph.urlmap import UrlMap
    from webgraph_it.graph.webgraph import WebGraph

__all__ = ["BVGraph", "GraphError", "UrlMap", "WebGraph"]

_HOMES = {"BVGraph": "bv", "GraphError": "damage", "UrlMap": "urlmap", "WebGraph": "webgraph"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
