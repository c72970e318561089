"""Exhibits: extra pages linked from an ordinary page, at /<habit>/<index of that page>/… of its host.

An Exhibit has an entry (the path that the ordinary page links to, and how the link is written) and a function from
the rest of the path to a page. Everything is pure: an exhibit is a function of its Stand.
"""

from webgraph_it.simweb.habits.exhibits import documents, errors, markups, redirects
from webgraph_it.simweb.habits.exhibits.stand import Exhibit, Stand

__all__ = ["EXHIBITS", "Exhibit", "Stand"]

EXHIBITS: dict[str, Exhibit] = {
    **redirects.EXHIBITS,
    **errors.EXHIBITS,
    **markups.EXHIBITS,
    **documents.EXHIBITS,
}
