"""The bandwidth plan in force: BANDWIDTH_SCHEDULE, or BANDWIDTH_SCHEDULE_FILE, which may change during a crawl."""

import json
from pathlib import Path

from webgraph_it.fetch.schedule import Schedule, ScheduleError, parse_schedule
from webgraph_it.files.regular import InputError
from webgraph_it.files.watched import WatchedFile

FILE_SETTING = "BANDWIDTH_SCHEDULE_FILE"


class Plan:
    """The schedule in force, from the setting or from a file that may change."""

    def __init__(self, value: object, path: str, timezone: str) -> None:
        self._file = WatchedFile(path, FILE_SETTING)
        self._timezone = timezone
        self.schedule: Schedule = parse_schedule(value, timezone)
        self.reload()

    def override(self, value: list[list[str]]) -> None:
        """Another plan, until the file changes; ScheduleError: the old one stays."""
        self.schedule = parse_schedule(value, self._timezone)

    def reload(self) -> bool:
        """Read the file if it changed. True: there is a new plan. Raises ScheduleError once; the old plan stays."""
        try:
            text = self._file.changed()
        except InputError as error:
            raise ScheduleError(str(error)) from None
        if text is None or self._file.path is None:
            return False
        self.schedule = parse_schedule(_list_in(text, self._file.path), self._timezone, FILE_SETTING)
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
