"""A small Italian internet on loopback, which knows its own graph.

    plan ──► world ──┬─► truth        the graph that a correct crawl finds
                     └─► servers      DNS, HTTP and HTTPS on 127.0.0.0/8 ──► hit log

Imports nothing else of ours, so that it is an independent witness of what the crawler does. See docs/simweb.md.
"""

from webgraph_it.simweb.habits.catalogue import HABITS, Habit
from webgraph_it.simweb.plan import Plan, PlanError
from webgraph_it.simweb.simweb import SimWeb
from webgraph_it.simweb.truth import Truth

__all__ = ["HABITS", "Habit", "Plan", "PlanError", "SimWeb", "Truth"]
