"""What a program asked of the kernel, by strace, and whether its files would survive a power cut.

`trace` runs a command under strace; `Disk` replays the calls: a file is durable when it was fsynced after its last
change, a name when its folder was fsynced after it was made, moved or removed. It is a model of what POSIX
promises, stricter than most file systems are.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

CALLS = (
    "open", "openat", "creat", "write", "writev", "pwrite64", "pwritev", "ftruncate", "truncate", "fallocate",
    "sendfile",
    "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat",
    "rmdir", "mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat",
)  # fmt: skip
WRITES = {"write", "writev", "pwrite64", "pwritev", "sendfile", "ftruncate", "truncate", "fallocate"}
_CALL = re.compile(r"^(\d+)\s+(\w+)\((.*)\)\s+=\s+(-?\d+)")
_UNFINISHED = re.compile(r"^(\d+)\s+(\w+)\((.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"^(\d+)\s+<\.\.\. (\w+) resumed>(.*)$")
_PATHS = re.compile(r'"((?:[^"\\]|\\.)*)"')
_DESCRIPTOR = re.compile(r"^\d+<([^>]*)>")
_FOLDER = re.compile(r"(?:AT_FDCWD|\d+)<([^>]*)>")

needs_strace = pytest.mark.skipif(
    not shutil.which("strace"), reason="strace is not installed: apt-get install strace"
)


@dataclass(frozen=True, slots=True)
class Call:
    """A system call that succeeded: its name and the absolute paths that it names, in order."""

    name: str
    paths: tuple[str, ...]
    writes: bool = False
    """An open that may change the file."""


def trace(command: Sequence[str], log: Path, **options: object) -> list[Call]:
    """Run a command, which must succeed, and return its calls in the order in which they ended."""
    strace = [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-y",
        "-qq",
        "-s",
        "0",
        "-e",
        f"trace={','.join(CALLS)}",
        "-o",
        str(log),
    ]
    done = subprocess.run([*strace, *command], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    return list(parse(log.read_text(errors="replace").splitlines()))


def parse(lines: Iterable[str]) -> Iterable[Call]:
    """Calls out of strace's lines (-f -y): those cut in two by another thread are joined."""
    begun: dict[tuple[str, str], str] = {}
    for line in lines:
        if unfinished := _UNFINISHED.match(line):
            begun[unfinished[1], unfinished[2]] = unfinished[3]
            continue
        if resumed := _RESUMED.match(line):
            line = f"{resumed[1]} {resumed[2]}({begun.pop((resumed[1], resumed[2]), '')}{resumed[3]}"
        found = _CALL.match(line)
        if found and int(found[4]) >= 0:
            yield _call(found[2], found[3])


def _call(name: str, arguments: str) -> Call:
    descriptor = _DESCRIPTOR.match(arguments)
    if descriptor and (name in WRITES or name in ("fsync", "fdatasync")):
        return Call(name, (descriptor[1],))
    folders = _FOLDER.findall(arguments) or ["/"]
    given = _PATHS.findall(arguments)
    paths = tuple(
        str(Path(folders[min(number, len(folders) - 1)]) / path) for number, path in enumerate(given)
    )
    writes = name == "creat" or (name in ("open", "openat") and bool(re.search("O_WRONLY|O_RDWR", arguments)))
    return Call(name, paths, writes)


@dataclass(slots=True)
class Disk:
    """Files and names that a power cut could still change."""

    files: set[str] = field(default_factory=set)
    """Written since they were last fsynced."""
    names: set[str] = field(default_factory=set)
    """Made, moved or removed since their folder was last fsynced."""

    def apply(self, call: Call) -> None:
        if not call.paths:
            return
        path = call.paths[0]
        if call.name in ("fsync", "fdatasync"):
            self.files.discard(path)
            self.names -= {name for name in self.names if name.rpartition("/")[0] == path}
        elif call.name in WRITES:
            self.files.add(path)
        elif call.name in ("open", "openat", "creat"):
            if call.writes:
                self.files.add(path)
                self.names.add(path)
        elif call.name.startswith("rename"):
            self._move(path, call.paths[1])
        elif call.name in ("unlink", "unlinkat", "rmdir"):
            self._forget(path)
            self.names.add(path)
        else:
            self.names.add(call.paths[-1])

    def unsafe(self, folder: str, but: Sequence[str] = ()) -> list[str]:
        """What is not durable in and below a folder, leaving out what is in and below those in `but`."""
        return sorted(
            path
            for path in self.files | self.names
            if _below(path, folder) and not any(_below(path, other) for other in but)
        )

    def _move(self, old: str, new: str) -> None:
        self._forget(new)
        for known in (self.files, self.names):
            moved = {path for path in known if _below(path, old)}
            known -= moved
            known |= {new + path[len(old) :] for path in moved}
        self.names |= {old, new}

    def _forget(self, path: str) -> None:
        for known in (self.files, self.names):
            known -= {each for each in known if _below(each, path)}


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
