"""Shares and leases over Redis or Valkey: the decisions are made in the server (scripts.py)."""

from collections.abc import Sequence

from webgraph_it.fleet.leases import MAX_RECALLED, TURN_SECONDS, WAITING_SECONDS
from webgraph_it.fleet.redis.link import PREFIX, Link
from webgraph_it.fleet.redis.scripts import GRANT, LEASE
from webgraph_it.fleet.shares import SILENT_SECONDS
from webgraph_it.fleet.transport import (
    LEASE_SECONDS,
    SHARE_SECONDS,
    Amounts,
    Granted,
    Report,
    Share,
    TransportError,
)


class RedisBroker:
    """Broker in a server that all members reach."""

    def __init__(self, url: str, caps: Amounts, address_delay_seconds: float) -> None:
        self._link = Link(url)
        self._caps = caps
        self._delay_seconds = address_delay_seconds
        self._question = 0

    def __repr__(self) -> str:
        return f"<RedisBroker {self._link!r}>"

    async def exchange(self, report: Report) -> Share:
        answer = await self._link.run_for(
            report.member,
            GRANT,
            ["broker", "epochs"],
            [
                *(report.member, report.epoch, report.question),
                *(*report.used, *report.wanted, *self._caps),
                *(SHARE_SECONDS, SILENT_SECONDS),
            ],
        )
        try:
            bandwidth, connections = map(int, answer)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise self._nonsense(answer) from None
        granted = Amounts(bandwidth, connections)
        return Share(
            report.question,
            Amounts(*(max(0, min(each, cap)) for each, cap in zip(granted, self._caps, strict=True))),
        )

    async def lease_addresses(
        self, member: int, epoch: int, wanted: Sequence[str], given_up: Sequence[str]
    ) -> Granted:
        self._question += 1
        answer = await self._link.run_for(
            member,
            LEASE,
            ["broker", "epochs", "questions", "leases", "ended", f"recall:{member}"],
            [
                *(member, epoch, self._question, self._delay_seconds),
                *(LEASE_SECONDS, WAITING_SECONDS, TURN_SECONDS, MAX_RECALLED),
                f"{PREFIX}recall:",
                len(given_up),
                *given_up,
                *wanted,
            ],
        )
        if not isinstance(answer, list):
            raise self._nonsense(answer)
        try:
            words = [word.decode() for word in answer]  # type: ignore[union-attr]
            told = {name: word for name, word in zip(wanted, words, strict=False) if word}
            seconds = {name: float(word.lstrip("*")) for name, word in told.items()}
        except (AttributeError, ValueError):
            raise self._nonsense(answer) from None
        leased = {name: left for name, left in seconds.items() if 0.0 < left <= LEASE_SECONDS}
        fresh = frozenset(name for name in leased if told[name].startswith("*"))
        return Granted(leased, fresh, frozenset(words[len(wanted) :]))

    async def close(self) -> None:
        await self._link.close()

    def _nonsense(self, answer: object) -> TransportError:
        return TransportError(f"{self._link.place} answered {str(answer)[:80]}, which is no share or lease")
