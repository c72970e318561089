"""Starts the members of a fleet on one machine, watches them, and starts again what was killed.

    DIR/logs/member-01.log     what each member prints

Each member has a session of its own, so Ctrl-C reaches only this process, which then asks every member to stop, once.
If this process itself is killed, the kernel asks the members to stop. Either way the same command resumes.
"""

import ctypes
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from webgraph_it.files.own import make_folder
from webgraph_it.fleet.exchange import Status
from webgraph_it.fleet.printed import Printed
from webgraph_it.fleet.restarts import FAILED, FINISHED, STOPPED, WRONG_USAGE, History, Then
from webgraph_it.fleet.watched import WatchedDirectory
from webgraph_it.fleet.words import progress_line
from webgraph_it.shards.directory import LOCK_FILE
from webgraph_it.shards.fleet import LOGS_FOLDER, member_folder, members

LOOK_SECONDS = 0.2
STOP_SECONDS = 300.0
"""After that, a member that does not stop is killed. Nothing of its last commit is lost."""
_PR_SET_PDEATHSIG = 1

Command = Callable[[int], Sequence[str]]
"""From the number of a member to the command that runs it."""


class Supervisor:
    """`run` returns the exit code of the whole fleet, as that of one crawl."""

    def __init__(
        self,
        directory: Path,
        size: int,
        command: Command,
        say: Callable[[str], None],
        show: Callable[[str], None],
        board: Callable[[], Mapping[int, Status]] | None = None,
        lock: Callable[[], None] = lambda: None,
    ) -> None:
        """`say` prints a sentence, `show` the progress line. `board`: the statuses, if they are not in
        `directory`. `lock` is called once the directory exists, before anything else; it raises if another process has
        locked it."""
        self._directory = directory
        self._size = size
        self._command = command
        self._say = say
        self._show = show
        self._board = board or WatchedDirectory(directory, say)
        self._lock = lock
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._printed: dict[int, Printed] = {}
        self._started_at: dict[int, float] = {}
        self._restart_at: dict[int, float] = {}
        self._histories = {member: History() for member in range(1, size + 1)}
        self._codes: dict[int, int] = {}
        """Of the members that have ended for good."""
        self._stopping = False
        self._stop_by = 0.0
        self.refusal = ""
        """Why no member may start, in the words of the first one that was refused."""

    def run(self) -> int:
        logs = self._directory / LOGS_FOLDER
        new = [each for each in (self._directory, logs) if not each.exists()]
        make_folder(self._directory)
        self._lock()
        make_folder(logs)
        with _signals(self._ask):
            for member in self._histories:
                self._start(member)
            while len(self._codes) < self._size:
                self._look()
                self._show(self._line())
                time.sleep(LOOK_SECONDS)
        for printed in self._printed.values():
            printed.close()
        if self.refusal and not members(self._directory) and FAILED not in self._codes.values():
            _remove(new)
        return worst(self._codes.values())

    def _line(self) -> str:
        running = sum(process.poll() is None for process in self._processes.values())
        return progress_line(self._board(), self._size, running, stopping=self._stopping)

    # -- processes ---------------------------------------------------------------------------------------------------

    def _start(self, member: int) -> None:
        if member in self._printed:
            self._printed[member].close()
        self._printed[member] = printed = Printed(self._log(member))
        self._processes[member] = subprocess.Popen(
            list(self._command(member)),
            stdin=subprocess.DEVNULL,
            stdout=printed.log,
            stderr=printed.log,
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
        self._started_at[member] = time.monotonic()

    def _look(self) -> None:
        now = time.monotonic()
        for member, process in list(self._processes.items()):
            if member in self._codes:
                continue
            if member in self._restart_at:
                if self._stopping:
                    self._codes[member] = STOPPED
                elif now >= self._restart_at[member]:
                    del self._restart_at[member]
                    self._start(member)
            elif (code := process.poll()) is not None:
                self._ended(member, code, now)
            elif self._stopping and now > self._stop_by:
                process.kill()

    def _ended(self, member: int, code: int, now: float) -> None:
        if self._stopping:
            self._codes[member] = code if code >= 0 else STOPPED
            return
        then, pause = self._histories[member].ended(code, now - self._started_at[member])
        reason = self._printed[member].reason(code)
        if then is Then.RESTART:
            cause = f"was killed by signal {-code}" if code < 0 else f"failed ({reason})"
            self._say(f"Member {member} {cause}. It is started again{f' in {pause:.0f} s' if pause else ''}.")
            self._restart_at[member] = now + pause
            return
        self._codes[member] = code
        if then is Then.STOP_ALL:
            if code == WRONG_USAGE:
                self.refusal = reason
            else:
                words = "was stopped" if code == STOPPED else f"fails again and again ({reason})"
                self._say(f"Member {member} {words}. All members are stopped.")
            self._ask()

    def _ask(self) -> None:
        """Ask all members to stop. The second time, kill them."""
        sent = signal.SIGKILL if self._stopping else signal.SIGTERM
        self._stopping, self._stop_by = True, time.monotonic() + STOP_SECONDS
        for process in self._processes.values():
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    process.send_signal(sent)

    def _log(self, member: int) -> Path:
        return self._directory / LOGS_FOLDER / f"{member_folder(member)}.log"


def _remove(folders: Sequence[Path]) -> None:
    """A first start that is refused leaves nothing behind. What the logs say about it is told."""
    for folder in reversed(folders):
        if folder.name == LOGS_FOLDER:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            (folder / LOCK_FILE).unlink(missing_ok=True)
            with suppress(OSError):  # somebody else has put something into it
                folder.rmdir()


def worst(codes: Iterable[int]) -> int:
    """The exit code of the fleet: that of the member with the worst one."""
    found = set(codes)
    for code in (WRONG_USAGE, FAILED, STOPPED):
        if code in found:
            return code
    return FINISHED if found <= {FINISHED} else FAILED


class _signals:
    """While it is entered, SIGINT and SIGTERM call a function."""

    def __init__(self, ask: Callable[[], None]) -> None:
        self._ask = ask

    def __enter__(self) -> None:
        self._before = {
            number: signal.signal(number, lambda *_: self._ask())
            for number in (signal.SIGINT, signal.SIGTERM)
        }

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def _end_with_parent() -> None:
    """Runs in the new process: ask the kernel for a SIGTERM when the supervisor dies."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def scrapy_command(directory: Path, size: int, spider: str, settings: Sequence[str]) -> Command:
    """`scrapy crawl SPIDER` for each member, with these further arguments."""

    def command(member: int) -> list[str]:
        own = {"JOBDIR": str(directory), "FLEET_SIZE": str(size), "FLEET_MEMBER": str(member)}
        given = [word for name, value in own.items() for word in ("-s", f"{name}={value}")]
        return [sys.executable, "-m", "scrapy", "crawl", spider, *settings, *given]

    return command


def given_settings(words: Sequence[str]) -> dict[str, str]:
    """The settings among the arguments of `scrapy crawl`: -s NAME=value, --set=NAME=value."""
    given = {}
    for before, word in zip(["", *words], words, strict=False):
        option = next((each for each in ("--set=", "-s") if word.startswith(each)), "")
        text = word if before in ("-s", "--set") else word.removeprefix(option) if option else ""
        name, equals, value = text.partition("=")
        if equals:
            given[name.strip()] = value
    return given
