"""The archive of a crawl: what its WARC files say about themselves, and the index beside each of them."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from webgraph_it import __version__
from webgraph_it.fetch.identity import user_agent
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.formats import WARC_FOLDER, ShardError
from webgraph_it.warc.cdxj import index_of, write
from webgraph_it.warc.reading import index_lines
from webgraph_it.warc.stream import Finished
from webgraph_it.warc.writer import WarcWriter

logger = logging.getLogger(__name__)


def described(settings: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Names and values of a warcinfo record. The settings must have been checked."""
    fields = (
        ("software", f"webgraph_it/{__version__}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("isPartOf", settings["CRAWL_NAME"]),
        ("description", f"SCOPE_SURTS {' '.join(settings['SCOPE_SURTS'])}"),
        ("http-header-user-agent", user_agent(settings["CONTACT_URL"])),
        ("http-header-from", settings["FROM_EMAIL"]),
        ("robots", "obey"),
    )
    return tuple((name, " ".join(value.split())) for name, value in fields if value)


class Archivist:
    """Writes the index beside each WARC file that is finished and committed, in a thread of its own.

    A file that a killed run left without an index gets one from its records."""

    def __init__(self, directory: CrawlDirectory, writer: WarcWriter) -> None:
        self._directory = directory
        self._writer = writer
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="index")
        self._waiting: list[Finished] = []
        self._earlier = [part for part in directory.parts(WARC_FOLDER) if part.length]
        """Files of earlier runs, which may lack an index."""

    @property
    def held_bytes(self) -> int:
        """What waits in memory for the disk."""
        return self._writer.held_bytes

    async def index(self) -> None:
        """Call it after a checkpoint."""
        finished = await asyncio.wrap_future(self._writer.take_finished())
        await asyncio.wrap_future(self._thread.submit(self._index, finished))

    async def close(self) -> None:
        """Call it after the last commit."""
        self._writer.finish_file()
        await self.index()
        self._thread.shutdown()

    def _index(self, finished: list[Finished]) -> None:
        try:
            self._index_earlier()
            self._index_finished(finished)
        except (OSError, ShardError) as error:
            logger.warning("The index of an archive could not be written (%s).", error)

    def _index_earlier(self) -> None:
        while self._earlier:
            part = self._earlier.pop()
            if not index_of(part.path).exists():
                write(part.path, index_lines(part))

    def _index_finished(self, finished: list[Finished]) -> None:
        """A file whose last records are not committed waits for the next call."""
        self._waiting += finished
        lengths = self._directory.committed() or {}
        for each in list(self._waiting):
            if lengths.get(f"{WARC_FOLDER}/{each.name}") == each.length:
                write(self._directory.path / WARC_FOLDER / each.name, each.lines)
                self._waiting.remove(each)
