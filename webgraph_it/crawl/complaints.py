"""Warns once about each file in reports/ that cannot be written: the crawl itself is not affected."""

import logging
from pathlib import Path

logger = logging.getLogger(__name__)


class Complaints:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._said: set[str] = set()

    def about(self, what: str, error: Exception) -> None:
        """Logs only the first time for each `what`."""
        if what not in self._said:
            self._said.add(what)
            logger.warning("%s in %s could not be written: %s.", what, self._folder, error)
