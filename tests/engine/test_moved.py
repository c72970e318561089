"""A component that has moved is refused under its old name, with its new one, unless a crawl directory remembers it."""

import json
from typing import Any

import pytest
from scrapy.utils.misc import load_object

from tests.engine.test_required import project
from webgraph_it.crawl.moved import MOVED, NAMING, translated
from webgraph_it.crawl.remembered import recall
from webgraph_it.crawl.values import SettingsError
from webgraph_it.engine.required import check_components

KINDS = {
    "DownloaderMiddleware": "DOWNLOADER_MIDDLEWARES",
    "SpiderMiddleware": "SPIDER_MIDDLEWARES",
    "Middleware": "DOWNLOADER_MIDDLEWARES",
    "Pipeline": "ITEM_PIPELINES",
    "Extension": "EXTENSIONS",
}
SINGLE = {
    "Formatter": "LOG_FORMATTER",
    "Scheduler": "SCHEDULER",
    "Downloader": "DOWNLOADER",
    "Writer": "GRAPH_WRITER",
}


def settings_naming(path: str) -> list[tuple[str, Any]]:
    """As users name it, each alone."""
    if path.endswith("Handler"):
        return [("DOWNLOAD_HANDLERS", {"http": path}), ("DOWNLOAD_HANDLERS_BASE", {"https": path})]
    for ending, name in SINGLE.items():
        if path.endswith(ending):
            return [(name, path)]
    name = next(name for ending, name in KINDS.items() if path.endswith(ending))
    return [(name, {path: 300}), (name, {path: None}), (f"{name}_BASE", {path: 500})]


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_name_is_refused_with_the_new_one(old: str, new: str) -> None:
    for setting, value in settings_naming(old):
        with pytest.raises(SettingsError) as refusal:
            check_components(project(**{setting: value}))
        assert str(refusal.value) == (
            f"{setting} names {old}, which has moved; expected: {new}. Name that instead."
        )


@pytest.mark.parametrize("new", MOVED.values())
def test_every_new_name_is_there(new: str) -> None:
    assert isinstance(load_object(new), type)


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_name_that_a_crawl_remembers_is_translated(old: str, new: str) -> None:
    for setting, value in settings_naming(old):
        found = translated(setting, value)
        assert json.dumps(found) == json.dumps(value).replace(old, new)
        if not setting.startswith("LOG_"):  # belongs to one run, and is not remembered
            settings = project()
            recall(settings, {"settings": {setting: value}})
            assert old not in repr(dict(settings[setting]) if isinstance(value, dict) else settings[setting])


def test_other_settings_are_left_as_they_are() -> None:
    old = next(iter(MOVED))
    assert translated("CONTACT_URL", old) == old
    assert translated("SCHEDULER", None) is None
    assert translated("EXTENSIONS", {"mine.Part": 3}) == {"mine.Part": 3}
    assert len(NAMING) == len(set(NAMING))
