"""The bow-tie and the link matrix."""

import math
import re

import pytest

from webgraph_it.analyse.pictures import BOW_AREA, bow_tie_picture, matrix

PARTS = {"core": 50, "in": 20, "out": 20, "tube": 0, "tendril": 4, "disconnected": 6}


def test_areas_are_proportional_to_nodes() -> None:
    drawing = bow_tie_picture(PARTS)
    radii = {float(radius) for radius in re.findall(r' r="([0-9.]+)"', drawing)}
    assert round(math.sqrt(BOW_AREA * 0.5 / math.pi), 2) in radii
    wing = re.findall(r'<g class="part in"><polygon points="([^"]*)"', drawing)[0]
    corners = [tuple(map(float, point.split(","))) for point in wing.split()]
    pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
    area = abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2
    assert area == pytest.approx(BOW_AREA * 0.2, rel=0.01)


def test_parts_say_their_numbers_and_empty_ones_their_absence() -> None:
    drawing = bow_tie_picture(PARTS)
    assert "50 nodes · 50.0 %" in drawing
    assert "no Tubes" in drawing
    assert 'class="part tube"' not in drawing


@pytest.mark.parametrize("parts", [dict.fromkeys(PARTS, 0), {**dict.fromkeys(PARTS, 0), "core": 1}])
def test_hardly_any_graph_is_still_a_picture(parts: dict[str, int]) -> None:
    assert bow_tie_picture(parts).startswith("<svg")


def test_the_matrix_tells_each_pair() -> None:
    drawing = matrix("t", ["a.it", "b.it"], [[5, 1], [0, 2]])
    for words in ("a.it → b.it", "b.it → a.it", "5 links", "0 links"):
        assert words in drawing
    assert drawing.count('class="cell own"') == 2
    assert drawing.count('class="cell empty"') == 1
