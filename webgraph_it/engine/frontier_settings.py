"""The frontier's options, from Scrapy's settings."""

from scrapy.settings import BaseSettings

from webgraph_it.frontier.politeness import Politeness
from webgraph_it.frontier.records import Limits


def politeness_of(settings: BaseSettings) -> Politeness:
    return Politeness(
        host_delay_seconds=settings.getfloat("HOST_DELAY"),
        delay_factor=settings.getfloat("DELAY_FACTOR"),
        address_delay_seconds=settings.getfloat("ADDRESS_DELAY"),
        crawl_delay_max_seconds=settings.getfloat("CRAWL_DELAY_MAX"),
        retry_times=settings.getint("RETRY_TIMES"),
        back_off_seconds=settings.getfloat("BACK_OFF"),
        park_seconds=settings.getfloat("PARK_SECONDS"),
    )


def limits_of(settings: BaseSettings) -> Limits:
    return Limits(
        max_pages_per_host=settings.getint("MAX_PAGES_PER_HOST"),
        max_depth=settings.getint("MAX_DEPTH"),
        max_host_depth=settings.getint("MAX_HOST_DEPTH"),
        max_queries_per_path=settings.getint("MAX_QUERIES_PER_PATH"),
        max_same_content=settings.getint("MAX_SAME_CONTENT"),
        max_hosts_per_domain=settings.getint("MAX_HOSTS_PER_DOMAIN"),
    )
