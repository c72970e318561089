"""Only regular files are opened, and only as far as they may reach."""

import os
from pathlib import Path

import pytest

from webgraph_it.files.regular import InputError, open_regular, read_regular


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is a named pipe, expected a regular file"):
        open_regular(tmp_path / "pipe")


@pytest.mark.parametrize(("path", "kind"), [("/dev/zero", "a device"), ("/", "a folder")])
def test_what_has_no_end_or_no_bytes_is_refused(path: str, kind: str) -> None:
    with pytest.raises(InputError, match=f"is {kind}"):
        read_regular(Path(path), 10)


def test_a_link_that_the_user_names_is_followed(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_bytes(b"http://a.it/")
    (tmp_path / "link").symlink_to(tmp_path / "seeds.txt")
    assert read_regular(tmp_path / "link", 100) == b"http://a.it/"


def test_a_file_that_is_too_large_is_refused_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 11)
    assert read_regular(tmp_path / "large", 11) == b"x" * 11
    with pytest.raises(InputError, match="has 11 bytes, expected a list of at most 10"):
        read_regular(tmp_path / "large", 10, "a list")
