"""What operators have changed: a record that is committed with the crawl, and survives a crash and a resume. Pure.

Rules that operators set come before those of RULES_FILE. A rule for a prefix replaces what was set for it before.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from webgraph_it.crawl.actions import EFFECTS, Action
from webgraph_it.urls.rules import Rule, RuleError, rule_of

OPERATOR_BLOCK = "operator-block"
"""Reason of State.QUOTA_CUT."""
META = "steering"
"""Its name among the frontier's records."""
SHAPING = ("block", "unblock", "max-pages", "clear", "add-seeds")
"""Verbs that change which nodes and arcs there will be: crawl.json records them."""


class Steering(NamedTuple):
    """What is in force besides the settings."""

    pauses: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    """One for each prefix, the newest first."""
    schedule: tuple[tuple[str, str], ...] | None = None
    """Instead of BANDWIDTH_SCHEDULE; None: that one holds."""
    connections: int | None = None
    """Instead of MAX_TCP_CONNECTIONS, which stays the upper bound."""
    parked: tuple[tuple[str, float], ...] = ()
    """Hosts to be left alone, and until when (seconds since 1970)."""

    def after(self, action: Action, now: float = 0.0) -> "Steering":
        """With this action done. Verbs that change something else leave it as it is."""
        arguments = action.arguments
        match action.name:
            case "pause" if arguments["reason"] not in self.pauses:
                return self._replace(pauses=(*self.pauses, arguments["reason"]))
            case "unpause":
                return self._replace(
                    pauses=tuple(each for each in self.pauses if each != arguments["reason"])
                )
            case "block":
                return self._with(arguments["surt"], block=True)
            case "unblock":
                return self._with(arguments["surt"], block=False)
            case "clear":
                return self._replace(
                    rules=tuple(each for each in self.rules if each.surt != arguments["surt"])
                )
            case "delay" | "max-pages" | "priority":
                effect = {action.name.replace("-", "_"): arguments[EFFECTS[action.name]]}
                return self._with(arguments["surt"], **effect)
            case "bandwidth":
                return self._replace(schedule=tuple((when, rate) for when, rate in arguments["schedule"]))
            case "park":
                others = tuple((host, until) for host, until in self.parked if host != arguments["host"])
                return self._replace(parked=(*others, (arguments["host"], now + arguments["seconds"])))
            case "wake":
                return self._replace(
                    parked=tuple(each for each in self.parked if each[0] != arguments["host"])
                )
            case "connections":
                return self._replace(connections=arguments["cap"])
        return self

    def _with(self, surt: str, **effects: Any) -> "Steering":
        before = self.rule_of(surt) or Rule(surt=surt)
        rule = before._replace(**effects)
        others = tuple(each for each in self.rules if each.surt != surt)
        return self._replace(rules=others if rule == Rule(surt=surt) else (rule, *others))

    def rule_of(self, surt: str) -> Rule | None:
        """What is set for exactly this prefix."""
        return next((rule for rule in self.rules if rule.surt == surt), None)

    def is_blocked(self, surt: str) -> bool:
        """Whether exactly this prefix is blocked."""
        rule = self.rule_of(surt)
        return rule is not None and rule.block

    def why_not_unblocked(self, surt: str, file_rules: tuple[Rule, ...] = ()) -> str | None:
        """A sentence for whoever wants to lift a block that is set elsewhere, or nowhere. None: it can be lifted."""
        if self.is_blocked(surt):
            return None
        if above := _blocking(self.rules, surt):
            return f"{surt} is blocked by {above.surt}; expected: that prefix, whose block can be lifted"
        if above := _blocking(file_rules, surt):
            return f"{surt} is blocked by the rule for {above.surt} in RULES_FILE; take the rule out there"
        return f"{surt} is not blocked"

    def to_bytes(self) -> bytes:
        said = {**self._asdict(), "rules": [rule.written() for rule in self.rules]}
        return json.dumps(said).encode()

    @classmethod
    def from_bytes(cls, packed: bytes | None) -> "Steering":
        """`packed` None: nothing was ever changed."""
        if packed is None:
            return cls()
        said = json.loads(packed)
        schedule = said["schedule"]
        return cls(
            tuple(said["pauses"]),
            tuple(_readable(said["rules"])),
            None if schedule is None else tuple((when, rate) for when, rate in schedule),
            said["connections"],
            tuple((host, until) for host, until in said["parked"]),
        )


def _blocking(rules: Iterable[Rule], surt: str) -> Rule | None:
    """The rule that blocks all under a prefix."""
    return next((rule for rule in rules if rule.block and rule.is_all_of(surt)), None)


def _readable(rules: Iterable[dict[str, Any]]) -> Iterator[Rule]:
    """Records of earlier versions have rules without an effect, which nothing can read: they say nothing."""
    for rule in rules:
        with suppress(RuleError):
            yield rule_of(rule)
