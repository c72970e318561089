"""The facts of a spider: the settings that its web implies. Pure but for Scrapy's settings, which it is given.

A fact takes the place of our default, and of nothing that somebody gave: -s, a settings module and custom_settings
win over it. A crawl remembers the facts that it was begun with, so that a resume does not depend on what the
spider's module says by then.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from webgraph_it import settings as ours
from webgraph_it.crawl.setting_names import nearest
from webgraph_it.crawl.values import Settings, SettingsError
from webgraph_it.urls.seeds import without_comment
from webgraph_it.urls.surt import SurtError, signed_prefix

PROJECT = 20
"""Scrapy's priority of what a settings module says."""
FACTS, SPIDER = "SPIDER_FACTS", "SPIDER_NAME"
"""Under these names the spider leaves its facts and its own name in the settings."""
ARGUMENTS = {"scope": "SCOPE_SURTS", "seeds": "SEEDS", "name": "CRAWL_NAME"}
"""`-a NAME=value` that is another way to give a setting."""


def put_facts(settings: Settings, spider: str, facts: Mapping[str, Any]) -> None:
    """Let the facts count as defaults."""
    settings.set(SPIDER, spider, priority="project")
    for name, value in facts.items():
        if settings.get(name) == getattr(ours, name) and (settings.getpriority(name) or 0) <= PROJECT:
            settings.set(name, value, priority=PROJECT)
    settings.set(FACTS, dict(facts), priority="project")


def default_of(settings: Settings, name: str) -> Any:
    """What a setting of ours is if nobody gives it: the spider's fact, else our default."""
    return (settings.get(FACTS) or {}).get(name, getattr(ours, name))


def telling_facts(settings: Settings) -> list[str]:
    """The names of the facts that differ from our defaults."""
    return [name for name, value in (settings.get(FACTS) or {}).items() if value != getattr(ours, name)]


def spider_of(settings: Settings) -> str:
    """Its name; empty where there are settings and no spider."""
    return str(settings.get(SPIDER) or "")


def as_settings(arguments: Mapping[str, str], given: Collection[str]) -> dict[str, Any]:
    """The settings that arguments stand for; `given`: those that were given with -s, which must not be there too."""
    found: dict[str, Any] = {}
    for argument, name in ARGUMENTS.items():
        if argument not in arguments:
            continue
        if name in given:
            raise SettingsError(f"-a {argument} and -s {name} say the same thing: give one of them.")
        found[name] = _lines(arguments[argument]) if argument == "scope" else arguments[argument]
    return found


def _lines(value: str) -> Any:
    """`@hosts.txt` stands for the lines of that file. `#` starts a comment, as in a list of seeds."""
    if not value.startswith("@"):
        return value
    try:
        text = Path(value[1:]).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"The scope {value} cannot be read ({error}); expected: a file with a SURT prefix or a host a line."
        ) from None
    lines = [(number, without_comment(line)) for number, line in enumerate(text.splitlines(), 1)]
    for number, line in lines:
        try:
            signed_prefix(line or "it,")
        except SurtError as error:
            raise SettingsError(f"{value[1:]}, line {number}: {error}.") from None
    return [line for _, line in lines if line]


def refuse_unknown_arguments(arguments: Collection[str]) -> None:
    """Raise SettingsError if one is none of ours: it would have no effect, and nobody would notice."""
    for name in arguments:
        if name not in ARGUMENTS:
            meant = nearest(name, ARGUMENTS)
            hint = f"did you mean {meant}?" if meant else f"expected: {', '.join(ARGUMENTS)}."
            raise SettingsError(
                f"-a {name} is not an argument of this spider; {hint} Settings are given with -s."
            )
