"""The frontier's own numbers, and the record that stores them."""

import json
from dataclasses import asdict, dataclass

from .layout import LAYOUT_VERSION, WITHOUT_VISITS
from .records import FrontierError

CLOCK_TOLERANCE_SECONDS = 60.0
"""A clock that went back by less than this was only adjusted."""


@dataclass(slots=True)
class Totals:
    """All that is counted, the next sequence number, and the time of the last recovery."""

    sequence: int = 1
    seen: int = 0
    entries: int = 0
    """URLs in host queues, including leased ones."""
    done: int = 0
    cut: int = 0
    hosts: int = 0
    hosts_with_urls: int = 0
    hosts_parked: int = 0
    unknown_until: float = 0.0
    """When the frontier was last opened after a crash. Which hosts were asked shortly before is unknown."""
    latest: float = 0.0
    """The latest time that the frontier was given."""
    planned: int = 0
    """Those of `entries` that are planned re-visits."""
    revisits: int = 0
    """Re-visits that are finished."""
    layout: int = LAYOUT_VERSION
    """Of the store. The earlier one, until the crawl has migrated it."""
    corrected_at: float = 0.0
    """The latest opening at which the machine's clock had gone back. The age of older records is unknown."""

    def open_at(self, now: float) -> float:
        """The time to resume from: `now`, or the latest time seen if the machine's clock has gone back since."""
        if self.latest - now > CLOCK_TOLERANCE_SECONDS:
            self.corrected_at = self.latest
        self.latest = max(now, self.latest)
        self.unknown_until = min(self.unknown_until, self.latest)
        return self.latest

    def next_number(self) -> int:
        """A number larger than all before, for first come, first served."""
        return self.next_numbers(1)

    def next_numbers(self, count: int) -> int:
        """The first of `count` consecutive numbers."""
        number = self.sequence
        self.sequence = number + count
        return number


def packed_state(totals: Totals, clean: bool) -> bytes:
    """`clean`: no host is being asked, and nothing happens after this commit."""
    return json.dumps({"clean": clean, **asdict(totals)}).encode()


def state_of(packed: bytes | None) -> tuple[Totals, bool]:
    """Totals and `clean`; an empty store is clean."""
    if packed is None:
        return Totals(), True
    try:
        state = json.loads(packed)
        layout, clean = state["layout"], state.pop("clean")
    except (ValueError, KeyError) as error:
        raise FrontierError(
            "the frontier's state is damaged; restore the crawl directory from a copy or start a new one"
        ) from error
    if layout not in (WITHOUT_VISITS, LAYOUT_VERSION):
        raise FrontierError(
            f"this frontier has layout version {layout}, this program reads up to version {LAYOUT_VERSION}: "
            "use the program that wrote it"
        )
    return Totals(**state), clean
