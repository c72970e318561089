"""A number of the settings that decide which links a page has. If it changes, the same page may have other links."""

import json
from zlib import crc32

from webgraph_it import __version__
from webgraph_it.crawl.identity import Values
from webgraph_it.urls.names import RECIPE_VERSION

NAMES = (
    *("SCOPE_SURTS", "LINK_KINDS_ARCS", "LINK_KINDS_FOLLOWED", "EXTRACT_EMBEDDED", "EXTRACT_PLAIN_TEXT"),
    *("MAX_LINKS_PER_PAGE", "MAX_BODY_BYTES"),
)


def link_policy_number(settings: Values) -> int:
    """Never 0, which stands for an unknown policy. Another version of the program may find other links, too."""
    values = [__version__, RECIPE_VERSION, *(settings[name] for name in NAMES)]
    return crc32(json.dumps(values, default=str).encode()) | 1
