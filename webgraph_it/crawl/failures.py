"""Why a crawl failed: one sentence, and how to resume. Pure but for the log."""

import logging
from pathlib import Path

from webgraph_it.crawl.survey import how_to_repair
from webgraph_it.frontier.records import FrontierError

logger = logging.getLogger(__name__)


class Failures:
    """Reports only the first failure of a crawl, because later ones follow from it."""

    def __init__(self, resume: str) -> None:
        """`resume`: the command."""
        self._resume = resume
        self._first = ""

    def __bool__(self) -> bool:
        return bool(self._first)

    def __repr__(self) -> str:
        return f"<Failures {self._first or 'none'}>"

    def note(self, why: str, remedy: str = "") -> None:
        if not self._first:
            self._first = why
            logger.critical(
                "The crawl stops: %s. Nothing of the last commit is lost; %s",
                why,
                remedy or f"when the cause is gone, resume with: {self._resume}",
            )

    def note_at_the_end(self, why: str) -> None:
        """For a crawl that has nothing left to do, so that resuming it would not help."""
        if not self._first:
            self._first = why
            logger.critical("The crawl failed: %s", why)

    def note_silently(self, why: str) -> None:
        """For a failure that Scrapy logs itself, with a traceback."""
        self._first = self._first or why


def of_step(error: BaseException, path: Path) -> tuple[str, str]:
    """Why a step of the crawl could not be finished, and what to do. An empty remedy means: resume."""
    if isinstance(error, FrontierError):  # its store cannot be read
        remedy = "to resume, restore frontier/ from a copy made after the last commit, or "
        return str(error), remedy + how_to_repair(path)
    return f"a step of it could not be finished ({error!r})", ""
