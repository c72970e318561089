"""The plan of a simulated web: the numbers that determine everything else.

Two equal plans give the same web, byte for byte. A plan that cannot be built raises PlanError, whose text is
one sentence for the user.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

VALIDATORS = ("honest", "fickle", "stale", "absent")
"""What a host of a changing web sends: honest ETags and dates; an ETag that is new each day although nothing changed; a
304 whatever changed; none."""


class PlanError(ValueError):
    """The plan cannot be built. The text says what was found and what is possible."""


@dataclass(frozen=True)
class Plan:
    """What to build. `shares` holds the habits that are on (see habits), each with its share."""

    hosts: int = 300
    pages: int = 5000
    seed: int = 7
    degree: float = 30.0
    """Mean number of distinct links on a page. Small hosts have fewer, large ones more."""
    page_bytes: int = 15_000
    """Mean size of a page."""
    size_exponent: float = 0.8
    """The host of rank r has a size proportional to r ** -size_exponent. 0 means that all hosts are equally large."""
    addresses: int = 0
    """How many IP addresses the hosts share. 0 means one for every four hosts, at most 250."""
    shares: Mapping[str, float] = field(default_factory=dict)
    latency_seconds: float = 0.02
    """Median over the hosts with the habit `latency`."""
    latency_spread: float = 1.0
    """Sigma of the log-normal law of those latencies. 0.5: nearly all between a third and three times the median."""
    topology: Path | None = None
    hostile: bool = False
    tld: str = "it"
    """The top-level domain of every host but directories; a crawl's scope is this, reversed and with a comma."""

    day: int = 0
    """The day on which the web is looked at. Without births, deaths and changes, all days are equal."""
    births: float = 0.0
    """Share of the pages that are born on a day. At most a quarter of the pages is born after day 0."""
    deaths: float = 0.0
    changes: float = 0.0
    """Share of the pages whose links change on a day, as a mean over the hosts."""
    validators: tuple[str, ...] = ("honest",)
    """What the hosts of a changing web send, in turn (see changing.py)."""

    def __post_init__(self) -> None:
        _require(self.hosts >= 1, f"hosts is {self.hosts}; at least 1 is needed")
        _require(
            self.pages >= self.hosts,
            f"pages is {self.pages}, fewer than the {self.hosts} hosts; every host has at least one page",
        )
        _require(
            re.fullmatch(r"[a-z][a-z0-9-]*", self.tld) is not None,
            f"tld is {self.tld!r}; a label such as br is needed",
        )
        _require(self.degree >= 1, f"degree is {self.degree}; at least 1 is needed")
        _require(self.page_bytes >= 100, f"page bytes is {self.page_bytes}; at least 100 is needed")
        _require(self.latency_seconds > 0, f"latency is {self.latency_seconds} s; it must be more than 0")
        _require(self.size_exponent >= 0, f"size exponent is {self.size_exponent}; at least 0 is needed")
        _require(self.latency_spread >= 0, f"latency spread is {self.latency_spread}; at least 0 is needed")
        _require(0 <= self.addresses <= 60_000, f"addresses is {self.addresses}; 0 to 60000 is possible")

        _require(self.day >= 0, f"day is {self.day}; at least 0 is needed")
        for name in ("births", "deaths", "changes"):
            share = getattr(self, name)
            _require(0 <= share <= 0.25, f"{name} is {share}; 0 to 0.25 of the pages a day is possible")
        _require(
            bool(self.validators) and set(self.validators) <= set(VALIDATORS),
            f"validators is {','.join(self.validators) or 'empty'}; {', '.join(VALIDATORS)} are possible",
        )
        _require(
            not (self.is_changing and self.topology),
            "a topology does not change; give births, deaths and changes without it",
        )

    @property
    def is_changing(self) -> bool:
        """Whether its pages depend on the day."""
        return bool(self.births or self.deaths or self.changes)

    @property
    def scope(self) -> str:
        """The SURT prefix of the web: `it,`."""
        return f"{self.tld},"

    @property
    def address_count(self) -> int:
        return self.addresses or max(1, min(self.hosts // 4, 250))


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise PlanError(sentence)
