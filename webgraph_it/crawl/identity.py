"""What makes two runs the same crawl: the names, the scope, the seeds, and the other settings that shape the graph."""

import os
from hashlib import md5
from pathlib import Path
from typing import Any, Protocol

from webgraph_it.settings_table import TABLE
from webgraph_it.urls import RECIPE_VERSION
from webgraph_it.urls.seeds import md5_of

SHAPING = tuple(name for name, row in TABLE.items() if row.shapes_graph and name != "SEEDS")
"""Settings recorded with their values. For the seeds, crawl.json has the file and its digest."""


class Values(Protocol):
    """Parsed settings: a CrawlSettings, or Scrapy's after `check`."""

    def __getitem__(self, name: str, /) -> Any: ...


def identity_of(settings: Values) -> dict[str, Any]:
    """The crawl's identity as crawl.json records it."""
    return {
        "recipe_version": RECIPE_VERSION,
        "SEEDS": seeds_of(settings["SEEDS"]),
        **{name: settings[name] for name in SHAPING},
    }


def seeds_of(path: str) -> dict[str, str]:
    """The seed list of a crawl's identity. An empty path is an empty list: an ingest has pages without seeds."""
    if not path:
        return {"file": os.devnull, "md5": md5(b"", usedforsecurity=False).hexdigest()}
    whole = Path(path).absolute()
    return {"file": str(whole), "md5": md5_of(whole)}
