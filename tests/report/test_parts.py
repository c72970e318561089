"""Bricks of a page: what they are given never becomes markup, and no link leads outside the web."""

import pytest

from webgraph_it.report.parts import card, host_link, page_link, table, tiles


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "ftp://a.it/", "a.it/b"])
def test_only_the_web_is_linked_to(url: str) -> None:
    assert "href" not in str(page_link(url))


def test_a_link_tells_nobody_who_sent_it() -> None:
    assert 'rel="noopener noreferrer"' in str(page_link("http://a.it/b"))
    assert 'rel="noopener noreferrer"' in str(host_link("a.it"))


def test_a_name_that_is_no_host_is_plain_text() -> None:
    assert str(host_link('a"><script>')) == "a&quot;&gt;&lt;script&gt;"


def test_what_is_said_is_escaped() -> None:
    said = (
        str(card("<b>", "<i>", wide=True)) + str(tiles([("<u>", "<s>")])) + str(table(["<th>"], [["<td>"]]))
    )
    for tag in ("<b><", "<i>", "<u>", "<s>", "<th><th>", "<td><td>"):
        assert tag not in said


def test_a_cell_has_the_classes_of_its_column() -> None:
    said = str(table(["page", "links"], [["a.it", 7]], numbers=[1], names=[0]))
    assert '<td class="number" data-label="links">7</td>' in said
    assert '<table class="named">' in said
