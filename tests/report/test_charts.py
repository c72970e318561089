"""Charts draw what they are given: gaps, steps, thinning, names."""

import re

from webgraph_it.report.charts import MAX_DOTS, Bar, Line, bars, line_chart, log_dots, scatter


def test_a_gap_is_not_bridged() -> None:
    chart = line_chart("t", [0, 1, 2, 3], [Line("v:", [1, None, 2, 3], "series-1")], "s", "v")
    assert chart.count("<polyline") == 2


def test_every_value_is_told_on_hover() -> None:
    chart = line_chart(
        "t", [0, 1], [Line("speed:", [1234.5, 7], "series-1"), Line("cap:", [9, None], "limit")], "s", "v"
    )
    assert chart.count('class="hit"') == 2
    for words in ("0 s", "speed: 1,234.5", "cap: 9", "1 s", "speed: 7"):
        assert f">{words}<" in chart


def test_a_cap_goes_in_steps() -> None:
    chart = line_chart("t", [0, 1], [Line("cap:", [10, 20], "limit")], "s", "v")
    points = re.findall(r'points="([^"]*)"', chart)[0].split()
    assert len(points) == 4
    assert points[0].split(",")[1] == points[1].split(",")[1]
    assert points[1].split(",")[0] == points[2].split(",")[0]


def test_zeros_have_no_place_on_logarithmic_axes() -> None:
    assert log_dots("t", [(0, 5), (1, 0), (2, 3)], None, "x", "y", "series-1").count('class="dot') == 1


def test_many_dots_are_thinned_and_the_ends_stay() -> None:
    chart = log_dots("t", [(n, 1) for n in range(1, 5000)], None, "x", "y", "series-1")
    assert chart.count('class="dot') <= MAX_DOTS + 2
    assert "x: 4,999" in chart
    assert "x: 1<" in chart


def test_bars_say_their_share_and_cut_long_names_only_in_sight() -> None:
    name = "application/" + "x" * 60
    chart = bars("t", [Bar(name, 3), Bar("b", 1)], "URLs")
    assert "3 URLs · 75.0 %" in chart
    assert f">{name}<" in chart
    assert "…" in chart


def test_dots_have_names() -> None:
    assert "http://a.it/&lt;b&gt;" in scatter(
        "t", [(1, 2, "http://a.it/<b>"), (9, 2, "y")], "place", "rating"
    )
