"""The command `webgraph-it VERB …`, which is also `python -m webgraph_it VERB …`.

One module is one verb: a file here with a VERB record, found by its name (`analyse_compare.py` is `webgraph-it analyse
compare`). A new verb is a new file and nothing else. Modules of verbs are light: what a verb works with is imported
in its `add_options` and `run`.

shell/        what all verbs share: finding them, reading options, reporting errors, docs/commands.md
"""

from webgraph_it.cli.shell.main import main

__all__ = ["main"]
