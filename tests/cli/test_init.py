"""`webgraph-it init`, and the package as a stranger has it: installed from the wheel, in a folder of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import scrapy

from tests.crawl.crawling import differences
from webgraph_it.cli import main
from webgraph_it.simweb import SimWeb

PROJECT = Path(__file__).parents[2]
SHIPPED = PROJECT / "webgraph_it/spiders/seeds"
PACKED = ("webgraph_it", "pyproject.toml", "README.md", "LICENSE")


def test_a_folder_has_a_configuration_and_seeds_to_edit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mycrawl"
    assert main(["init", str(folder)]) == 0
    assert (folder / "scrapy.cfg").read_text() == (PROJECT / "scrapy.cfg").read_text()
    assert {path.name for path in (folder / "seeds").iterdir()} == {path.name for path in SHIPPED.iterdir()}
    assert "edit seeds/brazil.txt or seeds/italy.txt there" in capsys.readouterr().out


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("precious")
    assert main(["init", str(tmp_path)]) == 2
    assert main(["init", str(tmp_path / "mine")]) == 2
    assert "is not an empty folder; give another DIR" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The programs of a fresh environment with the wheel; what the package needs is found where this test finds it."""
    folder = tmp_path_factory.mktemp("installed")
    source = folder / "source"
    source.mkdir()
    for name in PACKED:
        copy = shutil.copytree if (PROJECT / name).is_dir() else shutil.copy
        copy(PROJECT / name, source / name)  # type: ignore[operator]
    shutil.rmtree(source / "webgraph_it/__pycache__", ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run(*pip, "wheel", "--no-deps", "-w", str(folder), str(source), cwd=folder)
    shutil.rmtree(source)
    run(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"), cwd=folder)
    (wheel,) = folder.glob("*.whl")
    python = folder / "venv/bin/python"
    run(*pip, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel), cwd=folder)
    (site,) = (folder / "venv").glob("lib/*/site-packages")
    (site / "shared.pth").write_text(f"{Path(scrapy.__file__).parents[1]}\n")
    yield folder / "venv/bin"
    shutil.rmtree(folder)


def run(*command: str, cwd: Path) -> str:
    kept = {name: os.environ[name] for name in os.environ if not name.startswith(("PYTHON", "SCRAPY"))}
    done = subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def test_from_an_empty_folder_to_an_analysed_graph(environment: Path, tmp_path: Path) -> None:
    python, command = str(environment / "python"), str(environment / "webgraph-it")
    where = run(python, "-c", "import webgraph_it; print(webgraph_it.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(environment.parent)
    run(command, "init", "mycrawl", cwd=tmp_path)
    run(python, "-m", "webgraph_it", "init", "another", cwd=tmp_path)
    folder = tmp_path / "mycrawl"
    assert run(python, "-m", "scrapy", "list", cwd=folder).split() == ["brazil", "italy", "web"]
    with SimWeb(hosts=8, pages=40, seed=3, only=["plain"]) as web:
        (folder / "seeds/italy.txt").write_text("".join(f"{url}\n" for url in web.seeds))
        given = [
            part
            for setting, value in zip(web.arguments[::2], web.arguments[1::2], strict=True)
            if not value.startswith(("SEEDS=", "SCOPE_SURTS="))
            for part in (setting, value)
        ]
        run(python, "-m", "scrapy", "crawl", "italy", *given, cwd=folder)
        (jobdir,) = (folder / "crawls").glob("italy-*")
        assert differences(web, jobdir) == []
    run(command, "convert", str(jobdir), "--out", "graph", cwd=folder)
    run(command, "analyse", "graph", cwd=folder)
    assert (folder / "graph/italy.graph").exists()
    assert (folder / "graph/analysis/report.html").exists()


def test_the_seeds_that_are_shipped_are_found_from_anywhere(environment: Path, tmp_path: Path) -> None:
    python = str(environment / "python")
    for spider in ("Italy", "Brazil"):
        code = (
            f"from webgraph_it.spiders.{spider.lower()} import {spider}Spider as S; print(S.facts()['SEEDS'])"
        )
        assert Path(run(python, "-c", code, cwd=tmp_path).strip()).is_relative_to(environment.parent)
