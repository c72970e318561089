"""Runs one verb. Every outcome is an exit code and at most one sentence on standard error.

0, 3   returned by the verb (docs/operations.md)
1      a failure: one sentence, and a traceback only for a bug in this program
2      a mistake of the user: one sentence
130    Ctrl-C
141    the output was closed, as in `webgraph-it plan | head`: nothing is printed
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from webgraph_it.cli.shell import verbs
from webgraph_it.cli.shell.mistakes import Failure, Mistake, of_system, tell
from webgraph_it.cli.shell.parser import VERSION

INTERRUPTED = 130
NOBODY_READS = 141
"""128 plus the number of the signal, as in shells: SIGINT is 2, SIGPIPE 13."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns its exit code. `--help` and `--version` of a verb raise SystemExit."""
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except (Mistake, Failure) as error:
        tell(str(error))
        return error.exit_code
    except KeyboardInterrupt:  # _run has printed the message
        return INTERRUPTED
    except BrokenPipeError:
        _write_nowhere()
        return NOBODY_READS
    except OSError as error:
        _write_nowhere()
        problem = of_system(error)
        tell(str(problem))
        return problem.exit_code


def _run(given: list[str]) -> int:
    if given[:1] in (["-h"], ["--help"]):
        print(verbs.overview())
        return 0
    if given[:1] == ["--version"]:
        print(VERSION)
        return 0
    name, rest = verbs.meant(given)
    verb = verbs.load(name)
    try:
        options = verbs.parser_of(verb).parse_args(rest)
    except Mistake as error:
        raise Mistake(verbs.misspelt(name, rest) or str(error)) from None
    try:
        return verb.run(options)
    except KeyboardInterrupt:
        if verb.interrupted:
            tell(verb.interrupted)
        raise


def _write_nowhere() -> None:
    """If standard output cannot be written to, drop the rest of it. Otherwise Python complains when it exits."""
    try:
        sys.stdout.flush()
    except (OSError, AttributeError):
        with suppress(OSError, AttributeError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
