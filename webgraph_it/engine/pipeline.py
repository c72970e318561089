"""The graph writer as an item pipeline: opens the streams of the crawl and gives every Page to the Recorder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy.utils.misc import load_object

from webgraph_it.crawl.link_rules import link_policy_number
from webgraph_it.crawl.record import Recorder
from webgraph_it.crawl.tally import Tally
from webgraph_it.engine.parts import scheduler_of
from webgraph_it.items import Page
from webgraph_it.shards.committed import unpacked
from webgraph_it.shards.formats import LINKS_FOLDER
from webgraph_it.shards.writer import Durable, NewWriter, Shards

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class GraphPipeline:
    """Writes the three streams of a crawl (crawl/record.py says how)."""

    recorder: Recorder
    committed: dict[str, Durable]
    """The files of earlier runs."""

    def __init__(
        self, crawler: "Crawler", directory: Path, buffers: dict[str, int], writer_class: NewWriter
    ) -> None:
        self._crawler = crawler
        self._directory = directory
        self._buffers = buffers
        self._writer_class = writer_class

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        settings = crawler.settings
        graph, urls = settings.getint("GRAPH_BUFFER"), settings.getint("URLS_BUFFER")
        buffers = {"graph": graph, "urls": urls, "pages": graph}
        if settings["FLEET_MEMBER"]:
            buffers[LINKS_FOLDER] = urls
        return cls(
            crawler,
            Path(settings["JOBDIR"]),
            buffers,
            load_object(settings["GRAPH_WRITER"]),
        )

    def open_spider(self) -> None:
        scheduler = scheduler_of(self._crawler)
        frontier = scheduler.frontier
        self.committed = unpacked(frontier.get_meta("shards"))
        shards = Shards(self._directory, self.committed, self._buffers, self._writer_class)
        tally = Tally(frontier.get_meta("tally"))
        policy = link_policy_number(self._crawler.settings)
        self.recorder = Recorder(frontier, scheduler.leases, scheduler.now, shards, tally, policy)

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Page):
            await self.recorder.take(item)
        return item


def pipeline_of(crawler: "Crawler") -> GraphPipeline:
    """The crawl's pipeline. Call it only once the engine is open."""
    pipeline = crawler.get_item_pipeline(GraphPipeline)
    assert isinstance(pipeline, GraphPipeline), "ITEM_PIPELINES must hold GraphPipeline"
    return pipeline
