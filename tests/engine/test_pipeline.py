"""The graph writer as Scrapy makes it: its settings reach the writers, and it lets other items pass."""

import asyncio
from pathlib import Path

from scrapy.utils.test import get_crawler

from webgraph_it.engine.pipeline import GraphPipeline
from webgraph_it.settings import GRAPH_WRITER
from webgraph_it.shards.formats import ALWAYS
from webgraph_it.shards.writer import Shards


def pipeline(jobdir: Path) -> GraphPipeline:
    settings = {"JOBDIR": str(jobdir), "GRAPH_BUFFER": 3, "URLS_BUFFER": 5, "GRAPH_WRITER": GRAPH_WRITER}
    return GraphPipeline.from_crawler(get_crawler(settings_dict=settings))


def test_an_item_of_a_users_own_passes_as_it_is(tmp_path: Path) -> None:
    item = {"title": "mine"}
    assert asyncio.run(pipeline(tmp_path).process_item(item)) is item


def test_each_buffer_holds_as_many_sequences_as_its_setting_says(tmp_path: Path) -> None:
    """GRAPH_BUFFER is for the graph and the page log, URLS_BUFFER for the URL list; see the files grow."""
    made = pipeline(tmp_path)
    shards = Shards(tmp_path, None, made._buffers, made._writer_class)
    grown = {}
    for stream in ALWAYS:
        (file,) = (tmp_path / stream).iterdir()
        written = 0
        while not file.stat().st_size and written < 10:
            shards[stream].write(b"sequence")
            written += 1
            shards._scribe.submit(int).result()  # all that was given to the scribe is in the file
        grown[stream] = written, file.stat().st_size // len(b"sequence")
    shards.close()
    assert grown == {"graph": (3, 3), "urls": (5, 5), "pages": (3, 3)}
