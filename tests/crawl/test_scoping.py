"""What the scope makes of a page. tests/engine/test_scope_middlewares.py has the table of verdicts."""

from tests.engine.test_scope_middlewares import SCOPE, link, page
from webgraph_it.crawl.scoping import judge


def test_a_node_that_is_known_to_be_in_scope_is_not_judged_again() -> None:
    outside = "http://fuori.com/"
    before = page("http://esempio.it/", [outside])
    assert judge(before, SCOPE)[0].links == ()
    known = frozenset((link(outside).digest, before.digest))
    assert judge(before, SCOPE, known)[0] is before


def test_every_refusal_is_counted_by_its_reason() -> None:
    _, refusals = judge(page("http://esempio.it/", ["http://fuori.com/", "http://esempio.it/a.jpg"]), SCOPE)
    assert refusals == {"scope/dropped/host": 1, "scope/dropped/extension": 1}
