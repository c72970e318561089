"""The names of all settings; any other name is refused (crawl/setting_names.py decides)."""

import os
from importlib import import_module

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

from webgraph_it import settings as ours
from webgraph_it.crawl.setting_names import refusal
from webgraph_it.crawl.values import SettingsError

WITHOUT_DEFAULT = frozenset(
    f"{kind}_{name}" for kind in ("FILES", "IMAGES") for name in ("EXPIRES", "URLS_FIELD", "RESULT_FIELD")
) | {
    *("IMAGES_MIN_HEIGHT", "IMAGES_MIN_WIDTH", "IMAGES_THUMBS", "MEDIA_ALLOW_REDIRECTS"),
    *("CONCURRENT_REQUESTS_PER_IP", "META_COPY_WARN_SKIP_KEYS"),
}
"""Scrapy reads these too, though its default_settings does not have them."""


def known_names(settings: BaseSettings) -> frozenset[str]:
    """Scrapy's, ours, those of the user's settings module, and those listed in KNOWN_SETTINGS."""
    names = {name for module in (default_settings, ours) for name in vars(module) if name.isupper()}
    return frozenset(names | WITHOUT_DEFAULT | set(settings["KNOWN_SETTINGS"]))


def names_of_module() -> frozenset[str]:
    """What the user's settings module defines, if it is not ours."""
    path = os.environ.get("SCRAPY_SETTINGS_MODULE")
    return frozenset(name for name in vars(import_module(path)) if name.isupper()) if path else frozenset()


def check_names(settings: BaseSettings) -> None:
    """Raises SettingsError for the first name that is not a setting. KNOWN_SETTINGS must be a list by now."""
    known = known_names(settings)
    own = names_of_module()
    for name in sorted(settings):
        priority = settings.getpriority(name) or 0
        if priority < SETTINGS_PRIORITIES["project"]:
            continue
        typed = priority >= SETTINGS_PRIORITIES["cmdline"] and name not in own
        if reason := refusal(name, known, typed=typed):
            raise SettingsError(reason)
