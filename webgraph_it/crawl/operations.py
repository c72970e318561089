"""Carries out what operators ask: one path for the shell, REST and the console.

    what was said ─► Action ─► in force ─► committed ─► audited ─► answered

An answer means that the change is durable: `kill -9` right after it loses nothing.
"""

from collections.abc import Callable
from typing import Any, Protocol

from webgraph_it.crawl.actions import Action, ActionError, read_action
from webgraph_it.crawl.audit import AuditLog
from webgraph_it.crawl.steering import META, Steering
from webgraph_it.frontier.frontier import Frontier
from webgraph_it.urls.rules import Rule


class Crawl(Protocol):
    """What a running crawl can be told (engine/steered.py)."""

    @property
    def file_rules(self) -> tuple[Rule, ...]:
        """Those of RULES_FILE."""

    def status(self) -> dict[str, Any]: ...

    def check(self, action: Action) -> None:
        """ActionError for what only a running crawl can find wrong."""

    async def reach(self, action: Action) -> dict[str, Any]:
        """What it is about to meet. Facts for the answer."""

    def apply(self, steering: Steering) -> None:
        """Put it in force. What it says already changes nothing."""

    async def commit(self) -> None: ...

    async def do(self, action: Action) -> dict[str, Any]:
        """What is not in Steering: checkpoint, reports, add-seeds, taking cuts back … Facts for the answer."""


class Operations:
    """Knows what is in force, and makes it so at every start."""

    def __init__(
        self,
        crawl: Crawl,
        frontier: Frontier,
        audit: AuditLog,
        note: Callable[[Action], None],
        now: Callable[[], float],
    ) -> None:
        self._crawl = crawl
        self._frontier = frontier
        self._audit = audit
        self._note = note
        self._now = now
        self.steering = Steering.from_bytes(frontier.get_meta(META))
        crawl.apply(self.steering)

    async def do(self, said: object, who: str, asked_at: float | None = None) -> dict[str, Any]:
        """The answer; ActionError is the sentence for whoever asked. `asked_at`: if that was before this run."""
        action = read_action(said)
        if not action.is_change:
            return self._crawl.status()
        try:
            done = await self._carry_out(action)
        except ActionError as error:
            self._audit.write(action, who, self._now(), f"refused: {error}", asked_at)
            raise
        self._audit.write(action, who, self._now(), "done", asked_at)
        return {"action": action.name, **action.meant, **done}

    async def _carry_out(self, action: Action) -> dict[str, Any]:
        if action.name == "unblock" and (
            sentence := self.steering.why_not_unblocked(action.arguments["surt"], self._crawl.file_rules)
        ):
            raise ActionError(sentence)
        if action.name == "clear" and self.steering.rule_of(action.arguments["surt"]) is None:
            raise ActionError(f"nothing is set for {action.arguments['surt']}")
        self._crawl.check(action)
        reach = await self._crawl.reach(action)
        before, self.steering = self.steering, self.steering.after(action, self._now())
        if self.steering != before:
            self._frontier.put_meta(META, self.steering.to_bytes())
            self._crawl.apply(self.steering)
        facts = await self._crawl.do(action)
        self._note(action)
        if action.name != "terminate":  # the crawl's last commit follows
            await self._crawl.commit()
        return {**reach, **facts}
