"""The list of verbs, and which one a command line means. A verb's module is imported only when it is needed."""

import importlib
import pkgutil
import sys
from collections.abc import Sequence

from webgraph_it.cli.shell.mistakes import Mistake
from webgraph_it.cli.shell.parser import Parser, did_you_mean
from webgraph_it.cli.shell.verb import Verb

PACKAGE = "webgraph_it.cli"
COMMAND = "webgraph-it"
ALSO = {"convert export": "export", "simweb serve": "simweb"}
"""Other spellings of a verb."""


def names() -> list[str]:
    """Every verb: the modules of the package, by their file names, in which `_` is a space and `__` a hyphen."""
    modules = pkgutil.iter_modules(sys.modules[PACKAGE].__path__)
    return sorted(_verb(module.name) for module in modules if not module.ispkg)


def _verb(module: str) -> str:
    return module.replace("__", "-").replace("_", " ")


def load(name: str) -> Verb:
    """The record of an existing verb."""
    module = name.replace("-", "__").replace(" ", "_")
    verb: Verb = importlib.import_module(f"{PACKAGE}.{module}").VERB
    return verb


def meant(given: Sequence[str]) -> tuple[str, list[str]]:
    """The verb at the start of a command line, and the rest of the line."""
    known = names()
    for length in (2, 1):
        name = " ".join(given[:length])
        name = ALSO.get(name, name)
        if name in known and len(given) >= length:
            return name, list(given[length:])
    raise Mistake(_no_verb(given, known))


def _no_verb(given: Sequence[str], known: Sequence[str]) -> str:
    if not given or given[0].startswith("-"):
        found = f"{COMMAND} has no option {given[0]}" if given else "No verb was given"
        return f"{found}; expected {COMMAND} VERB, where VERB is one of {', '.join(known)}"
    longer = [name for name in known if name.startswith(f"{given[0]} ")]
    guess = f"did you mean {longer[0]}?" if longer else did_you_mean(given[0], known)
    return f"There is no verb {given[0]!r}; {guess or f'{COMMAND} --help lists them'}"


def misspelt(name: str, rest: Sequence[str]) -> str:
    """For a command line that the verb does not understand: a sentence if its next word looks like one of a longer
    verb, as in `fleet statsu`. Otherwise empty."""
    longer = [each for each in names() if each.startswith(f"{name} ")]
    typed = f"{name} {rest[0]}" if rest else ""
    guess = did_you_mean(typed.partition(" ")[2], [each.partition(" ")[2] for each in longer])
    return f"There is no verb {typed!r}; {guess.replace('mean ', f'mean {name} ')}" if guess else ""


def parser_of(verb: Verb, width: int | None = None) -> Parser:
    """The parser of a verb. Its help ends with the examples."""
    beside = [f"Also: {COMMAND} {name} --help" for name in names() if name.startswith(f"{verb.name} ")]
    title = "Example:" if len(verb.examples) == 1 else "Examples:"
    epilog = "\n".join([*beside, *([""] if beside else []), title, *(f"  {line}" for line in verb.examples)])
    parser = Parser(f"{COMMAND} {verb.name}", verb.summary, epilog, width)
    verb.add_options(parser)
    return parser


def overview() -> str:
    """What `webgraph-it --help` prints."""
    lines = [f"  {name:<16} {load(name).summary}" for name in names()]
    return "\n".join(
        [
            f"usage: {COMMAND} VERB [OPTIONS]",
            "",
            "The link graph of a national web: what comes before and after the crawl, scrapy crawl SPIDER.",
            "",
            "verbs:",
            *lines,
            "",
            f"{COMMAND} VERB --help shows its options and an example. {COMMAND} --version prints the version.",
        ]
    )
