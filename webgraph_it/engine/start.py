"""Checks before a crawl begins: settings (names and values, Scrapy's too), our components, then crawl/preflight.py."""

import logging

from scrapy.settings import BaseSettings

from webgraph_it.crawl.preflight import preflight
from webgraph_it.crawl.values import check_one
from webgraph_it.engine.idle_settings import warnings_for
from webgraph_it.engine.required import check_components
from webgraph_it.engine.scrapy_values import check_scrapy_values
from webgraph_it.engine.setting_names import check_names
from webgraph_it.settings_table import CrawlSettings, SettingsError

logger = logging.getLogger(__name__)


def examine(settings: BaseSettings) -> None:
    """Leaves the settings ready for a crawl; raises one of preflight.PROBLEMS."""
    check_one(settings, CrawlSettings.KNOWN_SETTINGS)
    check_names(settings)
    check_scrapy_values(settings)
    check_components(settings)
    preflight(settings)
    check_scrapy_values(settings)  # again, with the settings that the directory remembers
    check_components(settings)
    check_console(settings)
    for sentence in warnings_for(settings):
        logger.warning(sentence)


def check_console(settings: BaseSettings) -> None:
    """Its libraries are loaded only for a crawl that has one."""
    if settings["CONSOLE"]:
        from webgraph_it.console.address import ConsoleError
        from webgraph_it.console.server import check

        try:
            check(settings["CONSOLE"], settings["CONSOLE_TOKENS"])
        except ConsoleError as error:
            raise SettingsError(str(error)) from None
