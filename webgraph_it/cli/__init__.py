"""The command `webgraph-it VERB …`, which is also `python -m webgraph_it VERB …`.

Each verb is one module: a file here with a VERB record, found by its name (`analyse_compare.py` is `webgraph-it analyse
compare`). To add a verb, add a file. Importing the module of a verb is cheap, because the verb imports what it needs
in its `add_options` and `run`.

shell/        what all verbs share: finding them, reading options, reporting errors, docs/commands.md
"""

from webgraph_it.cli.shell.main import main

__all__ = ["main"]
