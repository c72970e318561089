"""What a visit of a page says, compared with the one before. Pure.

    first visit    Page ──first_visit──► its row
    re-visit       Page, row before ──revisited──► Revisit: the line, whether there is a new sequence, the row after

A row (frontier/visits.py) follows from the rows before it, the page log and the shards. So a migration and a repair
make the same rows with the same functions, but without ETag and Last-Modified, which are in no file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from webgraph_it.frontier.visits import (
    BODY_CUT,
    GONE,
    LIED,
    PLANNED,
    REDIRECT,
    SHORT_DIGEST_BYTES,
    Visit,
    change_of,
    links_digest,
)
from webgraph_it.items import PARENTS, Page, State
from webgraph_it.shards.encode import revisit_line

GONE_STATUSES = (404, 410)
UNCONDITIONAL_EVERY = 4
NO_PLACE = (0, 0)
UNKNOWN_POLICY = 0
"""The link policy of a row that was made from files: it equals no other."""


KILL_POINTS = {
    "unchanged": "revisit-unchanged",
    "changed": "revisit-changed",
    "gone": "revisit-gone",
    "revisit-failed": "revisit-failed",
}
"""Where a test may kill the crawl, by Revisit.name."""


@dataclass(frozen=True, slots=True)
class Revisit:
    """A re-visit, ready to be recorded."""

    page: Page
    """With its state as a re-visit."""
    change: float
    links: int
    """For the page log."""
    row: Visit
    """What to remember; without the place of a new sequence."""
    links_before: int

    @property
    def name(self) -> str:
        """What was found, in one word: that of its state, or `changed`."""
        return "changed" if self.page.state in PARENTS else self.page.state

    @property
    def line(self) -> str:
        """For the page log."""
        return revisit_line(self.page, self.links if self.page.in_graph else 0, self.row.visits, self.change)

    @property
    def more_links(self) -> int:
        """How many more links of the graph the page has than before."""
        is_known = self.page.in_graph and self.page.state is not State.REVISIT_FAILED
        return self.links - self.links_before if is_known else 0


def first_visit(
    page: Page, children: Sequence[bytes], policy: int, place: tuple[int, int] = NO_PLACE
) -> Visit:
    """The row of a page that was fetched. `place`: file number and offset of its sequence, if it has one."""
    return Visit(
        _flags(page),
        page.time,
        page.time,
        1,
        0.0,
        links_digest(children),
        _short(page.content_digest),
        policy,
        *place,
        len(children),
        *_validators(page),
    )


def revisited(
    page: Page,
    before: Visit,
    children: Sequence[bytes],
    policy: int,
    links_before: Callable[[], set[bytes] | None],
) -> Revisit:
    """`links_before` is called only if the links changed; None if they can no longer be read, which counts as 1."""
    if page.state is State.UNCHANGED:
        return _unchanged(page, before._replace(last_visit=page.time, visits=before.visits + 1))
    if page.state in PARENTS:
        return _compared(page, before, children, policy, links_before)
    if page.status in GONE_STATUSES:
        return _gone(page, before)
    return Revisit(replace(page, state=State.REVISIT_FAILED), 0.0, 0, before, 0)


def _unchanged(page: Page, row: Visit) -> Revisit:
    return Revisit(replace(page, state=State.UNCHANGED), 0.0, row.links, row, row.links)


def _compared(
    page: Page,
    before: Visit,
    children: Sequence[bytes],
    policy: int,
    links_before: Callable[[], set[bytes] | None],
) -> Revisit:
    now = first_visit(page, children, policy)
    same_kind = now.flags & REDIRECT == before.flags & REDIRECT and not before.is_gone
    if same_kind and now.links_digest == before.links_digest:
        row = now._replace(
            flags=now.flags | before.flags & LIED,
            visits=before.visits + 1,
            last_change=before.last_change,
            changes=before.changes,
            file_number=before.file_number,
            offset=before.offset,
        )
        return _unchanged(page, row)
    known = None if before.is_gone else links_before()
    change = 1.0 if known is None else change_of(known, set(children))
    flags = now.flags | LIED * _lied(before, now)
    row = now._replace(flags=flags, visits=before.visits + 1, changes=before.changes + change)
    return Revisit(page, change, len(children), row, _links(before))


def _gone(page: Page, before: Visit) -> Revisit:
    change = 0.0 if before.is_gone else 1.0
    row = before._replace(
        flags=(before.flags | GONE) & ~PLANNED,
        last_visit=page.time,
        last_change=before.last_change if before.is_gone else page.time,
        visits=before.visits + 1,
        changes=before.changes + change,
        etag=b"",
        last_modified=b"",
    )
    return Revisit(replace(page, state=State.GONE), change, 0, row, _links(before))


def _links(before: Visit) -> int:
    return 0 if before.is_gone else before.links


def _flags(page: Page) -> int:
    return BODY_CUT * page.body_cut | REDIRECT * (page.state is State.REDIRECT)


def _short(content_digest: str) -> bytes:
    return bytes.fromhex(content_digest[: 2 * SHORT_DIGEST_BYTES]) or bytes(SHORT_DIGEST_BYTES)


def _validators(page: Page) -> tuple[bytes, bytes]:
    """Only a document's: a redirect is small anyway."""
    return (page.etag, page.last_modified) if page.state is State.FETCHED else (b"", b"")


def _lied(before: Visit, now: Visit) -> bool:
    """Whether the validators are the same although the links are not, or were so before."""
    if before.flags & LIED:
        return True
    same = (before.etag, before.last_modified) == (now.etag, now.last_modified)
    return same and now.policy == before.policy and bool(now.etag or now.last_modified) and not before.is_gone


def may_ask_conditionally(visit: Visit, policy: int) -> bool:
    """Whether a 304 would say that the links are the same: the whole body was read, by the same rules.

    Some servers answer 304 whatever changed. So one visit in UNCONDITIONAL_EVERY does without. Validators that stayed
    the same although the links changed are not used again.
    """
    if visit.flags & (GONE | BODY_CUT | REDIRECT | LIED) or visit.policy != policy:
        return False
    if (visit.visits + 1) % UNCONDITIONAL_EVERY == 0:
        return False
    return bool(visit.etag or visit.last_modified)
