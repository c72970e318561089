"""The file system that forgets: what was synced is there after every cut, what was not is sometimes gone."""

import os
import random
from collections import Counter
from pathlib import Path

from tests.forgetful import Disk, File, Folder, forgetful_disk


def kept(steps: str, path: str) -> Counter[bytes | None]:
    """What is found there after each of 40 cuts of power, once these steps were taken; None is nothing."""
    found: Counter[bytes | None] = Counter()
    for seed in range(40):
        root = Folder()
        exec(steps, {"root": root, "File": File, "Folder": Folder})
        root.cut(random.Random(seed))
        file = root.data.get(path)
        found[bytes(file.data) if isinstance(file, File) else None] += 1
    return found


def test_bytes_and_names_need_a_sync_each() -> None:
    begin = "file = root.data['a'] = File(bytearray(b'xy'))"
    assert set(kept(f"{begin}; file.sync(); root.sync()", "a")) == {b"xy"}
    assert set(kept(f"{begin}; root.sync()", "a")) == {b"", b"x", b"xy"}
    assert set(kept(f"{begin}; file.sync()", "a")) == {b"xy", None}


def test_what_was_synced_is_overwritten_or_removed_only_by_another_sync() -> None:
    begin = "file = root.data['a'] = File(bytearray(b'old')); file.sync(); root.sync()"
    assert set(kept(f"{begin}; file.data[:] = b'new'", "a")) == {b"old", b"new"}
    assert set(kept(f"{begin}; del root.data['a']", "a")) == {b"old", None}
    moved = f"{begin}; root.data['a'] = File(bytearray(b'new')); root.data['a'].sync()"
    assert set(kept(moved, "a")) == {b"old", b"new"}
    assert set(kept(f"{moved}; root.sync()", "a")) == {b"new"}


def test_a_real_program_sees_an_ordinary_file_system(tmp_path: Path) -> None:
    with forgetful_disk(tmp_path) as disk:
        write(disk.mount / "synced", b"safe", sync=True)
        descriptor = os.open(disk.mount, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        lost = [write(disk.mount / f"lost-{number}", b"x", sync=False) for number in range(20)]
        os.link(disk.mount / "synced", disk.mount / "again")
        (disk.mount / "again").rename(disk.mount / "moved")
        assert (disk.mount / "moved").read_bytes() == b"safe"
        with (disk.mount / "moved").open("r+b") as file:
            (disk.mount / "moved").unlink()
            file.truncate(2)
            assert file.read() == b"sa"
            file.truncate(4)
        (disk.mount / "synced").write_bytes(b"safe")
        (disk.mount / "folder" / "below").mkdir(parents=True)
        assert sorted(os.listdir(disk.mount)) == sorted(["folder", "synced", *(path.name for path in lost)])
        disk.cut(random.Random(1))
        assert 0 < sum(path.exists() for path in lost) < 20
        assert (disk.mount / "synced").exists()


def write(path: Path, data: bytes, *, sync: bool) -> Path:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        if sync:
            os.fsync(file.fileno())
    return path


def test_a_disk_that_cannot_be_mounted_says_why(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.mount.rmdir()
    assert disk.plug_in() != ""
