"""`webgraph-it control JOBDIR VERB …`: steer a crawl that runs."""

import json
import os
from argparse import Namespace
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from webgraph_it.cli.shell.mistakes import Mistake, mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.verb import Verb

FILES = {"add-seeds": "seeds", "bandwidth": "schedule"}
"""Verbs whose argument is a file, and what its content is called."""
NUMBERS = ("seconds", "pages", "priority", "cap")
NONE = "none"
"""Instead of a number: what was set for a prefix is removed."""


def add_options(parser: Parser) -> None:
    from webgraph_it.crawl.actions import VERBS

    parser.add_argument(
        "jobdir",
        type=Path,
        metavar="JOBDIR",
        help="the directory of the crawl, or of a fleet: then all its members",
    )
    verbs = "; ".join(
        f"{' '.join((name, *map(_word, verb.arguments)))}: {verb.summary}" for name, verb in VERBS.items()
    )
    parser.add_argument("verb", metavar="VERB", help=verbs)
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="as VERB needs them")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def _word(argument: str) -> str:
    return "FILE" if argument in FILES.values() else argument.upper()


def run(options: Namespace) -> int:
    from webgraph_it.crawl.control_socket import ControlError
    from webgraph_it.crawl.members import members_of

    request = request_of(options.verb, options.arguments)
    if members := members_of(options.jobdir):
        return _run_everywhere(members, request, as_json=options.json)
    with mistakes(ControlError):
        answer = _asked(options.jobdir, request)
    print(json.dumps(answer, indent=1) if options.json else lines_of(answer))
    return 0


def _run_everywhere(members: list[Path], request: dict[str, Any], *, as_json: bool) -> int:
    """For a fleet: every member is asked, whatever the others answered. 1 if one of them did not do it."""
    from webgraph_it.crawl.control_socket import ControlError

    answers: dict[str, dict[str, Any]] = {}
    for member in members:
        try:
            answers[member.name] = _asked(member, request)
        except ControlError as error:
            answers[member.name] = {"error": str(error)}
    if as_json:
        print(json.dumps(answers, indent=1))
    else:
        print("\n\n".join(f"[{name}]\n{lines_of(answer)}" for name, answer in answers.items()))
    return int(any("error" in answer for answer in answers.values()))


def _asked(jobdir: Path, request: dict[str, Any]) -> Any:
    """What the crawl answers. A crawl that does not run does it when it is resumed, if that makes sense."""
    from webgraph_it.crawl.actions import ActionError
    from webgraph_it.crawl.control_socket import ControlError, NotRunning, ask
    from webgraph_it.crawl.pending import postpone

    try:
        return ask(jobdir, request)
    except NotRunning as error:
        try:
            if answer := postpone(jobdir, request, f"user {os.getuid()}"):
                return answer
        except ActionError as mistake:
            raise ControlError(str(mistake)) from None
        raise error from None


def lines_of(answer: dict[str, Any]) -> str:
    """One fact a line, for people; rules and parked hosts have a line each."""
    shown = (f"{name}: {_SHOWN.get(name, _shown)(value)}" for name, value in answer.items())
    return "\n".join(shown).replace(": \n", ":\n")


def request_of(verb: str, words: list[str]) -> dict[str, Any]:
    """What the words of the command line ask for; the crawl itself checks the values."""
    from webgraph_it.crawl.actions import VERBS

    if verb not in VERBS:
        raise Mistake(f"{verb!r} is not a verb of control; expected: one of {', '.join(VERBS)}.")
    names = list(VERBS[verb].arguments)
    if len(words) > len(names) or len(words) < len(names) - len(VERBS[verb].optional):
        raise Mistake(
            f"control {verb} takes {' '.join(map(_word, names)) or 'no argument'}; found {len(words)} words."
        )
    return {"action": verb} | {
        name: _value(verb, name, word) for name, word in zip(names, words, strict=False)
    }


def _value(verb: str, name: str, word: str) -> Any:
    if name == FILES.get(verb):
        text = Path(word).read_text(encoding="utf-8", errors="replace")
        return text.splitlines() if verb == "add-seeds" else _json(word, text)
    if name not in NUMBERS:
        return word
    if word == NONE:
        return None
    try:
        return float(word) if name == "seconds" else int(word)
    except ValueError:
        raise Mistake(f"{name} is {word!r}; expected: a number, or {NONE}.") from None


def _json(path: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise Mistake(f'{path} is not JSON; expected: [["mon-fri 08:00-19:00", "1500 KB/s"]].') from None


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).isoformat(" ", timespec="seconds")


def _rules(rules: list[dict[str, Any]]) -> str:
    return "".join(f"\n  {_rule(rule)}" for rule in rules) or NONE


def _rule(rule: dict[str, Any]) -> str:
    """`it,esempio, block, delay 9`."""
    effects = (
        name if value is True else f"{name} {value:g}" for name, value in rule.items() if name != "surt"
    )
    return f"{rule['surt']} {', '.join(effects)}"


def _parked(hosts: dict[str, float]) -> str:
    return "".join(f"\n  {host} until {_moment(until)}" for host, until in hosts.items()) or NONE


_SHOWN: Mapping[str, Callable[[Any], str]] = {"time": _moment, "rules": _rules, "parked": _parked}
"""Facts of the status that are shown in a way of their own."""


def _shown(value: Any) -> str:
    if value is None or value == "":
        return NONE
    if isinstance(value, float):
        return f"{value:,.1f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)


VERB = Verb(
    name="control",
    summary="Steer a crawl that runs: pause, block a site, change delays and caps, add seeds, stop.",
    examples=(
        "webgraph-it control crawls/italy-1 status",
        "webgraph-it control crawls/italy-1 block esempio.it",
    ),
    add_options=add_options,
    run=run,
)
