import csv
from pathlib import Path

from tests.convert.to.graphs import TABLES, rows_of
from webgraph_it.cli import main


def test_csv_files_hold_every_row_of_the_graph(graph: Path, tmp_path: Path) -> None:
    folder = tmp_path / "italy.csv"
    assert main(["export", str(graph), "--to", str(folder)]) == 0
    assert {path.name for path in folder.iterdir()} == {f"{table}.csv" for table in TABLES}
    for table in TABLES:
        with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
            _, *rows = csv.reader(file)
        expected = [["" if value is None else str(value) for value in row] for row in rows_of(graph, table)]
        assert rows == expected, table


def test_csv_has_the_names_of_its_columns(graph: Path, tmp_path: Path) -> None:
    assert main(["export", str(graph), "--format", "csv", "--to", str(tmp_path)]) == 0
    heads = {path.stem: path.read_text().splitlines()[0] for path in tmp_path.iterdir()}
    assert heads["nodes"] == "id,url,host,state,status,depth"
    assert heads["arcs"] == "source,target"
    assert heads["domain_arcs"] == "source,target,weight"
