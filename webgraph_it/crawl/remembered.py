"""What a crawl was given, remembered in its directory: JOBDIR alone resumes the same crawl, under the same caps.

Remembered: every setting given with -s, every setting of ours that a project or a spider sets to something else than
our default, and whatever else they set. What is given again counts, and is noted in crawl.json with the time. A path
is remembered in full, so that the crawl may be resumed from another working directory.

Not remembered: JOBDIR itself, what belongs to one run (logging, CLOSESPIDER_…, the event loop), what shapes the
graph (it is the crawl's identity, and stands in crawl.json anyway), and what looks like a secret.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from webgraph_it import settings as ours
from webgraph_it.crawl.changes import recorded
from webgraph_it.crawl.identity import SHAPING
from webgraph_it.crawl.moved import translated
from webgraph_it.crawl.values import Settings, SettingsError
from webgraph_it.files.received import shown
from webgraph_it.settings_readers import FILE, TOKEN_FILE
from webgraph_it.settings_table import TABLE

PROJECT = 20
"""Scrapy's priority of what a settings module says."""
COMMAND_LINE = 40
"""Scrapy's priority of what is given with -s."""
OF_ONE_RUN = (
    "JOBDIR",
    "TWISTED_REACTOR",
    "ASYNCIO_EVENT_LOOP",
    "SPIDER_MODULES",
    "NEWSPIDER_MODULE",
    "BOT_NAME",
)
OF_ONE_RUN_PREFIXES = ("LOG_", "CLOSESPIDER_", "STATS_DUMP")
SECRET_WORDS = ("SECRET", "PASSWORD", "PASSWD", "TOKEN", "ACCESS_KEY", "API_KEY")
PATHS = tuple(name for name, row in TABLE.items() if row.reader in (FILE, TOKEN_FILE))
REMEMBERED = "REMEMBERED_SETTINGS"
"""The setting under which preflight leaves what it will remember, before anything is fitted to the machine."""


def recall(settings: Settings, record: Mapping[str, Any]) -> None:
    """Set what the crawl was given before and is not given now, as if it had been typed again."""
    shaping = {
        name: recorded(record, name)
        for name in SHAPING
        if name in record or recorded(record, name) is not None
    }
    lasting = {name: value for name, value in record.get("settings", {}).items() if _is_lasting(name)}
    for name, value in {**shaping, **lasting}.items():
        if is_given(settings, name):
            continue
        try:
            settings.set(name, translated(name, value), priority=COMMAND_LINE)
        except (TypeError, ValueError):  # Scrapy takes nothing but an object for a dict of components
            raise SettingsError(
                f"crawl.json has {shown(value)} as {name}; expected: an object. Restore the file from a copy."
            ) from None


def given_names(settings: Settings) -> list[str]:
    """What is worth remembering, by name; asked before values are parsed, when defaults still look like ours."""
    return [name for name in sorted(map(str, settings)) if _is_lasting(name) and is_given(settings, name)]


def remembered(settings: Settings, names: Iterable[str]) -> dict[str, Any]:
    """Name → value; what JSON cannot hold is left out."""
    values = {name: _in_full(name, _plain(settings.get(name))) for name in names}
    return {name: value for name, value in values.items() if _is_plain(value)}


def is_given(settings: Settings, name: str) -> bool:
    """Whether somebody gave it: on the command line, or in a project or spider to other than our default."""
    priority = settings.getpriority(name) or 0
    if priority >= COMMAND_LINE:
        return True
    if not hasattr(ours, name):  # Scrapy's, or of a component of the user's
        return priority >= PROJECT
    return bool(_plain(settings.get(name)) != _plain(getattr(ours, name)))


def _is_lasting(name: str) -> bool:
    if name in OF_ONE_RUN or name in SHAPING or name in ("SEEDS", REMEMBERED):
        return False
    return not name.startswith(OF_ONE_RUN_PREFIXES) and (
        name in PATHS or not any(word in name for word in SECRET_WORDS)
    )


def _in_full(name: str, value: Any) -> Any:
    return str(Path(value).absolute()) if name in PATHS and value else value


def _plain(value: Any) -> Any:
    """Scrapy keeps a dict of components as settings of its own."""
    return {str(name): value[name] for name in value} if hasattr(value, "getpriority") else value


def _is_plain(value: Any) -> bool:
    """What JSON can hold."""
    if isinstance(value, dict):
        return all(isinstance(name, str) and _is_plain(each) for name, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | bool)
