"""The section about the crawl: what the logs say is shown, and what they do not say is left out."""

import re
from collections import Counter
from html import unescape
from typing import Any

import pytest

from webgraph_it.analyse.crawl_story import MIN_FETCHES_OF_SLOW_HOST, CrawlStory, HostTally
from webgraph_it.analyse.report_crawl import MAX_BARS, SHOWN_HOSTS, crawl_section


def shown(**facts: Any) -> str:
    """The section's text."""
    story = CrawlStory(**{"tried": 120, "first": 0.0, "last": 60.0} | facts)
    return unescape(" ".join(map(str, crawl_section(story))))


def titles(section: str) -> list[str]:
    return re.findall(r"<h3[^>]*>([^<]*)", section)


def moments(*values: dict[str, float]) -> list[dict[str, float]]:
    return [{"elapsed": 10.0 * number, **value} for number, value in enumerate(values)]


def test_a_crawl_without_logs_has_figures_and_no_charts() -> None:
    section = shown()
    assert titles(section) == []
    assert "120" in section
    assert "2.0" in section  # URLs tried per second
    assert "over the wire" not in section
    assert "of memory" not in section


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"wire_bytes": 2_500_000.0}, "2.5 MB"),
        ({"bytes": 1_230_000_000}, "1.23 GB"),
        ({"bytes": 999}, "999 B"),
        ({"last": 119.0}, "119 s"),
        ({"last": 7_199.0}, "120 min"),
        ({"last": 7_200.0}, "2 h"),
        ({"running_seconds": 864_000.0}, "10 days"),
        ({"progress": moments({"rss_bytes": 5e6}, {"rss_bytes": 3e8})}, "300 MB"),
    ],
)
def test_sizes_and_times_are_in_units_that_suit_them(facts: dict[str, Any], words: str) -> None:
    assert words in shown(**facts)


@pytest.mark.parametrize(
    ("cap", "drawn", "words"),
    [
        (400.0, True, ""),
        (300.0, True, ""),
        (602.0, False, "The cap of 602 is far above the chart."),
        (None, False, "No cap was set."),
    ],
)
def test_a_cap_is_drawn_where_it_does_not_flatten_the_chart(
    cap: float | None, drawn: bool, words: str
) -> None:
    each = {"connections": 150.0} | ({} if cap is None else {"connections_cap": cap})
    section = shown(progress=moments(each, each))
    assert titles(section) == ["Connections"]
    assert bool(re.search(r'class="[^"]*\blimit\b', section)) is drawn
    assert words in section
    assert "Highest 150" in section


def test_one_moment_makes_no_chart() -> None:
    assert titles(shown(progress=moments({"connections": 5.0}))) == []


def test_the_most_frequent_have_bars_and_the_others_share_one() -> None:
    types = Counter({f"text/x{number:02d}": 100 - number for number in range(MAX_BARS + 1)})
    section = shown(media_types=types)
    assert titles(section) == ["Media types"]
    assert f"text/x{MAX_BARS - 2:02d}" in section
    assert f"text/x{MAX_BARS - 1:02d}" not in section
    rest = sum(100 - number for number in (MAX_BARS - 1, MAX_BARS))
    assert re.search(rf"all others</text><text[^>]*>{rest} URLs", section)
    assert "all others" not in shown(media_types=Counter(dict(types.most_common(MAX_BARS))))


def test_deep_pages_share_a_bar() -> None:
    section = shown(depths=Counter({0: 5, 1: 6, MAX_BARS - 1: 7, 40: 8}))
    assert re.search(rf"{MAX_BARS - 1} and more</text><text[^>]*>15 URLs", section)
    assert f">{MAX_BARS - 1}</text>" not in section


def test_hosts_with_few_fetches_are_not_called_slow() -> None:
    def tally(fetches: int) -> HostTally:
        return HostTally(pages=fetches, first=0.0, last=9.0, fetches=fetches, fetch_seconds=2.0 * fetches)

    enough = MIN_FETCHES_OF_SLOW_HOST
    assert titles(shown(hosts={"a.it": tally(enough - 1)})) == ["Largest hosts"]
    section = shown(hosts={"a.it": tally(enough)})
    assert titles(section) == ["Slowest hosts", "Largest hosts"]
    assert "2.00 s" in section


def test_only_the_first_hosts_are_shown() -> None:
    hosts = {f"h{number:02d}.it": HostTally(pages=100 - number) for number in range(SHOWN_HOSTS + 1)}
    section = shown(hosts=hosts)
    assert f"h{SHOWN_HOSTS - 1:02d}.it" in section
    assert f"h{SHOWN_HOSTS:02d}.it" not in section
    assert "–" in section  # no line says how long a fetch took
