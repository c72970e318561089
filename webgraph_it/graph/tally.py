"""What the recorded pages add up to: the counts that reports and progress show.

Committed with the pages it counts, as JSON, so a crash neither loses nor repeats a count. Bounded: media
types beyond MOST_TYPES count as "other". What became of a single seed, the frontier knows.
"""

import json
from collections import Counter
from typing import Any

from webgraph_it.items import Page

MOST_TYPES = 1000
COUNTERS = ("states", "statuses", "media_types", "media_bytes", "reasons")


class Tally:
    """Totals since the crawl began, over all its runs."""

    def __init__(self, committed: bytes | None = None) -> None:
        found: dict[str, Any] = json.loads(committed) if committed else {}
        self.pages: int = found.get("pages", 0)
        """Lines in the page log that stand for a fetch: all but the cut ones."""
        self.links: int = found.get("links", 0)
        self.parents: int = found.get("parents", 0)
        self.bytes: int = found.get("bytes", 0)
        self.seconds: float = found.get("seconds", 0.0)
        """Crawling time of earlier runs."""
        self.states: Counter[str] = Counter(found.get("states", {}))
        self.statuses: Counter[str] = Counter(found.get("statuses", {}))
        self.media_types: Counter[str] = Counter(found.get("media_types", {}))
        self.media_bytes: Counter[str] = Counter(found.get("media_bytes", {}))
        self.reasons: Counter[str] = Counter(found.get("reasons", {}))

    def to_bytes(self) -> bytes:
        return json.dumps(vars(self)).encode()

    @property
    def links_per_page(self) -> float:
        return self.links / self.parents if self.parents else 0.0

    def count(self, page: Page, children: int, *, is_parent: bool) -> None:
        self.pages += 1
        self.bytes += page.size_bytes
        self.states[page.state] += 1
        self.statuses[str(page.status)] += 1
        if page.reason:
            self.reasons[page.reason] += 1
        if page.status:
            media_type = page.media_type or "unknown"
            if media_type not in self.media_types and len(self.media_types) >= MOST_TYPES:
                media_type = "other"
            self.media_types[media_type] += 1
            self.media_bytes[media_type] += page.size_bytes
        if is_parent:
            self.parents += 1
            self.links += children

    def count_cut(self, state: str, reason: str) -> None:
        self.states[state] += 1
        self.reasons[reason] += 1
