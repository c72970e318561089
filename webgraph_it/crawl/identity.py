"""What makes two runs the same crawl: the names, the scope, the seeds, and the limits that shape the graph."""

from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from webgraph_it.urls import RECIPE_VERSION
from webgraph_it.urls.seeds import md5_of

SHAPING = (
    "SCOPE_SURTS",
    "ALLOWED_PORTS",
    "EXCLUDED_EXTENSIONS",
    "MAX_URL_LENGTH",
    "MAX_PATH_SEGMENTS",
    "MAX_REPEATED_SEGMENTS",
    "MAX_PAGES_PER_HOST",
    "MAX_DEPTH",
    "MAX_HOST_DEPTH",
    "MAX_QUERIES_PER_PATH",
    "MAX_SAME_CONTENT",
    "MAX_HOSTS_PER_DOMAIN",
    "MAX_BODY_BYTES",
    "LINK_KINDS_ARCS",
    "EXTRACT_EMBEDDED",
    "EXTRACT_PLAIN_TEXT",
)


def identity_of(settings: BaseSettings) -> dict[str, Any]:
    """What crawl.json says of the crawl itself."""
    seeds = Path(settings["SEEDS"]).absolute()
    return {
        "recipe_version": RECIPE_VERSION,
        "SEEDS": {"file": str(seeds), "md5": md5_of(seeds)},
        **{name: settings.get(name) for name in SHAPING},
    }
