"""A constructor that raises is traced to the class of the user's that Scrapy was making."""

from typing import Any

import pytest
from scrapy.utils.misc import build_from_crawler

from webgraph_it.engine.unbuilt import unbuilt_component, words_for


class Broken:
    def __init__(self) -> None:
        int("no number")


def error_of(component: Any) -> BaseException:
    with pytest.raises(ValueError, match="no number") as raised:
        build_from_crawler(component, None)  # type: ignore[arg-type]
    return raised.value


def test_the_users_class_is_named_with_the_line_that_raised() -> None:
    error = error_of(Broken)
    assert unbuilt_component(error) == f"{__name__}.Broken"
    assert f"mine.Broken cannot be made: {error!r} ({__file__}, line " in words_for("mine.Broken", error)


def test_one_of_ours_or_another_error_is_not_the_users() -> None:
    ours = type("Ours", (Broken,), {"__module__": "webgraph_it.engine.ours"})
    assert unbuilt_component(error_of(ours)) == ""
    with pytest.raises(ValueError, match="no number") as raised:
        Broken()
    assert unbuilt_component(raised.value) == ""
