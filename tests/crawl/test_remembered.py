"""What a crawl remembers of its settings, and what a resume takes from there."""

import os
import re
from pathlib import Path

import pytest
from scrapy.settings import Settings

from webgraph_it import settings as ours
from webgraph_it.crawl.remembered import PATHS, given_names, recall, remembered
from webgraph_it.crawl.values import check
from webgraph_it.settings_table import TABLE


def settings(project: dict[str, object] | None = None, **typed: object) -> Settings:
    made = Settings()
    made.setmodule(ours, priority="project")
    made.setdict(project or {}, priority="project")
    made.setdict(typed, priority="cmdline")
    return made


def kept(given: Settings) -> dict[str, object]:
    names = given_names(given)
    check(given)
    return remembered(given, names)


def test_nothing_given_is_nothing_remembered() -> None:
    assert kept(settings()) == {}


def test_what_was_typed_or_set_in_a_project_is_remembered_with_its_true_type() -> None:
    given = settings({"HOST_DELAY": "3"}, MAX_TCP_CONNECTIONS="7", CONTACT_URL="https://example.org/x")
    expected = {"HOST_DELAY": 3.0, "MAX_TCP_CONNECTIONS": 7, "CONTACT_URL": "https://example.org/x"}
    assert kept(given) == expected


def test_a_default_that_was_typed_is_remembered() -> None:
    assert kept(settings(HOST_DELAY="2.0")) == {"HOST_DELAY": 2.0}


def test_what_a_settings_module_says_of_the_users_own_parts_is_remembered() -> None:
    given = settings()
    given.set("BLOCK_LIST", "lista.txt", priority="project")
    assert kept(given) == {"BLOCK_LIST": "lista.txt"}


def test_components_and_settings_of_the_users_own_are_remembered() -> None:
    mine = '{"my.Middleware": 543}'
    found = kept(settings(DOWNLOADER_MIDDLEWARES=mine, MY_OPTION="x"))
    assert found["DOWNLOADER_MIDDLEWARES"]["my.Middleware"] == 543
    assert found["MY_OPTION"] == "x"


@pytest.mark.parametrize(
    "name",
    [
        "JOBDIR",
        "LOG_LEVEL",
        "CLOSESPIDER_PAGECOUNT",
        "SEEDS",
        "MAX_DEPTH",
        "MAX_BODY_BYTES",
        "MY_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
    ],
)
def test_what_is_of_one_run_or_secret_or_stands_elsewhere_is_not_remembered(name: str) -> None:
    assert kept(settings(**{name: "3"})) == {}


@pytest.mark.parametrize(
    "name", ["BANDWIDTH_SCHEDULE_FILE", "RULES_FILE", "CONSOLE_TOKENS", "DELTAFETCH_DIR"]
)
def test_a_path_is_remembered_in_full(tmp_path: Path, name: str) -> None:
    given = os.path.relpath(tmp_path / "given", Path.cwd())
    assert Path(kept(settings(**{name: given}))[name]) == Path.cwd() / given


def test_each_path_of_a_list_is_remembered_in_full() -> None:
    found = kept(settings(CONSOLE_MEMBERS='["crawls/italy-1", "/crawls/italy-2"]'))
    assert found == {"CONSOLE_MEMBERS": [str(Path.cwd() / "crawls/italy-1"), "/crawls/italy-2"]}


def test_every_setting_that_names_files_or_folders_is_known() -> None:
    named = [name for name, row in TABLE.items() if re.search("file|director|JOBDIR", row.reader.expected)]
    assert set(named) == {*PATHS, "SEEDS"}


def test_a_console_that_asked_for_tokens_still_does_after_a_resume(tmp_path: Path) -> None:
    """The path of the file is not a secret, and without it the console would be open."""
    given = kept(settings(CONSOLE="127.0.0.1:6060", CONSOLE_TOKENS=str(tmp_path / "tokens.toml")))
    assert given == {"CONSOLE": "127.0.0.1:6060", "CONSOLE_TOKENS": str(tmp_path / "tokens.toml")}


def test_a_resume_takes_what_is_not_given_again() -> None:
    record = {"MAX_DEPTH": 4, "settings": {"HOST_DELAY": 3.0, "MAX_TCP_CONNECTIONS": 7}}
    now = settings(HOST_DELAY="1")
    recall(now, record)
    assert kept(now) == {"HOST_DELAY": 1.0, "MAX_TCP_CONNECTIONS": 7}
    assert (now["HOST_DELAY"], now["MAX_TCP_CONNECTIONS"], now["MAX_DEPTH"]) == (1.0, 7, 4)


def test_kinds_that_an_earlier_version_remembered_are_taken_too() -> None:
    now = settings()
    recall(now, {"settings": {"LINK_KINDS_FOLLOWED": ["css"]}})
    assert kept(now) == {}
    assert now["LINK_KINDS_FOLLOWED"] == ["css"]


def test_a_directory_that_remembers_nothing_still_resumes() -> None:
    now = settings(HOST_DELAY="1")
    recall(now, {"recipe_version": 1})
    assert kept(now) == {"HOST_DELAY": 1.0}
