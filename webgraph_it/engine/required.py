"""A crawl does not start without each of our components that webgraph_it/settings.py names.

A user's components add to ours (docs/extending.md). A user who switches one of ours off, in any way (None in a
dict, a _BASE of their own, another SCHEDULER, an add-on), is told which. A class derived from ours counts as ours.
"""

from inspect import isasyncgenfunction
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name

from webgraph_it import settings as ours
from webgraph_it.crawl.values import SettingsError
from webgraph_it.engine.moved import check_moved
from webgraph_it.engine.scrapy_values import check_orders

COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS")
SINGLE = ("SCHEDULER", "DOWNLOADER")
HANDLERS = "DOWNLOAD_HANDLERS"
SPIDER_METHODS = ("parse", "failed", "parse_robots", "robots_failed")
"""The callbacks that the scheduler puts into requests."""
ADVICE = "The crawl does not start without it; docs/extending.md shows how to add your own beside it."


def check_components(settings: BaseSettings) -> None:
    """Raises SettingsError that names the first part that is missing, has moved or cannot be loaded."""
    check_moved(settings)
    for name in SINGLE:
        _check_single(name, settings)
    for name in COMPONENTS:
        enabled = _enabled(name, settings)
        for path in _paths_of_ours(name):
            if not any(_is_ours(component, path) for component in enabled):
                raise SettingsError(f"{name} or {name}_BASE switches {path} off. {ADVICE}")
        if name == "SPIDER_MIDDLEWARES":
            _check_asynchronous(enabled)
    _check_handlers(settings)
    _check_loop(settings)


def check_fetching(settings: BaseSettings) -> None:
    """Check what every request needs, with or without a crawl."""
    check_moved(settings)
    _check_handlers(settings)
    _check_loop(settings)


def check_addons(settings: BaseSettings) -> None:
    """Raises SettingsError for an add-on that cannot be loaded."""
    check_orders("ADDONS", settings)
    for path in settings["ADDONS"] or ():
        _loaded("ADDONS", path)


def check_spider(spider: Any) -> None:
    """Raises SettingsError for a spider that cannot work with the frontier."""
    if not all(hasattr(spider, method) for method in SPIDER_METHODS):
        raise SettingsError(
            f"Spider {spider.name!r} is not one of webgraph_it's: its requests would ignore robots.txt and delays. "
            "Derive it from webgraph_it.spiders.national.NationalSpider, or run it in a Scrapy project of its own."
        )


def _check_single(name: str, settings: BaseSettings) -> None:
    if not _is_ours(_loaded(name, settings.get(name)), getattr(ours, name)):
        raise SettingsError(f"{name} is {settings.get(name)!r} instead of {getattr(ours, name)}. {ADVICE}")


def _check_handlers(settings: BaseSettings) -> None:
    """http and https must have the handler with the address guard. Any other scheme may have any handler."""
    handlers = settings.getwithbase(HANDLERS)
    for scheme, path in ours.DOWNLOAD_HANDLERS_BASE.items():
        if not _is_ours(_loaded(HANDLERS, handlers.get(scheme)), path):
            raise SettingsError(
                f"{HANDLERS} has {handlers.get(scheme)!r} for {scheme} instead of {path}. {ADVICE}"
            )


def _check_loop(settings: BaseSettings) -> None:
    """Without a reactor, Scrapy replaces our download handlers with its own."""
    if not settings.getbool("TWISTED_REACTOR_ENABLED"):
        raise SettingsError(
            "TWISTED_REACTOR_ENABLED is false; expected: true. Without it our download handler is not used."
        )
    if settings.get("TWISTED_REACTOR") != ours.TWISTED_REACTOR:
        raise SettingsError(
            f"TWISTED_REACTOR is {settings.get('TWISTED_REACTOR')!r}; expected: {ours.TWISTED_REACTOR}."
        )


def _check_asynchronous(middlewares: list[Any]) -> None:
    """Scrapy refuses such a middleware only when it makes it, after the crawl directory."""
    for middleware in middlewares:
        method = getattr(middleware, "process_spider_output", None)
        if (
            method is not None
            and not isasyncgenfunction(method)
            and not hasattr(middleware, "process_spider_output_async")
        ):
            raise SettingsError(
                f"SPIDER_MIDDLEWARES names {global_object_name(middleware)}, whose process_spider_output is not "
                "asynchronous; expected: async def with yield (docs/extending.md)."
            )


def _paths_of_ours(name: str) -> list[str]:
    return [path for path in getattr(ours, f"{name}_BASE") if path.startswith("webgraph_it.")]


def _enabled(name: str, settings: BaseSettings) -> list[Any]:
    for path in settings.get(name) or ():
        _loaded(name, path)
    return [_loaded(name, path) for path in settings.get_component_priority_dict_with_base(name)]


def _loaded(name: str, path: Any) -> Any:
    try:
        return None if path is None else load_object(path)
    except (ValueError, NameError, ImportError, TypeError) as error:
        raise SettingsError(f"{name} names {path!r}, which cannot be loaded: {error}.") from None


def _is_ours(component: Any, path: str) -> bool:
    """Not `issubclass`: Scrapy's BaseScheduler calls everything with its methods a subclass."""
    return isinstance(component, type) and load_object(path) in component.__mro__


class Guard:
    """The last add-on of a crawl: checks again after all others have changed the settings."""

    def update_settings(self, settings: BaseSettings) -> None:
        check_components(settings)


def put_guard(settings: BaseSettings) -> None:
    """Put Guard after the user's add-ons."""
    settings["ADDONS"].set(Guard, float("inf"), priority="cmdline")
