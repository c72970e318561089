"""What a member printed since it was started, and which of it says why it ended.

A member's log file has the lines of all its runs, and perhaps of others. Only what is beyond the end that the file had
when the process was started counts. If the disk is full, nothing more could be written, so that is said instead.
"""

import os
import re
import shutil
from pathlib import Path
from typing import IO

LAST_BYTES = 16_000
FULL_BYTES = 10_000_000
"""With less free space, whatever failed has probably failed for that."""
_LOGGED = re.compile(r"\b(DEBUG|INFO|WARNING|ERROR|CRITICAL): (.*)")
_CONTINUED = (" ", "\t", "{", "[", "'")
"""How the further lines of a logged table or traceback begin."""


class Printed:
    """The log of one member, from the moment when its process is about to start."""

    def __init__(self, path: Path) -> None:
        """The log must be readable and writable."""
        self._path = path
        self.log: IO[bytes] = path.open("a+b")
        """For the process to write to. It stays the same file if somebody removes or replaces the name."""
        self._start = self.log.seek(0, os.SEEK_END)

    def __repr__(self) -> str:
        return f"<Printed {self._path} from {self._start}>"

    def close(self) -> None:
        self.log.close()

    def reason(self, code: int) -> str:
        """Why the process ended, in its own words or, if there are none, in ours. `code`: its exit code."""
        free = shutil.disk_usage(self._path.parent).free
        return why(self._lines(), code, self._path, free)

    def _lines(self) -> list[str]:
        end = self.log.seek(0, os.SEEK_END)
        start = self._start if self._start <= end else 0  # somebody has emptied it
        self.log.seek(max(start, end - LAST_BYTES))
        return self.log.read().decode(errors="replace").splitlines()


def why(lines: list[str], code: int, log: Path, free_bytes: int) -> str:
    """The last critical line. Else the last error or sentence that is no log line, unless the disk is full."""
    critical = error = ""
    for line in lines:
        found = _LOGGED.search(line)
        if found is None:
            error = line.strip() if line.strip() and not line.startswith(_CONTINUED) else error
        elif found[1] == "CRITICAL":
            critical = found[2]
        elif found[1] == "ERROR":
            error = found[2]
    if critical:
        return critical
    if free_bytes < FULL_BYTES:
        return (
            f"exit code {code}; the disk is full: {free_bytes / 1e6:.1f} MB are free for {log.parent.parent}"
        )
    return error or f"exit code {code}, and no reason in {log}"
