"""What makes two runs the same crawl: the names, the scope, the seeds, and the other settings that shape the graph."""

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
    seeds = Path(settings["SEEDS"]).absolute()
    return {
        "recipe_version": RECIPE_VERSION,
        "SEEDS": {"file": str(seeds), "md5": md5_of(seeds)},
        **{name: settings[name] for name in SHAPING},
    }
