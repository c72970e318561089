"""The facts of a spider: defaults of settings, each country's in a module of ten lines."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

import webgraph_it
from tests.defaults import project_settings, read_seeds
from webgraph_it import settings as ours
from webgraph_it.crawl.facts import put_facts
from webgraph_it.spiders.brazil import BrazilSpider
from webgraph_it.spiders.italy import ItalySpider
from webgraph_it.spiders.national import NationalSpider
from webgraph_it.spiders.web import WebSpider

HOUSE = Path(webgraph_it.__file__).parent


@pytest.mark.parametrize("spider", [ItalySpider, BrazilSpider])
def test_a_country_has_a_scope_seeds_languages_and_a_time_zone(spider: type[NationalSpider]) -> None:
    facts = spider.facts()
    assert facts["CRAWL_NAME"] == spider.name
    found = read_seeds(Path(facts["SEEDS"]), tuple(facts["SCOPE_SURTS"]))
    assert found.inside > 200
    assert facts["ACCEPT_LANGUAGE"]
    assert facts["SCHEDULE_TIMEZONE"]
    assert all(hasattr(ours, name) for name in facts)


def test_a_country_is_about_ten_lines() -> None:
    for name in ("italy", "brazil", "web"):
        tree = ast.parse((HOUSE / "spiders" / f"{name}.py").read_text())
        (country,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        assert all(isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) for node in country.body)
        assert len(country.body) <= 10


def test_brazil_begins_where_ufmg_did() -> None:
    lines = Path(BrazilSpider.facts()["SEEDS"]).read_text().splitlines()
    urls = [line for line in lines if line.startswith("http")]
    assert urls == [
        "http://www.catho.com.br/",
        "http://www.infojobs.com.br/",
        "http://vocesa.uol.com.br/",
        "http://www.zap.com.br/empregos",
    ]


def test_seeds_of_the_working_directory_come_before_those_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Derived(ItalySpider):
        name = "derived"

    monkeypatch.chdir(tmp_path)
    assert Derived.facts()["SEEDS"] == str(HOUSE / "spiders/seeds/italy.txt")
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds/italy.txt").write_text("unipd.it\n")
    assert Derived.facts()["SEEDS"] == "seeds/italy.txt"
    assert WebSpider.facts()["SEEDS"] == ""


def with_facts(facts: dict[str, Any], made: Settings) -> Settings:
    put_facts(made, "mine", facts)
    return made


def test_a_fact_is_a_default_and_wins_over_nothing_that_was_given() -> None:
    facts = {"HOST_DELAY": 30.0, "FRONTIER_ORDER": "level"}
    assert with_facts(facts, project_settings())["HOST_DELAY"] == 30.0
    assert with_facts(facts, project_settings(HOST_DELAY=2.0))["HOST_DELAY"] == 2.0
    own = project_settings()
    own.set("HOST_DELAY", 5.0, priority="project")
    own.set("FRONTIER_ORDER", "breadth", priority="spider")
    made = with_facts(facts, own)
    assert (made["HOST_DELAY"], made["FRONTIER_ORDER"]) == (5.0, "breadth")


EXAMPLES = re.compile(
    r"crawls/italy-|webgraph-it \w+( \w+)? italy|--out italy|--to italy\.|scrapy crawl italy|graph italy|italy\.py|"
    r'"crawl", "italy"'
)
OLD = re.compile(r'^UNNAMED = "italy"$')


def test_no_other_module_knows_italy() -> None:
    """Examples of commands apart, and the name of what was made before there were names."""
    lines = [
        f"{path.relative_to(HOUSE)}: {line}"
        for path in sorted(HOUSE.rglob("*.py"))
        if path.name != "italy.py"
        for line in path.read_text().splitlines()
        if re.search(r"\bitaly\b", EXAMPLES.sub("", line)) and not OLD.match(line)
    ]
    assert lines == []
