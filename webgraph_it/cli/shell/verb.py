"""Verb: the record that describes a verb."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

from webgraph_it.cli.shell.parser import Parser


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the command. `run` returns the exit code. It raises Mistake or Failure with one sentence."""

    name: str
    """As typed: `convert`, `analyse compare`."""
    summary: str
    """One line for the list of verbs. Also the start of the verb's own help."""
    examples: tuple[str, ...]
    """Whole commands. Tests run them in a folder with the crawl crawls/italy-1 and its graph italy."""
    add_options: Callable[[Parser], None]
    run: Callable[[Namespace], int]
    interrupted: str = ""
    """The sentence printed after Ctrl-C. Empty means that nothing is printed."""
