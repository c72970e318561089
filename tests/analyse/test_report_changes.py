"""The section about how the web changed: what is known is shown, and nothing else."""

from dataclasses import replace
from datetime import date
from html import unescape

from webgraph_it.analyse.changes import Changes, ChangingHost
from webgraph_it.analyse.report_changes import MAX_POINTS, changes_section

CHANGES = Changes(
    date(2026, 1, 1), date(2026, 12, 31), 12, 3, 45, 812.4, 678, 901, 9.26, [0, 7], [1, 2],
    [ChangingHost("notizie.it", 20, 15)],
)  # fmt: skip


def shown(changes: Changes) -> str:
    return unescape(" ".join(map(str, changes_section(changes))))


def test_figures_and_hosts_are_shown() -> None:
    section = shown(CHANGES)
    for words in ("2026-01-01", "812 days", "9.3 days", "pages gone", "Links born and gone, a day", "75"):
        assert words in section


def test_what_is_not_known_is_left_out() -> None:
    section = shown(replace(CHANGES, page_half_life_days=None, hosts=[], born_by_day=[0], gone_by_day=[0]))
    assert "half-life of a page" not in section
    assert "Hosts that change" not in section
    assert "Links born and gone" not in section


def test_many_days_are_added_up() -> None:
    days = 3 * MAX_POINTS
    section = shown(replace(CHANGES, born_by_day=[1] * days, gone_by_day=[0] * days))
    assert "Links born and gone, in 3 days" in section
