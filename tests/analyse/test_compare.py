"""Rankings against ratings, end to end."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.verbs import analyse as main


@pytest.fixture(scope="module")
def ratings(analysed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty pages rated exactly by their in-degree, in several spellings, and two that nobody knows."""
    table = pq.read_table(analysed / "analysis" / "ranks.parquet", columns=["url", "in_degree"]).to_pylist()
    some = [row for row in table if '"' not in row["url"]][::30][:40]
    lines = [f"{row['url'].replace('http://', 'https://')},{row['in_degree']}" for row in some]
    path = tmp_path_factory.mktemp("ratings") / "ratings.csv"
    path.write_text("\n".join(["url,rating", *lines, "http://altrove.it/,1", "no url at all,2"]))
    return path


def test_a_ranking_agrees_with_itself(
    analysed: Path, ratings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = ratings.with_name("out.html")
    assert main(["compare", str(analysed), str(ratings), "-o", str(page)]) == 0
    said = capsys.readouterr().out
    row = next(line for line in said.splitlines() if line.startswith("In-degree"))
    assert row.count("+1.000 [+1.000, +1.000]") == 3
    assert "40 rated URLs are in the graph, 2 are not" in said
    assert "line 42: http://altrove.it/" in said
    assert "line 43: no url at all" in said
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") == 4
    assert "http://altrove.it/" in html


@pytest.mark.parametrize(("rows", "said"), [
    (["http://altrove.it/,1"], "only 0 of the 1 rated URLs are in the graph"),
    (["http://blog.bari.it/,2", "http://blog.siena.it/,2", "http://blog.pisa.it/,2"], "have the same rating"),
])  # fmt: skip
def test_nothing_to_compare_is_said(
    analysed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[str], said: str
) -> None:
    (tmp_path / "r.csv").write_text("\n".join(["url,rating", *rows]))
    assert main(["compare", str(analysed), str(tmp_path / "r.csv")]) == 2
    assert said in capsys.readouterr().err


def test_a_graph_that_was_not_analysed_is_said(
    analysed: Path, ratings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(analysed), str(ratings), "--analysis", "nowhere"]) == 2
    assert "run webgraph-it analyse" in capsys.readouterr().err
