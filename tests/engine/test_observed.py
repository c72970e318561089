"""What the console sees of a crawl is what the crawl's own parts protocol asks for."""

import inspect

from webgraph_it.console.source import Crawl
from webgraph_it.engine.observed import Observed


def test_it_answers_all_that_the_console_asks() -> None:
    asked = {name for name in vars(Crawl) if not name.startswith("_")}
    assert asked <= set(vars(Observed))
    for name in asked:
        wanted, given = inspect.getattr_static(Crawl, name), inspect.getattr_static(Observed, name)
        assert type(wanted) is type(given), name
