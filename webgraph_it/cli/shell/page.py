"""Generates docs/commands.md from every verb's --help. After a change of a verb:

python -m webgraph_it.cli.shell.page > docs/commands.md
"""

import sys

from webgraph_it.cli.shell import verbs

WIDTH = 96

HEAD = """# Commands

The crawl itself is Scrapy's command: `scrapy crawl italy` ([tutorial.md](tutorial.md)). Everything
else is `webgraph-it VERB`. `python -m webgraph_it VERB` does the same. So do the older forms, such
as `python -m webgraph_it.convert`.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed, or `simweb compare` found a difference. One sentence on standard error says why. |
| 2 | wrong usage. One sentence on standard error says what was found and what to do. |
| 3 | stopped with work left. The same command resumes. |
| 130, 141 | Ctrl-C, or the output was closed, as by `head` |

A value in brackets at the end of an option's text is its default. This page is generated from the
`--help` of every verb: `python -m webgraph_it.cli.shell.page > docs/commands.md`.
"""


def page() -> str:
    """The whole file."""
    return "".join([HEAD, *map(_part, verbs.names())])


def _part(name: str) -> str:
    text = verbs.parser_of(verbs.load(name), WIDTH).format_help()
    lines = "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())
    return f"\n## {verbs.COMMAND} {name}\n\n{lines}"


if __name__ == "__main__":
    sys.stdout.write(page())
