"""A component that has moved is refused under its old name, with its new one."""

from typing import Any

import pytest
from scrapy.utils.misc import load_object

from tests.engine.test_required import project
from webgraph_it.crawl.values import SettingsError
from webgraph_it.engine.moved import MOVED
from webgraph_it.engine.required import check_components


def settings_naming(path: str) -> list[tuple[str, Any]]:
    """As users name it, each alone."""
    if "Formatter" in path:
        return [("LOG_FORMATTER", path)]
    name = "ITEM_PIPELINES" if "Pipeline" in path else "EXTENSIONS"
    return [(name, {path: 300}), (name, {path: None}), (f"{name}_BASE", {path: 500})]


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_name_is_refused_with_the_new_one(old, new):
    for setting, value in settings_naming(old):
        with pytest.raises(SettingsError) as refusal:
            check_components(project(**{setting: value}))
        assert str(refusal.value) == (
            f"{setting} names {old}, which has moved; expected: {new}. Name that instead."
        )


@pytest.mark.parametrize("new", MOVED.values())
def test_every_new_name_is_there(new):
    assert isinstance(load_object(new), type)
