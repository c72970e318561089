import sys
from pathlib import Path

from tests.syscalls import Call, Disk, needs_strace, parse, trace

PROGRAM = """
import os, sys
path = sys.argv[1]
with open(path + '.new', 'w') as file:
    file.write('x')
    file.flush()
    if 'file' in sys.argv: os.fsync(file.fileno())
os.rename(path + '.new', path)
if 'folder' in sys.argv: os.fsync(os.open(os.path.dirname(path), os.O_RDONLY))
"""


def unsafe(folder: Path, *synced: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, str(folder / "a"), *synced]
    disk = Disk()
    for call in trace(command, folder.parent / "log"):
        disk.apply(call)
    return disk.unsafe(str(folder))


@needs_strace
def test_a_file_is_durable_when_it_and_its_folder_were_synced(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert unsafe(folder, "file", "folder") == []
    assert unsafe(folder, "file") == [str(folder / "a"), str(folder / "a.new")]  # the names
    assert unsafe(folder, "folder") == [str(folder / "a")]  # what is in it
    assert unsafe(folder) == [str(folder / "a"), str(folder / "a.new")]


def test_calls_cut_in_two_are_joined_and_failed_ones_left_out() -> None:
    lines = [
        "7 fsync(3</a/b> <unfinished ...>",
        '8 rename("/a/c", "/a/d") = 0',
        "7 <... fsync resumed>) = 0",
        '9 unlink("/a/x") = -1 ENOENT (No such file or directory)',
        '9 openat(AT_FDCWD</w>, "y", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 4</w/y>',
        '9 openat(AT_FDCWD</w>, "/z", O_RDONLY|O_CLOEXEC) = 4</z>',
    ]
    assert list(parse(lines)) == [
        Call("rename", ("/a/c", "/a/d")),
        Call("fsync", ("/a/b",)),
        Call("openat", ("/w/y",), writes=True),
        Call("openat", ("/z",)),
    ]
