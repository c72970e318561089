"""The bandwidth plan in force: BANDWIDTH_SCHEDULE, or BANDWIDTH_SCHEDULE_FILE, which may change during a crawl."""

import json
from pathlib import Path

from webgraph_it.fetch.schedule import Schedule, ScheduleError, parse_schedule
from webgraph_it.files.regular import InputError, read_regular

FILE_SETTING = "BANDWIDTH_SCHEDULE_FILE"
MAX_FILE_BYTES = 1_000_000


class Plan:
    """The schedule in force, from the setting or from a file that may change."""

    def __init__(self, value: object, path: str, timezone: str) -> None:
        self._path = Path(path) if path else None
        self._timezone = timezone
        self._seen: tuple[int, int] | None = (0, 0)
        self.schedule: Schedule = parse_schedule(value, timezone)
        self.reload()

    def reload(self) -> bool:
        """Read the file if it changed. True: there is a new plan. Raises ScheduleError once; the old plan stays."""
        if self._path is None or (stamp := _stamp(self._path)) == self._seen:
            return False
        self._seen = stamp
        try:
            text = read_regular(self._path, MAX_FILE_BYTES).decode("utf-8", "replace")
        except InputError as error:
            raise ScheduleError(f"{FILE_SETTING}: {error}") from None
        except OSError as error:
            raise ScheduleError(f"{FILE_SETTING}: {self._path} cannot be read ({error.strerror}).") from None
        if not text.strip():  # an editor may be about to write it: do not take it as a plan without limits
            raise ScheduleError(f"{FILE_SETTING}: {self._path} is empty, a list of [when, rate] expected.")
        self.schedule = parse_schedule(_list_in(text, self._path), self._timezone, FILE_SETTING)
        return True


def _list_in(text: str, path: Path) -> list[object]:
    """The list in a file. The error does not quote the file, because it may be the wrong one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise ScheduleError(
            f'{FILE_SETTING}: {path} is not a list, JSON such as [["mon-fri 08:00-19:00", "1500 KB/s"]] expected.'
        )
    return found


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes when the file does; None if there is no file."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
