"""Reports a command-line error in one sentence, with exit code 2: no usage text, no list of versions around it."""

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import NoReturn

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from webgraph_it.crawl.outcome import WRONG_USAGE


def refuse(sentence: str) -> NoReturn:
    """Print the sentence, and nothing else, to stderr, and exit."""
    print(sentence, file=sys.stderr)
    sys.exit(WRONG_USAGE)


class Refusing(ScrapyCommand):
    """Mixed into Scrapy's own commands: every command-line error goes through `refuse`."""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.error = refuse  # type: ignore[assignment,method-assign]

    def process_options(self, args: list[str], opts: Namespace) -> None:
        for given in opts.set:
            self._check_given(given)
        super().process_options(args, opts)

    def _check_given(self, given: str) -> None:
        """Scrapy would show a traceback for a dict that is not JSON."""
        name, is_pair, value = given.partition("=")
        if not is_pair or not name:
            raise UsageError(f"-s {given!r} has no value; expected: -s NAME=VALUE.", print_help=False)
        assert self.settings is not None
        if isinstance(self.settings.get(name), BaseSettings) and not _is_json_object(value):
            raise UsageError(
                f'{name} is {value!r}; expected: a JSON object such as {{"mine.Part": 350}}.',
                print_help=False,
            )


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
