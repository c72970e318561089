"""A page asks nobody for anything."""

import re

from webgraph_it.report.style import STYLE, document
from webgraph_it.report.svg import element


def test_a_page_runs_no_script_and_fetches_nothing() -> None:
    page = document("Title <1>", element("h1", "x"))
    assert "<title>Title &lt;1&gt;</title>" in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    assert "<script" not in page
    assert not re.search(r"""(src|href)=["']http""", page)


def test_both_themes_define_the_same_colours() -> None:
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)", 1)
    names = set(re.findall(r"--c[0-9]", light))
    assert len(names) == 6
    assert names <= set(re.findall(r"--c[0-9]", dark))
