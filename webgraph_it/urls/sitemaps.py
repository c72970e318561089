"""The name of a sitemap in the frontier: the key of its URL with MARK behind it.

A sitemap is fetched for the URLs that it lists. It is a node only if a page links to it, and then it is fetched as that
node, too. So as a sitemap it needs a name that no page can have: no key contains `#`.
"""

from webgraph_it.urls.names import Name, Refusal, digest, name

MARK = "#sitemap"


def is_sitemap(key: str) -> bool:
    return key.endswith(MARK)


def page_key(key: str) -> str:
    """The key of a sitemap's URL."""
    return key.removesuffix(MARK)


def as_sitemap(named: Name) -> Name:
    """The name of this URL as a sitemap."""
    marked = named.key + MARK
    return Name(named.url, marked, digest(marked))


def sitemap_name(reference: str, base: str) -> Name | None:
    """The name of a sitemap, as written in robots.txt or in another sitemap; None if it is no URL."""
    named = name(reference, base)
    return None if isinstance(named, Refusal) else as_sitemap(named)
