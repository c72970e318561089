"""A name that is no setting is refused where somebody gave it; names of users' own components are theirs."""

import sys
from pathlib import Path

import pytest

from tests.engine.test_required import project
from webgraph_it.crawl.values import SettingsError
from webgraph_it.engine.setting_names import check_names


def test_our_settings_and_scrapys_are_known() -> None:
    check_names(
        project(HOST_DELAY="1", DOWNLOAD_DELAY="1", IMAGES_THUMBS="{}", CONCURRENT_REQUESTS_PER_IP="1")
    )


def test_a_misspelt_setting_is_refused_with_the_name_it_may_have_meant() -> None:
    with pytest.raises(
        SettingsError, match="BANDWITH_SCHEDULE is not a setting; did you mean BANDWIDTH_SCHEDULE"
    ):
        check_names(project(BANDWITH_SCHEDULE="x"))


@pytest.mark.parametrize("priority", ["project", "spider"])
def test_elsewhere_only_what_looks_misspelt_is_refused(priority: str) -> None:
    settings = project()
    settings.set("MY_COLOUR", "blue", priority)
    check_names(settings)
    settings.set("MAX_DEPHT", 3, priority)
    with pytest.raises(SettingsError, match="did you mean MAX_DEPTH"):
        check_names(settings)


def test_a_setting_of_the_users_own_is_named_in_known_settings() -> None:
    with pytest.raises(SettingsError, match="MY_COLOUR is not a setting"):
        check_names(project(MY_COLOUR="blue"))
    check_names(project(MY_COLOUR="blue", KNOWN_SETTINGS=["MY_COLOUR"]))


def test_a_setting_of_the_users_own_is_defined_in_their_settings_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "module_of_a_user.py").write_text("from webgraph_it.settings import *\nMY_COLOUR = 'red'\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "module_of_a_user")
    check_names(project(MY_COLOUR="blue"))
    sys.modules.pop("module_of_a_user")
