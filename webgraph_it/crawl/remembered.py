"""The settings of a crawl, remembered in its directory: JOBDIR alone resumes the same crawl, under the same caps.

Remembered: every setting given with -s, every setting of ours for which a project or a spider has another value than
our default, and all other settings of theirs. A value given again replaces the old one, and crawl.json notes the change
and its time. Paths are stored as absolute, so that the crawl can be resumed from another working directory.

Not remembered: JOBDIR itself, what belongs to one run (logging, CLOSESPIDER_…, the event loop), what shapes the
graph (crawl.json has it as the crawl's identity), and what looks like a secret.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from webgraph_it import settings as ours
from webgraph_it import settings_readers as readers
from webgraph_it.crawl.changes import recorded
from webgraph_it.crawl.facts import FACTS, PROJECT, SPIDER, default_of
from webgraph_it.crawl.identity import SHAPING
from webgraph_it.crawl.moved import translated
from webgraph_it.crawl.values import Settings, SettingsError
from webgraph_it.files.received import shown
from webgraph_it.settings_table import TABLE

COMMAND_LINE = 40
"""Scrapy's priority for -s."""
OF_ONE_RUN = (
    "JOBDIR",
    "FLEET",  # it may have a password
    "FLEET_MEMBER",
    "FLEET_DIRECTORY",
    "TWISTED_REACTOR",
    "ASYNCIO_EVENT_LOOP",
    "SPIDER_MODULES",
    "NEWSPIDER_MODULE",
    "BOT_NAME",
)
OF_ONE_RUN_PREFIXES = ("LOG_", "CLOSESPIDER_", "STATS_DUMP")
SECRET_WORDS = ("SECRET", "PASSWORD", "PASSWD", "TOKEN", "ACCESS_KEY", "API_KEY")
PATHS = tuple(name for name, row in TABLE.items() if row.reader in readers.PATHS)
REMEMBERED = "REMEMBERED_SETTINGS"
"""The setting in which preflight stores what to remember, before it adapts any value to this machine."""


def recall(settings: Settings, record: Mapping[str, Any]) -> None:
    """Set what was given before and is not given now, as if it had been typed again."""
    shaping = {
        name: recorded(record, name)
        for name in SHAPING
        if name in record or recorded(record, name) is not None
    }
    lasting = {name: value for name, value in record.get("settings", {}).items() if is_lasting(name)}
    for name, value in {**shaping, **lasting}.items():
        if is_given(settings, name):
            continue
        try:
            settings.set(name, translated(name, value), priority=COMMAND_LINE)
        except (TypeError, ValueError):  # Scrapy accepts only an object for a dict of components
            raise SettingsError(
                f"crawl.json has {shown(value)} as {name}; expected: an object. Restore the file from a copy."
            ) from None


def given_names(settings: Settings) -> list[str]:
    """The names of the settings to remember. Call it before values are parsed, while defaults still equal ours."""
    return [name for name in sorted(map(str, settings)) if is_lasting(name) and is_given(settings, name)]


def remembered(settings: Settings, names: Iterable[str]) -> dict[str, Any]:
    """Name → value. Values that JSON cannot hold are left out."""
    values = {name: in_full(name, _plain(settings.get(name))) for name in names}
    return {name: value for name, value in values.items() if _is_plain(value)}


def is_given(settings: Settings, name: str) -> bool:
    """Whether the user gave it: on the command line, or in a project or spider with another value than the default."""
    priority = settings.getpriority(name) or 0
    if priority >= COMMAND_LINE:
        return True
    if not hasattr(ours, name):  # Scrapy's, or a user's component's
        return priority >= PROJECT
    return bool(_plain(settings.get(name)) != _plain(default_of(settings, name)))


def is_lasting(name: str) -> bool:
    """Whether it belongs to the crawl, not to one run, to its identity or to nobody else."""
    if name in OF_ONE_RUN or name in SHAPING or name in ("SEEDS", REMEMBERED, FACTS, SPIDER):
        return False
    return not name.startswith(OF_ONE_RUN_PREFIXES) and (
        name in PATHS or not any(word in name for word in SECRET_WORDS)
    )


def in_full(name: str, value: Any) -> Any:
    """Paths as absolute ones, other values as they are."""
    if name not in PATHS or not value:
        return value
    found = TABLE[name].reader.read(value)
    return (
        str(Path(found).absolute())
        if isinstance(found, str)
        else [str(Path(each).absolute()) for each in found]
    )


def _plain(value: Any) -> Any:
    """Scrapy keeps a dict of components as a settings object."""
    return {str(name): value[name] for name in value} if hasattr(value, "getpriority") else value


def _is_plain(value: Any) -> bool:
    """Whether JSON can hold it."""
    if isinstance(value, dict):
        return all(isinstance(name, str) and _is_plain(each) for name, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | bool)
