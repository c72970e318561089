"""Any national web: brazil, italy and web are exact on simweb, and JOBDIR alone resumes each."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT, differences
from webgraph_it.simweb import SimWeb

FRANCIA = ("-a", "scope=fr,", "-a", "name=francia")


def crawl(
    web: SimWeb, spider: str, *arguments: str, cwd: Path, code: int = 0, without: tuple[str, ...] = ()
) -> str:
    """`scrapy crawl SPIDER` with the settings of simweb but those; its output."""
    given = {name: value for name, value in web.settings.items() if name not in without}
    options = [
        part
        for name, value in given.items()
        for part in ("-s", f"{name}={value if isinstance(value, str) else json.dumps(value)}")
    ]
    return scrapy("crawl", spider, *options, *arguments, cwd=cwd, code=code)


def scrapy(*arguments: str, cwd: Path, code: int = 0) -> str:
    (cwd / "scrapy.cfg").write_text((PROJECT / "scrapy.cfg").read_text())
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", *arguments], cwd=cwd, capture_output=True, text=True, timeout=180
    )
    output = done.stdout + done.stderr
    assert done.returncode == code, output[-4000:]
    return output


@pytest.mark.parametrize(
    ("spider", "tld", "arguments", "name"),
    [
        ("italy", "it", (), "italy"),
        ("brazil", "br", (), "brazil"),
        ("web", "fr", FRANCIA, "francia"),
    ],
)
def test_a_crawl_of_every_habit_is_the_truth_and_resumes_by_its_directory_alone(
    tmp_path: Path, spider: str, tld: str, arguments: tuple[str, ...], name: str
) -> None:
    """Scope and name come from the spider or its arguments, none from -s."""
    with SimWeb(hosts=40, pages=300, seed=7, tld=tld) as web:
        stop = ("-s", "CLOSESPIDER_PAGECOUNT=60")
        said = crawl(web, spider, *arguments, *stop, cwd=tmp_path, code=3, without=("SCOPE_SURTS",))
        (jobdir,) = (tmp_path / "crawls").glob(f"{name}-*")
        command = f"scrapy crawl {spider} -s JOBDIR={jobdir.relative_to(tmp_path)}"
        assert command in said
        scrapy(*command.split()[1:], cwd=tmp_path)
        assert differences(web, jobdir) == []
    record = json.loads((jobdir / "crawl.json").read_text())
    assert (record["spider"], record["CRAWL_NAME"]) == (spider, name)
    assert record["SCOPE_SURTS"] == [f"{tld},"]


def test_facts_are_defaults_that_a_crawl_remembers(tmp_path: Path) -> None:
    with SimWeb(hosts=4, pages=8, seed=7, tld="br", only=["plain"]) as web:
        crawl(web, "brazil", "-s", "JOBDIR=one", cwd=tmp_path, without=("SCOPE_SURTS",))
        crawl(web, "brazil", "-s", "JOBDIR=two", "-s", "FRONTIER_ORDER=breadth", cwd=tmp_path)
        kept = {name: json.loads((tmp_path / name / "crawl.json").read_text()) for name in ("one", "two")}
        assert kept["one"]["settings"]["FRONTIER_ORDER"] == "level"
        assert kept["one"]["settings"]["SCHEDULE_TIMEZONE"] == "America/Sao_Paulo"
        assert kept["one"]["settings"]["HOST_DELAY"] == 0  # given with -s
        assert kept["two"]["settings"]["FRONTIER_ORDER"] == "breadth"
        scrapy("crawl", "brazil", "-s", "JOBDIR=two", cwd=tmp_path)
    again = json.loads((tmp_path / "two" / "crawl.json").read_text())
    assert (again["settings"], again["history"]) == (kept["two"]["settings"], [])


def test_another_spider_is_refused_with_the_command_that_resumes(tmp_path: Path) -> None:
    with SimWeb(hosts=4, pages=8, seed=7, tld="br", only=["plain"]) as web:
        crawl(web, "brazil", "-s", "JOBDIR=here", cwd=tmp_path)
    said = scrapy("crawl", "italy", "-s", "JOBDIR=here", cwd=tmp_path, code=2)
    assert said.strip() == (
        "here holds a crawl of the spider brazil, not of italy. To resume: scrapy crawl brazil -s JOBDIR=here"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "SCOPE_SURTS is []"),
        (("-a", "scope=fr,", "-s", "ALLOWED_PRIVATE_NETWORKS=127.0.0.0/8"), "SEEDS is empty"),
        (("-a", "scope=fr,", "-s", "SCOPE_SURTS=fr,"), "-a scope and -s SCOPE_SURTS say the same thing"),
        (("-a", "scope=@hosts.txt"), "The scope @hosts.txt cannot be read"),
        (("-a", "scope=@bad.txt"), "bad.txt, line 3: 'due parole' is not a SURT prefix"),
        (("-a", "scop=fr,"), "-a scop is not an argument of this spider; did you mean scope?"),
        (
            ("-a", "scope=fr,", "-a", "colour=red"),
            "-a colour is not an argument of this spider; expected: scope,",
        ),
        (("-a", "scope=fr,", "-a", "name=../x"), "CRAWL_NAME is '../x'; expected: a name of letters"),
    ],
)
def test_a_web_that_is_not_described_is_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "bad.txt").write_text("parola.it # nota\n\ndue parole\n")
    said = scrapy("crawl", "web", *arguments, cwd=tmp_path, code=2)
    assert words in said
    assert said.count("\n") == 1


def test_a_scope_is_prefixes_minus_others_or_a_list_of_hosts(tmp_path: Path) -> None:
    with SimWeb(hosts=12, pages=60, seed=7, tld="pt", only=["plain"]) as web:
        domains = sorted({".".join(host.name.split(".")[-2:]) for host in web.world.hosts})
        first = ".".join(web.world.hosts[0].name.split(".")[-2:])
        other = next(domain for domain in domains if domain != first)
        minus = f"scope=pt, -{other}"
        crawl(web, "web", "-a", minus, "-s", "JOBDIR=minus", cwd=tmp_path, without=("SCOPE_SURTS",))
        (tmp_path / "hosts.txt").write_text(f"\ufeff# hosts\n{first} # nota\n  # another\n")
        arguments = ("-a", "scope=@hosts.txt", "-s", "JOBDIR=hosts")
        crawl(web, "web", *arguments, cwd=tmp_path, without=("SCOPE_SURTS",))
        expected = {key for key in web.truth.nodes if is_under(key, first)}
        assert nodes(tmp_path / "hosts") <= expected
        assert nodes(tmp_path / "hosts")
        assert not any(is_under(key, other) for key in nodes(tmp_path / "minus"))
        assert any(is_under(key, other) for key in web.truth.nodes)
        assert len(nodes(tmp_path / "minus")) > len(nodes(tmp_path / "hosts"))


def is_under(key: str, domain: str) -> bool:
    surt = ",".join(reversed(domain.split(".")))
    return key.startswith((f"{surt},", f"{surt})"))


def nodes(jobdir: Path) -> set[str]:
    return {line.partition("\t")[0] for line in (jobdir / "urls/000001.tsv").read_text().splitlines()}


def test_the_recipe_for_a_country_of_ones_own_works(tmp_path: Path) -> None:
    """The files that docs/other-webs.md shows, as they stand there."""
    page = (PROJECT / "docs/other-webs.md").read_text()
    shown = re.findall(r"^`([\w./]+)`:\n\n((?:    .*\n|\n)+)", page, re.MULTILINE)
    assert [name for name, _ in shown] == ["scrapy.cfg", "bnf/settings.py", "bnf/spiders/francia.py"]
    (tmp_path / "bnf/spiders/seeds").mkdir(parents=True)
    for name in ("bnf/__init__.py", "bnf/spiders/__init__.py"):
        (tmp_path / name).touch()
    with SimWeb(hosts=6, pages=20, seed=7, tld="fr", only=["plain"]) as web:
        seeds = "".join(f"{url}\n" for url in web.seeds)
        (tmp_path / "bnf/spiders/seeds/francia.txt").write_text(seeds)
        left_out = ("SEEDS", "SCOPE_SURTS")
        given = {name: value for name, value in web.settings.items() if name not in left_out}
        options = [f"{name}={json.dumps(value)}" for name, value in given.items()]
        for name, text in shown:
            (tmp_path / name).write_text(textwrap.dedent(text))
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", "crawl", "francia", *(p for o in options for p in ("-s", o))],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        (jobdir,) = (tmp_path / "crawls").glob("francia-*")
        assert differences(web, jobdir) == []
    assert json.loads((jobdir / "crawl.json").read_text())["SCOPE_SURTS"] == ["fr,", "re,", "-fr,exemple,"]
