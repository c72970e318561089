"""docs/commands.md, made of every verb's --help. After a change of a verb:

python -m webgraph_it.cli.shell.page > docs/commands.md
"""

import sys

from webgraph_it.cli.shell import verbs

WIDTH = 96

HEAD = """# Commands

The crawl is Scrapy's: `scrapy crawl italy` ([tutorial.md](tutorial.md)). Everything else is
`webgraph-it VERB`. `python -m webgraph_it VERB` is the same, and so is the older
`python -m webgraph_it.convert` with its siblings.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed, or `simweb compare` found a difference; one sentence on standard error says why |
| 2 | wrong usage; one sentence on standard error says what was found and what to do |
| 3 | stopped with work left: the same command resumes |
| 130, 141 | Ctrl-C; the output was closed, as by `head` |

A value in brackets at the end of an option's text is its default. This page is made of the `--help`
of every verb: `python -m webgraph_it.cli.shell.page > docs/commands.md`.
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
