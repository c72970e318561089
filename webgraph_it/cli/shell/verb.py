"""Verb: what a module of a verb says about itself."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

from webgraph_it.cli.shell.parser import Parser


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the command. `run` returns the exit code; it raises Mistake or Failure with one sentence."""

    name: str
    """As typed: `convert`, `analyse compare`."""
    summary: str
    """One line for the list of verbs; also the head of the verb's own help."""
    examples: tuple[str, ...]
    """Whole commands. Tests run them in a folder with the crawl crawls/italy-1 and its graph italy."""
    add_options: Callable[[Parser], None]
    run: Callable[[Namespace], int]
    interrupted: str = ""
    """What to know after Ctrl-C, in one sentence; empty: nothing is said."""
