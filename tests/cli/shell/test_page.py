import sys
from pathlib import Path

import pytest

from webgraph_it.cli.shell.page import page
from webgraph_it.cli.shell.verbs import names

PAGE = Path(__file__).parents[3] / "docs/commands.md"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="argparse words its help differently there")
def test_the_page_is_the_one_that_the_verbs_make() -> None:
    """If not: python -m webgraph_it.cli.shell.page > docs/commands.md"""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_verb_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in names() if f"\n## webgraph-it {name}\n" not in text] == []
