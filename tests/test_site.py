"""`make docs` builds the documentation, refuses a broken link, and makes pages that ask no other server."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
RESOURCE = re.compile(r"<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=\"?((?:https?:)?//[^\s\">]+)")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def mkdocs() -> Path:
    subprocess.run(["make", "--silent", "docs"], cwd=PROJECT, check=True, timeout=600)
    return PROJECT / ".venv/docs/bin/mkdocs"


def built(mkdocs: Path, folder: Path, extra: str = "") -> subprocess.CompletedProcess[str]:
    shutil.copytree(PROJECT / "docs", folder / "docs")
    shutil.copy(PROJECT / "mkdocs.yml", folder)
    (folder / "docs/extra.md").write_text(f"# Extra\n\n{extra}\n")
    return subprocess.run([mkdocs, "build"], cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("link", ["[away](nowhere.md)", "[away](formats.md#no-such-heading)"])
def test_a_broken_link_fails_the_build(mkdocs: Path, tmp_path: Path, link: str) -> None:
    ended = built(mkdocs, tmp_path, link)
    assert ended.returncode != 0
    assert "extra.md" in ended.stderr


def test_every_page_is_built_and_found_by_the_search(mkdocs: Path, tmp_path: Path) -> None:
    assert built(mkdocs, tmp_path, "capibara").returncode == 0
    site = tmp_path / "build/site"
    pages = {page.stem for page in (PROJECT / "docs").glob("*.md")}
    assert [name for name in sorted(pages) if not (site / f"{name}.html").exists()] == []
    assert "capibara" in (site / "search/search_index.json").read_text()


def test_no_page_loads_anything_from_another_server(mkdocs: Path) -> None:
    site = PROJECT / "build/site"
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 15
    loaded = {found for page in pages for found in RESOURCE.findall(page.read_text(encoding="utf-8"))}
    assert loaded == set()
