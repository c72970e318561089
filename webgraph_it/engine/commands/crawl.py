"""`scrapy crawl SPIDER`: checks everything before it prints or writes anything; the exit code says how it ended.

The crawler is made before Scrapy's process, because the process prints versions when it starts. A mistake on the
command line is therefore reported in one sentence, with nothing around it.
"""

import asyncio
import logging
import shutil
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrapy import Spider
from scrapy.addons import AddonManager
from scrapy.commands import crawl
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, Settings
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.reactor import install_reactor

from webgraph_it import settings as ours
from webgraph_it.crawl.directory import JobDirectory
from webgraph_it.crawl.facts import ARGUMENTS, as_settings, refuse_unknown_arguments
from webgraph_it.crawl.outcome import FAILED, INTERRUPTED, WRONG_USAGE
from webgraph_it.crawl.preflight import PROBLEMS
from webgraph_it.engine.refusing import Refusing, refuse
from webgraph_it.engine.required import check_addons, check_spider
from webgraph_it.engine.unbuilt import unbuilt_component, words_for

logger = logging.getLogger(__name__)


class Command(Refusing, crawl.Command):
    """Scrapy's command, with one-sentence errors and an exit code that says how the crawl ended."""

    requires_crawler_process = False

    def run(self, args: list[str], opts: Namespace) -> None:
        assert self.settings is not None
        if len(args) != 1:
            raise UsageError(
                "Expected the name of one spider, such as scrapy crawl web; scrapy list names them.",
                print_help=False,
            )
        try:
            self._crawl(args[0], self.settings, opts)
        except KeyboardInterrupt:  # before the crawl handles signals itself; nothing was made yet
            sys.exit(INTERRUPTED)

    def _crawl(self, spider: str, settings: Settings, opts: Namespace) -> None:
        arguments = _arguments(opts.spargs, settings)
        install_reactor(ours.TWISTED_REACTOR, settings["ASYNCIO_EVENT_LOOP"])
        with _held_back() as held:
            crawler = Crawler(_spider_class(spider, settings, arguments), settings)
        process = AsyncCrawlerProcess(settings)
        for record in held:
            logging.getLogger(record.name).handle(record)
        directory = Path(crawler.settings["JOBDIR"])
        is_new = not directory.exists()
        crawling = process.crawl(crawler, **arguments)
        process.start()
        for one in (signal.SIGINT, signal.SIGTERM):  # all is committed: a late signal changes nothing
            signal.signal(one, signal.SIG_IGN)
        self.exitcode = _exit_code(crawler, crawling, directory if is_new else None)


def _spider_class(name: str, settings: Settings, arguments: dict[str, str]) -> type[Spider]:
    """`arguments`: those that are left for the spider. Ours take none; those of others may take any."""
    try:
        check_addons(settings)
        AddonManager.load_pre_crawler_settings(settings)
        spider_class = get_spider_loader(settings).load(name)
        check_spider(spider_class)
        if spider_class.__module__.startswith("webgraph_it."):
            refuse_unknown_arguments(arguments)
    except KeyError:
        raise UsageError(
            f"There is no spider {name!r}. To list the spiders: scrapy list.", print_help=False
        ) from None
    except PROBLEMS as error:
        raise UsageError(str(error), print_help=False) from None
    return spider_class


def _arguments(given: dict[str, str], settings: Settings) -> dict[str, str]:
    """What is left for the spider, once those that stand for settings are set."""
    typed = {name for name in settings if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]}
    try:
        settings.setdict(as_settings(given, typed), priority="cmdline")
    except PROBLEMS as error:
        raise UsageError(str(error), print_help=False) from None
    return {name: value for name, value in given.items() if name not in ARGUMENTS}


@contextmanager
def _held_back() -> Iterator[list[logging.LogRecord]]:
    """Collects the log records from before logging is set up."""
    records: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = records.append  # type: ignore[assignment,method-assign]
    logging.root.addHandler(handler)
    try:
        yield records
    finally:
        logging.root.removeHandler(handler)


def _exit_code(crawler: Crawler, crawling: "asyncio.Task[None]", new_directory: Path | None) -> int:
    """`new_directory`: made by this process. It is removed if a component cannot be made and nothing is committed."""
    from webgraph_it.engine.extension import CrawlExtension

    error = crawling.exception() if crawling.done() and not crawling.cancelled() else None
    if isinstance(
        error, PROBLEMS
    ):  # found late: an add-on changed the settings, or another process changed the directory
        refuse(str(error))
    if error is not None and (component := unbuilt_component(error)):
        logger.critical(words_for(component, error))
        if new_directory is not None and not JobDirectory(new_directory).committed_file.exists():
            shutil.rmtree(new_directory, ignore_errors=True)
        return WRONG_USAGE
    if error is not None:
        logger.critical("The crawl failed: %s", error, exc_info=error)
        return FAILED
    extension = crawler.get_extension(CrawlExtension)
    return FAILED if extension is None else extension.exit_code
