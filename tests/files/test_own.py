"""A finished file is a renamed file, and a file that was not finished leaves nothing behind."""

import os
from pathlib import Path

import pytest

from webgraph_it.files.own import SHARED_MODE, NotOursError, make_folder, open_file, whole_file, write_whole


def test_the_file_appears_at_the_end_of_the_block(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    with whole_file(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["graph.json"]


@pytest.mark.parametrize("failure", [OSError("no room"), KeyboardInterrupt(), SystemExit(1)])
def test_a_block_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path, failure: BaseException) -> None:
    path = tmp_path / "graph.json"
    path.write_bytes(b"old")

    def fail() -> None:
        with whole_file(path) as file:
            file.write(b"half of the new")
            raise failure

    with pytest.raises(type(failure)):
        fail()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["graph.json"]


def test_a_file_that_cannot_be_renamed_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "graph.json").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "graph.json", "{}")
    assert os.listdir(tmp_path) == ["graph.json"]


@pytest.mark.parametrize("mode", [SHARED_MODE, 0o600])
def test_an_error_names_the_file_that_was_given(tmp_path: Path, mode: int) -> None:
    (tmp_path / "file").touch()
    for folder, kind in (("niente", FileNotFoundError), ("file", NotADirectoryError)):
        with pytest.raises(kind) as raised, whole_file(tmp_path / folder / "x.wacz", mode):
            pass
        assert raised.value.filename == str(tmp_path / folder / "x.wacz")


def test_what_a_crash_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.new").write_bytes(b"left by a crash, and longer")
    write_whole(tmp_path / "a", "short")
    assert (tmp_path / "a").read_text() == "short"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_is_for_its_owner_unless_it_is_made_for_others(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "own", b"")
        write_whole(tmp_path / "shared", b"", SHARED_MODE)
    finally:
        os.umask(before)
    assert oct((tmp_path / "own").stat().st_mode)[-3:] == "600"
    assert oct((tmp_path / "shared").stat().st_mode)[-3:] == "644"


def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    (tmp_path / "a" / "b").chmod(0o777)
    with pytest.raises(NotOursError, match="may be written to by other users"):
        make_folder(tmp_path / "a" / "b")


def test_a_symbolic_link_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"years of work")
    (tmp_path / "link").symlink_to(tmp_path / "victim")
    with pytest.raises(NotOursError, match="is a symbolic link"):
        open_file(tmp_path / "link", os.O_WRONLY | os.O_TRUNC)
    assert (tmp_path / "victim").read_bytes() == b"years of work"
