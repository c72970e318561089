"""A file that is edited is read once for each version."""

import os
from pathlib import Path

import pytest

from webgraph_it.files.regular import InputError
from webgraph_it.files.watched import WatchedFile


def test_each_version_is_given_once(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text("one")
    watched = WatchedFile(str(path), "PLAN")
    assert [watched.changed(), watched.changed()] == ["one", None]
    path.write_text("three")
    assert [watched.changed(), watched.changed()] == ["three", None]


def test_what_cannot_be_used_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    watched = WatchedFile(str(path), "PLAN")
    with pytest.raises(InputError, match=r"^PLAN: .*/plan cannot be read"):
        watched.changed()
    assert watched.changed() is None
    os.mkfifo(path)
    with pytest.raises(InputError, match=r"^PLAN: "):
        watched.changed()
