"""The graph writer as an item pipeline: opens the streams of the crawl and gives every Page to the Recorder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy.utils.misc import load_object

from webgraph_it.crawl.archive import described
from webgraph_it.crawl.link_rules import link_policy_number
from webgraph_it.crawl.record import Archive, Recorder
from webgraph_it.crawl.tally import Tally
from webgraph_it.engine.parts import scheduler_of
from webgraph_it.items import Page
from webgraph_it.settings_table import CrawlSettings
from webgraph_it.shards.committed import unpacked
from webgraph_it.shards.contract import Writer
from webgraph_it.shards.formats import LINKS_FOLDER, WARC_FOLDER
from webgraph_it.shards.writer import Durable, NewWriter, Shards
from webgraph_it.warc.stream import WarcStream
from webgraph_it.warc.writer import WarcWriter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class GraphPipeline:
    """Writes the streams of a crawl (crawl/record.py says how)."""

    recorder: Recorder
    committed: dict[str, Durable]
    """The files of earlier runs."""

    def __init__(
        self,
        crawler: "Crawler",
        directory: Path,
        buffers: dict[str, int],
        writer_class: NewWriter,
        own_classes: dict[str, NewWriter],
    ) -> None:
        self._crawler = crawler
        self._directory = directory
        self._buffers = buffers
        self._writer_class = writer_class
        self._own_classes = own_classes

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        settings = crawler.settings
        values = CrawlSettings.read(settings)
        graph, urls = values.GRAPH_BUFFER, values.URLS_BUFFER
        buffers = {"graph": graph, "urls": urls, "pages": graph}
        if values.ANCHOR_TEXT or values.NOFOLLOW_LABELS:
            buffers["anchors"] = graph
        if values.FLEET_MEMBER:
            buffers[LINKS_FOLDER] = urls
        own_classes: dict[str, NewWriter] = {}
        if settings["WARC"]:
            buffers[WARC_FOLDER] = 0
            own_classes[WARC_FOLDER] = warc_writers(WarcStream(described(settings)))
        return cls(
            crawler,
            Path(settings["JOBDIR"]),
            buffers,
            load_object(settings["GRAPH_WRITER"]),
            own_classes,
        )

    def open_spider(self) -> None:
        scheduler = scheduler_of(self._crawler)
        frontier = scheduler.frontier
        self.committed = unpacked(frontier.get_meta("shards"))
        shards = Shards(self._directory, self.committed, self._buffers, self._writer_class, self._own_classes)
        tally = Tally(frontier.get_meta("tally"))
        archive = cast("Archive", shards[WARC_FOLDER]) if WARC_FOLDER in self._buffers else None
        policy = link_policy_number(self._crawler.settings)
        self.recorder = Recorder(frontier, scheduler.leases, scheduler.now, shards, tally, policy, archive)

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Page):
            await self.recorder.take(item)
        return item


def warc_writers(stream: WarcStream) -> NewWriter:
    """It counts bytes, not the sequences of a buffer."""
    return lambda append, scribe, _: cast("Writer", WarcWriter(append, scribe, stream))


def pipeline_of(crawler: "Crawler") -> GraphPipeline:
    """The crawl's pipeline. Call it only once the engine is open."""
    pipeline = crawler.get_item_pipeline(GraphPipeline)
    assert isinstance(pipeline, GraphPipeline), "ITEM_PIPELINES must hold GraphPipeline"
    return pipeline
