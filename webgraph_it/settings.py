"""Every knob, with unit, default and reason. Scrapy loads this module by name; -s NAME=value overrides."""

from webgraph_it import __version__

BOT_NAME = "webgraph_it"
SPIDER_MODULES = ["webgraph_it.spiders"]
USER_AGENT = f"webgraph_it/{__version__}"
