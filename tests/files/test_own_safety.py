"""Files and folders of ours: synced, closed, and never somebody else's."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from webgraph_it.files import own
from webgraph_it.files.own import SHARED_MODE, NotOursError, make_folder, open_file, sync, whole_file


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What is opened, synced and renamed, in order, each with its last name."""
    seen: list[tuple[str, str]] = []
    names: dict[int, str] = {}
    real_open, real_sync, real_rename = os.open, os.fsync, Path.rename

    def opened(path: Path, flags: int, mode: int = 0o777) -> int:
        descriptor = real_open(path, flags, mode)
        names[descriptor] = Path(path).name
        return descriptor

    def synced(descriptor: int) -> None:
        seen.append(("sync", names[descriptor]))
        real_sync(descriptor)

    def renamed(old: Path, new: Path) -> Path:
        seen.append(("rename", new.name))
        return real_rename(old, new)

    monkeypatch.setattr(own.os, "open", opened)
    monkeypatch.setattr(own.os, "fsync", synced)
    monkeypatch.setattr(Path, "rename", renamed)
    return seen


def open_descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


def test_a_whole_file_is_synced_then_renamed_then_its_folder_synced(
    tmp_path: Path, calls: list[tuple[str, str]]
) -> None:
    with whole_file(tmp_path / "a.json") as file:
        file.write(b"{}")
        assert not (tmp_path / "a.json").exists()
    assert calls == [("sync", "a.json.new"), ("rename", "a.json"), ("sync", tmp_path.name)]
    assert (tmp_path / "a.json").read_bytes() == b"{}"
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o600


def test_all_bytes_are_written_before_the_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(own.os, "fsync", lambda descriptor: sizes.append(os.fstat(descriptor).st_size))
    with whole_file(tmp_path / "a.json") as file:
        file.write(b"{}")
    assert sizes[0] == 2


def test_a_whole_file_that_fails_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "a.json") as file:
        file.write(b"%d" % (1 / 0))
    assert (tmp_path / "a.json").read_bytes() == b"old"
    with whole_file(tmp_path / "a.json") as file:
        file.write(b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("prepare", [Path.touch, lambda path: path.symlink_to("victim")])
def test_a_name_that_appears_between_removal_and_opening_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prepare: Callable[[Path], None]
) -> None:
    """Somebody is faster than we are: the temporary is there again, as a file or as a link."""
    (tmp_path / "victim").write_bytes(b"worth something")
    prepare(tmp_path / "a.json.new")
    monkeypatch.setattr(Path, "unlink", lambda path, missing_ok: None)
    with pytest.raises(OSError, match="File exists"), whole_file(tmp_path / "a.json") as file:
        file.write(b"{}")
    assert (tmp_path / "victim").read_bytes() == b"worth something"


def test_the_temporary_is_opened_without_following_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """O_EXCL refuses a link as well; where a file system does not honour it, O_NOFOLLOW does."""
    flags_seen: list[int] = []
    real = os.open

    def seen(path: Path, flags: int, mode: int = 0o777) -> int:
        flags_seen.append(flags)
        return real(path, flags, mode)

    monkeypatch.setattr(own.os, "open", seen)
    with whole_file(tmp_path / "a.json"):
        pass
    assert flags_seen[0] & os.O_NOFOLLOW
    assert flags_seen[0] & os.O_CLOEXEC


def test_sync_waits_for_the_disk_and_keeps_nothing_open(tmp_path: Path, calls: list[tuple[str, str]]) -> None:
    before = open_descriptors()
    sync(tmp_path)
    assert calls == [("sync", tmp_path.name)]
    assert open_descriptors() == before


def test_every_new_folder_is_on_disk_from_the_top(tmp_path: Path, calls: list[tuple[str, str]]) -> None:
    make_folder(tmp_path / "a" / "b")
    assert calls == [("sync", tmp_path.name), ("sync", "a")]
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    make_folder(tmp_path / "a" / "b")
    assert calls[2:] == [("sync", "a")]


def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    for mode in (0o770, 0o702):
        (tmp_path / f"{mode:o}").mkdir()
        (tmp_path / f"{mode:o}").chmod(mode)
        with pytest.raises(NotOursError, match=f"mode 0{mode:o}"):
            make_folder(tmp_path / f"{mode:o}")
    (tmp_path / "755").mkdir(0o755)
    make_folder(tmp_path / "755")


def test_a_file_instead_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(NotOursError, match="expected a folder of the crawl"):
        make_folder(tmp_path / "a")


def test_what_is_no_regular_file_is_refused_and_closed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "victim").write_bytes(b"worth something")
    (tmp_path / "link").symlink_to("victim")
    before = open_descriptors()
    for name in ("pipe", "link"):
        with pytest.raises(NotOursError, match="expected a regular file of the crawl"):
            open_file(tmp_path / name, os.O_RDWR)
    assert open_descriptors() == before


def test_somebody_elses_files_and_folders_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir(0o700)
    monkeypatch.setattr(own.os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    before = open_descriptors()
    with pytest.raises(NotOursError, match="belongs to user"):
        open_file(tmp_path / "file", os.O_RDWR)
    with pytest.raises(NotOursError, match="belongs to user"):
        make_folder(tmp_path / "folder")
    assert open_descriptors() == before


def test_a_file_of_ours_is_opened_and_made(tmp_path: Path) -> None:
    descriptor = open_file(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    assert os.fstat(descriptor).st_mode & 0o777 == 0o600
    os.close(descriptor)
    with pytest.raises(FileNotFoundError):
        open_file(tmp_path / "none", os.O_RDWR)


def test_a_shared_file_is_written_where_its_link_leads(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for name in ("old", "new"):
        (tmp_path / name).symlink_to(tmp_path / "there" / name)
    (tmp_path / "there/old").write_bytes(b"before")
    for name in ("old", "new"):
        with whole_file(tmp_path / name, SHARED_MODE) as file:
            file.write(b"after")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "there" / name).read_bytes() == b"after"
    assert sorted(os.listdir(tmp_path / "there")) == ["new", "old"]


def test_a_file_of_the_crawl_replaces_a_link_and_leaves_its_target(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "a.json").symlink_to(tmp_path / "mine")
    with whole_file(tmp_path / "a.json") as file:
        file.write(b"{}")
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert not (tmp_path / "a.json").is_symlink()


@pytest.mark.parametrize("name", ["pipe", "link"])
def test_a_shared_file_does_not_replace_what_is_no_file(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    with (
        pytest.raises(NotOursError, match=rf"{name} is a named pipe, expected a regular file"),
        whole_file(tmp_path / name, SHARED_MODE),
    ):
        pass
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]
