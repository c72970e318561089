"""A file system that forgets what was not synced, as a disk does when its power is cut.

    python -m tests.forgetful MOUNT IMAGE       serves the image, and writes it back when it is unmounted

A file's bytes are safe once the file was synced, a name (made, moved or removed) once its folder was: what POSIX
promises and no more. At a cut each unsafe thing is kept or lost by chance, alone: a name without its bytes, bytes
without a name, the later of two files without the earlier. It is in memory, and knows no owners and no times.
"""

import errno
import os
import pickle
import random
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

MOUNT_SECONDS = 10


@dataclass(eq=False)
class File:
    data: bytearray = field(default_factory=bytearray)
    safe: bytes = b""
    mode = stat.S_IFREG | 0o644

    def sync(self) -> None:
        self.safe = bytes(self.data)

    def cut(self, chance: random.Random) -> None:
        """The old bytes or the new ones; of those that were appended, the first few."""
        appended = len(self.data) - len(self.safe)
        if appended > 0 and self.data.startswith(self.safe):
            del self.data[len(self.safe) + chance.randint(0, appended) :]
        elif chance.random() < 0.5:
            self.data = bytearray(self.safe)
        self.sync()


@dataclass(eq=False)
class Folder:
    data: "dict[str, File | Folder]" = field(default_factory=dict)
    safe: "dict[str, File | Folder]" = field(default_factory=dict)
    mode = stat.S_IFDIR | 0o755

    def sync(self) -> None:
        self.safe = dict(self.data)

    def cut(self, chance: random.Random) -> None:
        """Each name as it is now, or as it was synced."""
        chosen = {
            name: chance.choice((self.data, self.safe)).get(name) for name in {**self.data, **self.safe}
        }
        self.data = {name: node for name, node in chosen.items() if node is not None}
        self.sync()
        for node in set(self.data.values()):
            node.cut(chance)


def operations(root: Folder, image: Path) -> Any:
    """What libfuse calls. Open files are known by number, so that one without a name can be read on."""
    import mfusepy

    class Forgetful(mfusepy.Operations):  # type: ignore[misc]
        use_ns = True

        def __init__(self) -> None:
            self.opened: dict[int, File] = {}

        def find(self, path: str, number: int | None = None) -> Any:
            if number in self.opened:
                return self.opened[number]
            node: Any = root
            for name in Path(path).parts[1:]:
                if not isinstance(node, Folder) or name not in node.data:
                    raise mfusepy.FuseOSError(errno.ENOENT)
                node = node.data[name]
            return node

        def folder(self, path: str) -> Folder:
            found: Folder = self.find(str(Path(path).parent))
            return found

        def getattr(self, path: str, fh: int | None = None) -> dict[str, int]:
            node = self.find(path, fh)
            return {"st_mode": node.mode, "st_nlink": 1, "st_size": len(node.data)}

        def readdir(self, path: str, fh: int) -> list[str]:
            return [".", "..", *self.find(path).data]

        def create(self, path: str, mode: int, fi: Any = None) -> int:
            self.folder(path).data[Path(path).name] = File()
            return self.open(path, 0)

        def open(self, path: str, flags: int) -> int:
            number = max(self.opened, default=0) + 1
            self.opened[number] = self.find(path)
            return number

        def release(self, path: str, fh: int) -> int:
            del self.opened[fh]
            return 0

        def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
            return bytes(self.opened[fh].data[offset : offset + size])

        def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
            file = self.opened[fh].data
            file.extend(bytes(max(0, offset - len(file))))
            file[offset : offset + len(data)] = data
            return len(data)

        def truncate(self, path: str, length: int, fh: int | None = None) -> int:
            file = self.find(path, fh).data
            del file[length:]
            file.extend(bytes(length - len(file)))
            return 0

        def mkdir(self, path: str, mode: int) -> int:
            self.folder(path).data[Path(path).name] = Folder()
            return 0

        def unlink(self, path: str) -> int:
            del self.folder(path).data[Path(path).name]
            return 0

        rmdir = unlink

        def rename(self, old: str, new: str, flags: int = 0) -> int:
            self.folder(new).data[Path(new).name] = self.folder(old).data.pop(Path(old).name)
            return 0

        def link(self, target: str, source: str) -> int:
            self.folder(target).data[Path(target).name] = self.find(source)
            return 0

        def fsync(self, path: str, datasync: int, fh: int) -> int:
            self.find(path, fh).sync()
            return 0

        def fsyncdir(self, path: str, datasync: int, fh: int) -> int:
            self.find(path).sync()
            return 0

        def chmod(self, path: str, mode: int) -> int:
            return 0

        def utimens(self, path: str, times: Any = None) -> int:
            return 0

        def statfs(self, path: str) -> dict[str, int]:
            blocks = 1 << 30
            return {
                "f_bsize": 4096,
                "f_frsize": 4096,
                "f_blocks": blocks,
                "f_bfree": blocks,
                "f_bavail": blocks,
            }

        def destroy(self, path: str) -> None:
            image.write_bytes(pickle.dumps(root))

    return Forgetful()


class Disk:
    """An image and where it is mounted."""

    def __init__(self, folder: Path) -> None:
        self.mount, self._image = folder / "mount", folder / "image"
        self.mount.mkdir()
        self._image.write_bytes(pickle.dumps(Folder()))
        self._server: subprocess.Popen[bytes] | None = None

    def plug_in(self) -> str:
        """Mount it; why that is impossible, if it is."""
        command = [sys.executable, "-m", "tests.forgetful", str(self.mount), str(self._image)]
        self._server = subprocess.Popen(command, cwd=Path(__file__).parents[1], stderr=subprocess.PIPE)
        end = time.monotonic() + MOUNT_SECONDS
        while not os.path.ismount(self.mount):
            if self._server.poll() is not None or time.monotonic() > end:
                self._server.kill()
                return " ".join(self._server.communicate()[1].decode(errors="replace").split()[-20:])
            time.sleep(0.02)
        return ""

    def unplug(self) -> None:
        """Nobody uses it any more."""
        subprocess.run(["fusermount3", "-u", str(self.mount)], check=True)
        assert self._server is not None
        self._server.communicate(timeout=MOUNT_SECONDS)

    def cut(self, chance: random.Random) -> None:
        """The power was cut, and is there again."""
        self.unplug()
        root: Folder = pickle.loads(self._image.read_bytes())
        root.cut(chance)
        self._image.write_bytes(pickle.dumps(root))
        assert self.plug_in() == ""


@contextmanager
def forgetful_disk(folder: Path) -> Iterator[Disk]:
    """Skips the test where there is no FUSE."""
    disk = Disk(folder)
    if why := disk.plug_in():
        pytest.skip(f"no file system of ours can be mounted here; fuse3 and /dev/fuse are needed ({why})")
    try:
        yield disk
    finally:
        disk.unplug()


def serve(mount: str, image: Path) -> None:
    import mfusepy

    root = pickle.loads(image.read_bytes())
    mfusepy.FUSE(operations(root, image), mount, foreground=True, nothreads=True)


if __name__ == "__main__":
    from tests import forgetful  # by this name the image knows its classes

    forgetful.serve(sys.argv[1], Path(sys.argv[2]))
