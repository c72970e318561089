"""Totals over the recorded pages: the counts that reports and progress show.

It is committed as JSON with the pages it counts, so a crash neither loses nor repeats a count. Its size is bounded,
whatever servers send: at most MAX_DISTINCT names of each kind have a count of their own, and only short and printable
ones. All others count as "other". It does not know single seeds; the frontier does.
"""

import json
from collections import Counter
from typing import Any

from webgraph_it.items import Page

MAX_DISTINCT = 1000
MAX_NAME_LENGTH = 127
OTHER = "other"


class Tally:
    """Totals since the crawl began, over all its runs."""

    def __init__(self, committed: bytes | None = None) -> None:
        found: dict[str, Any] = json.loads(committed) if committed else {}
        self.pages: int = found.get("pages", 0)
        """Lines in the page log that record a fetch: all except those of cut nodes."""
        self.links: int = found.get("links", 0)
        self.parents: int = found.get("parents", 0)
        self.bytes: int = found.get("bytes", 0)
        self.seconds: float = found.get("seconds", 0.0)
        """Crawling time of earlier runs."""
        self.states: Counter[str] = _bounded(found.get("states", {}))
        self.statuses: Counter[str] = _bounded(found.get("statuses", {}))
        self.media_types: Counter[str] = _bounded(found.get("media_types", {}))
        self.media_bytes: Counter[str] = _bounded(found.get("media_bytes", {}))
        self.reasons: Counter[str] = _bounded(found.get("reasons", {}))
        self.revisits: Counter[str] = _bounded(found.get("revisits", {}))
        """Re-visits by what they found. They are among `pages`, and nowhere else but in bytes, statuses and links."""
        self.busy: Counter[str] = Counter(found.get("busy", {}))
        """Answers 429 and 503 by host (`it,unipd`), those that were retried included."""

    def to_bytes(self) -> bytes:
        return json.dumps(vars(self)).encode()

    @property
    def links_per_page(self) -> float:
        return self.links / self.parents if self.parents else 0.0

    def count(self, page: Page, children: int, *, is_parent: bool) -> None:
        self.pages += 1
        self.bytes += page.size_bytes
        self.states[page.state] += 1
        self.statuses[_name(self.statuses, str(page.status))] += 1
        if page.reason:
            self.reasons[_name(self.reasons, page.reason)] += 1
        if page.status:
            media_type = _name(self.media_types, page.media_type or "unknown")
            self.media_types[media_type] += 1
            self.media_bytes[media_type] += page.size_bytes
        if is_parent:
            self.parents += 1
            self.links += children

    def count_revisit(self, page: Page, found: str, more_links: int) -> None:
        """`found`: the name of what it found. `more_links`: how many more links the page has than before."""
        self.pages += 1
        self.bytes += page.size_bytes
        self.statuses[_name(self.statuses, str(page.status))] += 1
        self.revisits[found] += 1
        self.links += more_links

    def count_busy(self, host: str) -> None:
        """With MAX_DISTINCT hosts in the table, a new one takes the place and the count of the lowest.

        So a host that has more than a thousandth of all such answers is always in the table, and no count is too low.
        """
        inherited = 0
        if host not in self.busy and len(self.busy) >= MAX_DISTINCT:
            lowest = min(self.busy, key=self.busy.__getitem__)
            inherited = self.busy.pop(lowest)
        self.busy[host] += inherited + 1

    def count_cut(self, state: str, reason: str) -> None:
        self.states[state] += 1
        self.reasons[_name(self.reasons, reason)] += 1

    def take_back_cut(self, state: str, reason: str) -> None:
        """Uncount a cut node that is queued after all."""
        self.states[state] -= 1
        self.reasons[_name(self.reasons, reason)] -= 1


def _name(counter: Counter[str], name: str) -> str:
    """The name under which to count it."""
    if name in counter:
        return name
    fits = len(name) <= MAX_NAME_LENGTH and name.isprintable() and len(counter) < MAX_DISTINCT
    return name if fits else OTHER


def _bounded(counts: dict[str, int]) -> Counter[str]:
    """The committed counts, bounded: an old version may have written them without bounds."""
    counter: Counter[str] = Counter()
    for name, count in counts.items():
        counter[_name(counter, name)] += count
    return counter
