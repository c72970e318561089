"""The number of the link policy: the same for the same settings, another for any that decides about links."""

import pytest

from webgraph_it.crawl.link_rules import NAMES, link_policy_number
from webgraph_it.settings_table import CrawlSettings

OTHERS = {
    "SCOPE_SURTS": ["fr,"],
    "LINK_KINDS_ARCS": ["a"],
    "LINK_KINDS_FOLLOWED": ["form"],
    "EXTRACT_EMBEDDED": True,
    "EXTRACT_PLAIN_TEXT": True,
    "MAX_LINKS_PER_PAGE": 7,
    "MAX_BODY_BYTES": "1 MB",
}


@pytest.mark.parametrize("name", NAMES)
def test_each_setting_that_decides_about_links_gives_another_number(name: str) -> None:
    number = link_policy_number(CrawlSettings.read({}))
    assert number == link_policy_number(CrawlSettings.read({}))
    assert number
    assert number != link_policy_number(CrawlSettings.read({name: OTHERS[name]}))
