import os
from pathlib import Path

import pytest

from webgraph_it.files.own import NotOursError
from webgraph_it.files.whole_path import whole_path


def test_the_file_appears_at_the_end_of_the_block_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "italy.sqlite"
    with whole_path(path) as unfinished:
        unfinished.write_bytes(b"new")
        unfinished.with_name("italy.sqlite-journal").write_bytes(b"beside it")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["italy.sqlite"]


@pytest.mark.parametrize("failure", [OSError("no room"), KeyboardInterrupt(), SystemExit(1)])
def test_a_block_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path, failure: BaseException) -> None:
    path = tmp_path / "italy.sqlite"
    path.write_bytes(b"old")

    def fail() -> None:
        with whole_path(path) as unfinished:
            unfinished.write_bytes(b"half of the new")
            raise failure

    with pytest.raises(type(failure)):
        fail()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["italy.sqlite"]


def test_what_a_kill_left_is_removed_but_not_what_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_bytes(b"mine")
    (tmp_path / "a.new").symlink_to(tmp_path / "mine")
    (tmp_path / "b.new").mkdir()
    (tmp_path / "b.new" / "b").write_bytes(b"left by a kill")
    for name in ("a", "b"):
        with whole_path(tmp_path / name) as unfinished:
            assert not unfinished.exists()
            unfinished.write_bytes(b"new")
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "mine"]
    assert (tmp_path / "mine" / "file").read_bytes() == b"mine"


def test_a_link_leads_to_the_file_and_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with whole_path(tmp_path / "link") as unfinished:
        unfinished.write_bytes(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotOursError, match="is a named pipe"), whole_path(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()
