"""What an operator may ask of a running crawl: one table of verbs, for the shell, REST and the console. Pure.

{"action": "block", "surt": "it,esempio,"}  ─► read_action ─► Action ─► Steering.after ─► what is in force
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from webgraph_it.fetch.schedule import ScheduleError, parse_schedule
from webgraph_it.urls import key
from webgraph_it.urls.names import Refusal
from webgraph_it.urls.rules import RuleError, rule_of
from webgraph_it.urls.surt import SurtError, parse

OPERATOR = "operator"
"""The reason of a pause that gives none."""
MAX_REASON_LENGTH = 40
MAX_SEED_LINES = 100_000
MAX_LINE_LENGTH = 4_096
EFFECTS = {"delay": "seconds", "max-pages": "pages", "priority": "priority"}
"""Verbs that set an effect of a rule, and the argument that holds its value."""


class ActionError(ValueError):
    """What is wrong with a request, in one sentence."""


class Action(NamedTuple):
    """A verb, and its arguments checked."""

    name: str
    arguments: Mapping[str, Any]

    @property
    def is_change(self) -> bool:
        """Whether it leaves a line in the audit log: a look at the status does not."""
        return self.name != "status"

    @property
    def meant(self) -> dict[str, str]:
        """The prefix or host that was understood, for the answer."""
        return {name: self.arguments[name] for name in ("surt", "host") if name in self.arguments}


class Verb(NamedTuple):
    """How one verb is read. `arguments` maps each name to the function that checks its value."""

    summary: str
    arguments: Mapping[str, Callable[[str, object], Any]] = {}
    optional: Mapping[str, Any] = {}
    """Arguments that may be left out, with their values then."""


def read_action(said: object) -> Action:
    """An action from a JSON object; ActionError if it is none."""
    if not isinstance(said, Mapping) or not isinstance(said.get("action"), str):
        raise ActionError('expected: an object such as {"action": "pause"}')
    name = said["action"]
    verb = VERBS.get(name)
    if verb is None:
        raise ActionError(f"{name!r} is not an action; expected: one of {', '.join(VERBS)}")
    for argument in said:
        if argument != "action" and argument not in verb.arguments:
            raise ActionError(f"{name} has no argument {argument!r}")
    values: dict[str, Any] = {}
    for argument, reader in verb.arguments.items():
        if argument in said:
            values[argument] = reader(argument, said[argument])
        elif argument in verb.optional:
            values[argument] = verb.optional[argument]
        else:
            raise ActionError(f"{name} needs {argument!r}")
    if name in EFFECTS and values[EFFECTS[name]] is not None:
        _check_rule(values["surt"], name.replace("-", "_"), values[EFFECTS[name]])
    return Action(name, values)


def check_for(action: Action, max_connections: int, timezone: str) -> None:
    """ActionError for a value that a crawl with these settings cannot take."""
    if action.name == "bandwidth":
        try:
            parse_schedule(action.arguments["schedule"], timezone)
        except ScheduleError as error:
            raise ActionError(str(error)) from None
    if action.name == "connections" and action.arguments["cap"] > max_connections:
        raise ActionError(
            f"cap is {action.arguments['cap']}; expected: at most {max_connections}, which MAX_TCP_CONNECTIONS allows. "
            "For more, resume the crawl with a larger one"
        )


def _check_rule(surt: str, effect: str, value: object) -> None:
    """A record of what is in force must be one that can be read again."""
    try:
        rule_of({"surt": surt, effect: value})
    except RuleError as error:
        raise ActionError(str(error)) from None


def _reason(name: str, value: object) -> str:
    if (
        not isinstance(value, str)
        or not value.strip()
        or len(value) > MAX_REASON_LENGTH
        or not value.isprintable()
    ):
        raise ActionError(f"{name} is {value!r}; expected: a few printable words")
    return value.strip()


def _surt(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ActionError(f"{name} is {value!r}; expected: a text such as it,esempio, or esempio.it")
    try:
        return parse(value)
    except SurtError as error:
        raise ActionError(str(error)) from None


def _of_rule(effect: str) -> Callable[[str, object], Any]:
    """The value of a rule's effect, checked as in a rules file. None: the crawl's own setting holds again."""

    def read(name: str, value: object) -> Any:
        try:
            return None if value is None else getattr(rule_of({"surt": "it,", effect: value}), effect)
        except RuleError as error:
            raise ActionError(str(error)) from None

    return read


def _seconds(name: str, value: object) -> float:
    if value is None:
        raise ActionError(f"{name} is None; expected: seconds, 0 to 86400")
    return float(_of_rule("delay")(name, value))


def _host(name: str, value: object) -> str:
    """The host as keys have it: `it,esempio`. A name, a URL or a SURT prefix is taken."""
    if not isinstance(value, str):
        raise ActionError(f"{name} is {value!r}; expected: a host such as www.esempio.it")
    text = value.strip()
    if "," in text:
        found: str | Refusal = _surt(name, text)
    else:
        found = key(text if "://" in text else f"http://{text}/")
    if isinstance(found, Refusal):
        raise ActionError(f"{name} is {text!r}; expected: a host such as www.esempio.it")
    host, _, rest = found.partition(")")
    if rest.startswith(":"):
        raise ActionError(
            f"{name} is {text!r}; expected: a host without a port, because all its ports rest together"
        )
    return host.rstrip(",")


def _lines(name: str, value: object) -> tuple[str, ...]:
    lines = value.splitlines() if isinstance(value, str) else value
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise ActionError(f"{name} must be a list of lines")
    if not lines or len(lines) > MAX_SEED_LINES or any(len(line) > MAX_LINE_LENGTH for line in lines):
        raise ActionError(
            f"{name}: expected 1 to {MAX_SEED_LINES} lines of at most {MAX_LINE_LENGTH} characters"
        )
    return tuple(lines)


def _plan(name: str, value: object) -> list[list[str]]:
    """Its words are checked where the plan is read; here only that it is a list of pairs."""
    pairs = value if isinstance(value, list) else None
    if pairs is None or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(word, str) for word in pair)
        for pair in pairs
    ):
        raise ActionError(
            f'{name} is {value!r}; expected: a list such as [["mon-fri 08:00-19:00", "1500 KB/s"]]'
        )
    return pairs


def _cap(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ActionError(f"{name} is {value!r}; expected: a whole number, 1 or more")
    return value


VERBS: Mapping[str, Verb] = {
    "status": Verb("How the crawl is doing, and what it waits for"),
    "pause": Verb("Hand out no more URLs", {"reason": _reason}, {"reason": OPERATOR}),
    "unpause": Verb("Lift one reason of a pause", {"reason": _reason}, {"reason": OPERATOR}),
    "checkpoint": Verb("Commit, and start the next file numbers"),
    "reports": Verb("Write the reports now"),
    "terminate": Verb("Stop the crawl; it can be resumed"),
    "add-seeds": Verb("Queue more seeds", {"seeds": _lines}),
    "block": Verb("Fetch nothing under a SURT prefix from now on", {"surt": _surt}),
    "unblock": Verb("Lift a block", {"surt": _surt}),
    "delay": Verb(
        "Seconds between two fetches of a host, or none: as before",
        {"surt": _surt, "seconds": _of_rule("delay")},
    ),
    "max-pages": Verb(
        "URLs accepted of each host, or none: as before", {"surt": _surt, "pages": _of_rule("max_pages")}
    ),
    "priority": Verb(
        "-100 (first) to 100 (last), or none: as before", {"surt": _surt, "priority": _of_rule("priority")}
    ),
    "clear": Verb("Remove all that operators set for a SURT prefix, a block too", {"surt": _surt}),
    "park": Verb("Leave a host alone", {"host": _host, "seconds": _seconds}, {"seconds": 3_600.0}),
    "wake": Verb("End a host's pause", {"host": _host}),
    "bandwidth": Verb("Replace the bandwidth plan", {"schedule": _plan}),
    "connections": Verb("Change the cap on connections", {"cap": _cap}),
}
