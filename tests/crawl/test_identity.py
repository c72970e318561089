"""What makes two runs the same crawl: everything that shapes the graph is in crawl.json, and nothing else."""

from pathlib import Path

import pytest

from tests.defaults import DEFAULTS
from webgraph_it.crawl.identity import SHAPING, identity_of
from webgraph_it.settings_table import TABLE, CrawlSettings

CHANGED = {
    "SCOPE_SURTS": '["it,unipd,"]',
    "MAX_DEPTH": "7",
    "MAX_PAGES_PER_HOST": "9",
    "LINK_KINDS_FOLLOWED": '["css"]',
    "MAX_BODY_BYTES": "1 MB",
}


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    path = tmp_path / "seeds.txt"
    path.write_text("http://a.it/\n")
    return path


def test_every_setting_that_shapes_the_graph_is_recorded_with_its_value(seeds: Path) -> None:
    found = identity_of(CrawlSettings.read({"SEEDS": str(seeds)}))
    assert {name: found[name] for name in SHAPING} == {name: DEFAULTS[name] for name in SHAPING}
    assert set(found) == {"recipe_version", *(name for name, row in TABLE.items() if row.shapes_graph)}


@pytest.mark.parametrize("name", sorted(set(CHANGED) & set(SHAPING)))
def test_another_value_is_another_identity(seeds: Path, name: str) -> None:
    one, other = (
        identity_of(CrawlSettings.read({"SEEDS": str(seeds), **more})) for more in ({}, {name: CHANGED[name]})
    )
    assert {key for key in one if one[key] != other[key]} == {name}


@pytest.mark.parametrize("name", ["HOST_DELAY", "COMMIT_INTERVAL", "MAX_TCP_CONNECTIONS"])
def test_what_shapes_no_graph_is_no_part_of_it(name: str) -> None:
    assert name not in SHAPING


def test_seeds_are_known_by_what_they_say(seeds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file's full name, so that another working directory changes nothing; and its digest."""
    full = identity_of(CrawlSettings.read({"SEEDS": str(seeds)}))["SEEDS"]
    monkeypatch.chdir(seeds.parent)
    assert identity_of(CrawlSettings.read({"SEEDS": seeds.name}))["SEEDS"] == full
    seeds.write_text("http://b.it/\n")
    assert identity_of(CrawlSettings.read({"SEEDS": seeds.name}))["SEEDS"]["md5"] != full["md5"]
