"""Generates docs/settings.md from the table of settings. After a change of the table:

python -m webgraph_it.settings_page > docs/settings.md
"""

import json
import sys
from typing import Any

from webgraph_it.settings_table import SECTIONS, Section, Setting, rows_of

HEAD = """# Settings

Give a setting with `-s NAME=value` (JSON for lists and objects), or in a settings module of your
own:

    scrapy crawl italy -s HOST_DELAY=5 -s MAX_BODY_BYTES="2 MB" -s 'SCOPE_SURTS=["it,unipd,"]'

A wrong value is refused. One sentence names the setting, the value and what is expected. A name
that is not a setting is refused, too ([extending.md](extending.md) has the rule). The log names
each of Scrapy's settings that has no effect here, and the setting to use instead.

Sizes and rates take K, M, G and T (powers of 1000) or Ki, Mi, Gi and Ti (powers of 1024): `4 MB`,
`1.5 GiB`, `1500 KB/s`, `10 Mbit/s`.

The last column says what may change when a crawl is resumed. *Fixed*: the setting shapes the
graph, so another value needs another crawl. *May be raised*: the limit may be raised, or removed
with 0. *May grow*: seeds may be added. `crawl.json` records every change.

This page is generated from `webgraph_it/settings_table.py`:

    python -m webgraph_it.settings_page > docs/settings.md
"""

COLUMNS = ("setting", "default", "unit", "meaning", "expected", "on resume")

TAIL = """
## Scrapy's own settings

`webgraph_it/settings.py` also sets up Scrapy: scheduler, downloader, handlers, middlewares,
pipeline and extension. It gives the reason for each part of Scrapy that is switched off. Our parts
are in the `_BASE` settings. [extending.md](extending.md) shows how to add yours.
"""


def page() -> str:
    """The whole file."""
    return "".join([HEAD, *map(_part, SECTIONS), TAIL])


def _part(section: type[Section]) -> str:
    head = f"\n## {section.title}\n\nMore in [{section.page}]({section.page}).\n\n"
    lines = [_line(COLUMNS), f"{'|---' * len(COLUMNS)}|", *(_line(_cells(row)) for row in rows_of(section))]
    return head + "".join(f"{line}\n" for line in lines)


def shown(default: object) -> str:
    """A default as it would be typed."""
    return default if isinstance(default, str) else json.dumps(default)


def _cells(row: Setting[Any]) -> tuple[str, ...]:
    default = f"`{shown(row.default)}`" if row.default != "" else ""
    return (f"`{row.name}`", default, row.reader.unit, row.meaning, row.reader.expected, row.on_resume.value)


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.write(page())
