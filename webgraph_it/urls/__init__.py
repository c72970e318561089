"""What a page is called, and what belongs to the crawl: normal form, SURT key, node digest, scope, seeds.

Decisions only: no I/O except reading a seed file, and no Scrapy.
"""

from webgraph_it.urls.names import RECIPE_VERSION, Name, Refusal, digest, key, name, name_all, normal
from webgraph_it.urls.scope import Scope, Verdict

__all__ = [
    "RECIPE_VERSION",
    "Name",
    "Refusal",
    "Scope",
    "Verdict",
    "digest",
    "key",
    "name",
    "name_all",
    "normal",
]
