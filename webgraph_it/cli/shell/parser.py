"""Options: argparse, with one sentence for each mistake and a suggestion of what was meant."""

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from webgraph_it import __version__
from webgraph_it.cli.shell.mistakes import Mistake

VERSION = f"webgraph_it {__version__}"

WORDS = (
    (r"the following arguments are required: (.+)", r"\1 is missing; see {prog} --help"),
    (r"unrecognized arguments: (.+)", r"\1 was not expected; see {prog} --help"),
    (r"argument (.+?): expected one argument", r"\1 needs a value; see {prog} --help"),
    (r"argument (.+?): expected (\d+) arguments", r"\1 needs \2 values; see {prog} --help"),
    (r"argument (.+?): invalid choice: (.+?) \(choose from (.+)\)", r"\1 is \2; expected one of \3"),
    (r"argument (.+?): (.+)", r"\1: \2"),
)
"""argparse's messages and ours. The first match counts."""


class Parser(argparse.ArgumentParser):
    """Raises Mistake instead of printing its usage. Options are not abbreviated."""

    def __init__(self, prog: str, description: str, epilog: str = "", width: int | None = None) -> None:
        def formatter(prog: str) -> argparse.HelpFormatter:
            return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=width)

        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog or None,
            formatter_class=formatter,
            allow_abbrev=False,
        )
        self._negative_number_matcher = re.compile(r"-\.?\d")  # also -1G, so that its own error is told
        self.add_argument("--version", action="version", version=VERSION, help="print the version and exit")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._refuse_unknown(list(args or ()))
        return super().parse_known_args(args, namespace)

    def _refuse_unknown(self, given: Sequence[str]) -> None:
        """Find unknown options first. Otherwise argparse complains about arguments that a misspelt option consumed."""
        options = given[: given.index("--")] if "--" in given else given
        for word in options:
            name = word.partition("=")[0]
            if name.startswith("--") and " " not in word and name not in self._option_string_actions:
                raise Mistake(f"{self.prog} has no option {name}; {self._guess(name)}")

    def _guess(self, name: str) -> str:
        return did_you_mean(name, self._option_string_actions) or f"see {self.prog} --help"

    def _print_message(self, message: str, file: Any = None) -> None:
        """argparse's own method would hide a broken pipe."""
        print(message, end="", file=file)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a broken pipe is still handled
        super().exit(status, message)

    def error(self, message: str) -> NoReturn:
        raise Mistake(in_words(message, self.prog))


def in_words(message: str, prog: str) -> str:
    """argparse's message as our sentence."""
    for pattern, words in WORDS:
        if re.fullmatch(pattern, message):
            return re.sub(pattern, words, message).replace("{prog}", prog)
    return message


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence. Empty if no word is similar."""
    close = get_close_matches(word, list(known), 1)
    return f"did you mean {close[0]}?" if close else ""
