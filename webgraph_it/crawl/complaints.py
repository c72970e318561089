"""What cannot be written in reports/ is said once: it is not the crawl that suffers."""

import logging
from pathlib import Path

logger = logging.getLogger(__name__)


class Complaints:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._said: set[str] = set()

    def about(self, what: str, error: Exception) -> None:
        """Once for each."""
        if what not in self._said:
            self._said.add(what)
            logger.warning("%s in %s could not be written: %s.", what, self._folder, error)
