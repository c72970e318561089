"""The spider `italy`: responses become Pages.

One Page per response, its links in it, never a Request per link. A redirect is a page with one link, except to
another spelling of the same node, which is fetched again there. What failed for the moment goes back to the
frontier; what failed for good is a Page too, so that every node has its line in the page log.
"""

import logging
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import md5
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scrapy import Spider
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    UsageError,
)
from scrapy.http import Response
from scrapy.settings import BaseSettings

from webgraph_it.crawl.directory import CrawlDirectory, DirectoryError, new_directory
from webgraph_it.crawl.identity import identity_of
from webgraph_it.crawl.values import SettingsError, check
from webgraph_it.extract import Document, Extraction, extract, link_policy
from webgraph_it.extract.headers import NAMES
from webgraph_it.fetch.robots import RobotsPolicy, judge
from webgraph_it.fetch.retry_after import retry_after_seconds
from webgraph_it.fetch.robots_tag import nofollow
from webgraph_it.frontier.records import Failure, Lease
from webgraph_it.frontier.scheduler import FrontierScheduler
from webgraph_it.graph.pipeline import GraphPipeline
from webgraph_it.items import Link, Page, State
from webgraph_it.spiders.spellings import next_spelling
from webgraph_it.urls import Refusal, name
from webgraph_it.urls.seeds import SeedsError, read_seeds

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure as TwistedFailure

logger = logging.getLogger(__name__)

REDIRECTS = (301, 302, 303, 307, 308)
BUSY = (429, 503)
MAX_SPELLINGS = 5
"""Redirects to another spelling of the same node, before it is given up."""


class ItalySpider(Spider):
    """Crawls what SCOPE_SURTS covers, from SEEDS."""

    name = "italy"

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Everything that can be wrong before a crawl begins is one sentence, and exit code 2."""
        super().update_settings(settings)
        try:
            check(settings)
            read_seeds(Path(settings["SEEDS"]))
            if not settings.get("JOBDIR"):
                settings.set("JOBDIR", str(new_directory(Path("crawls"), datetime.now())), priority="spider")
            directory = CrawlDirectory(Path(settings["JOBDIR"]))
            if directory.path.exists():
                directory.check_identity(identity_of(settings))
                directory.lock()
                directory.unlock()
        except (SettingsError, SeedsError, DirectoryError) as error:
            raise UsageError(str(error), print_help=False) from None
