"""The console's own crawl and those beside it (crawl/members.py), asked through their control sockets.

Of a single crawl nothing is asked. A crawl that does not answer is shown with the sentence that says why. What is asked
of one that does not run is done when it is resumed (crawl/pending.py).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from webgraph_it.crawl.actions import ActionError
from webgraph_it.crawl.control_socket import ControlError, NotRunning, ask_soon
from webgraph_it.crawl.members import ALL, crawls_beside, totals_of
from webgraph_it.crawl.pending import postpone

STATUS_SECONDS = 1.0
"""Others are asked for their status at most so often, whoever looks."""
LOOK_SECONDS = 2.0
"""New members are looked for so often."""
MEMBER = "member"
"""In a request: whom it is for."""

Do = Callable[[object, str], Awaitable[dict[str, Any]]]


class Members:
    """`status` and `do` are those of the console's own crawl, in the directory `own`."""

    def __init__(self, own: Path, others: list[str], status: Callable[[], dict[str, Any]], do: Do) -> None:
        self._own = own.resolve()
        self._others = others
        self._status = status
        self._do = do
        self._crawls: dict[str, Path] = {}
        self._looked_at = self._asked_at = float("-inf")
        self._statuses: list[dict[str, Any]] = []
        self._turn = asyncio.Lock()

    @property
    def crawls(self) -> Mapping[str, Path]:
        """By name."""
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._crawls, self._looked_at = crawls_beside(self._own, self._others), time.monotonic()
        return self._crawls

    def changed(self) -> None:
        """Somebody did something: the next status is a new one."""
        self._asked_at = float("-inf")

    async def summary(self) -> dict[str, Any]:
        """`members`, one row each, and `totals` over those that answer. Empty for a single crawl."""
        if len(self.crawls) == 1:
            return {}
        async with self._turn:
            if time.monotonic() - self._asked_at >= STATUS_SECONDS:
                asked = (self._row(name, path) for name, path in self.crawls.items())
                self._statuses = list(await asyncio.gather(*asked))
                self._asked_at = time.monotonic()
        answered = [each for each in self._statuses if "error" not in each]
        return {"members": self._statuses, "totals": totals_of(answered)}

    async def _row(self, name: str, path: Path) -> dict[str, Any]:
        if path == self._own:
            return {**self._status(), MEMBER: name, "own": True}
        try:
            status = await ask_soon(path, {"action": "status"})
        except ControlError as error:
            return {MEMBER: name, "own": False, "state": "stopped", "error": str(error)}
        return {**status, MEMBER: name, "own": False}

    async def do(self, said: object, who: str) -> dict[str, Any]:
        """A verb for the own crawl, for the one that `member` names, or for `all`. ActionError as `Crawl.do`."""
        if not isinstance(said, dict) or MEMBER not in said:
            return await self._do(said, who)
        member, asked = said[MEMBER], {name: value for name, value in said.items() if name != MEMBER}
        if member != ALL:
            if not isinstance(member, str) or member not in self.crawls:
                raise ActionError(f"member is {member!r}; expected: {ALL} or one of {', '.join(self.crawls)}")
            return await self._do_at(self.crawls[member], asked, who)
        return await self._do_everywhere(asked, who)

    async def _do_everywhere(self, said: dict[str, Any], who: str) -> dict[str, Any]:
        """An error only if all refuse it."""
        done = await asyncio.gather(
            *(self._do_at(path, said, who) for path in self.crawls.values()), return_exceptions=True
        )
        answers: dict[str, Any] = {}
        for name, answer in zip(self.crawls, done, strict=True):
            if isinstance(answer, BaseException) and not isinstance(answer, ActionError):
                raise answer
            answers[name] = {"error": str(answer)} if isinstance(answer, ActionError) else answer
        if all("error" in answer for answer in answers.values()):
            raise ActionError("; ".join(f"{name}: {answer['error']}" for name, answer in answers.items()))
        return {"action": said.get("action"), "members": answers}

    async def _do_at(self, path: Path, said: dict[str, Any], who: str) -> dict[str, Any]:
        if path == self._own:
            return await self._do(said, who)
        try:
            answer: dict[str, Any] = await ask_soon(path, said, who)
        except NotRunning as error:
            if later := postpone(path, said, who):
                return later
            raise ActionError(str(error)) from None
        except ControlError as error:
            raise ActionError(str(error)) from None
        return answer
