"""Queues URLs that were never seen before and that no limit cuts, each at its place in its host's queue.

    links of a page ─► seen? ─► cut? ─► host's queue, line of hosts
    seeds           ─► the same, for many hosts at once

Every change goes to the layers in the same call: a commit contains all of a call or nothing of it.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count

from webgraph_it.items import Link, State
from webgraph_it.urls.rules import Rules

from .domain_pages import DomainPages
from .hosts import Host
from .layers import Layers
from .layout import PLACE, QUEUE, SEEN, host_of, packed_entry, packed_seed, packed_seen, seen_of
from .order import HIGHEST, Priority
from .records import Added, Cut, Limits
from .roster import Roster
from .seen import Seen
from .state import Totals
from .traps import Traps

DEPTH, PAGES_PER_HOST, PAGES_PER_DOMAIN = "depth", "pages-per-host", "pages-per-domain"
"""Reasons of State.QUOTA_CUT."""
BY_CHOICE = frozenset({"deltafetch"})
"""Reasons given by the caller of `add` for links that are no traps: an earlier crawl has fetched them."""


class Intake:
    """The way into the queues."""

    def __init__(
        self,
        layers: Layers,
        roster: Roster,
        totals: Totals,
        limits: Limits,
        priority: Priority,
        *,
        reads_texts: bool = False,
    ) -> None:
        """`reads_texts`: the priority also depends on the texts of links."""
        self._layers = layers
        self._roster = roster
        self._totals = totals
        self._limits = limits
        self._priority = priority
        self._reads_texts = reads_texts
        self.traps = Traps(layers, limits)
        self.domains = DomainPages(layers, limits.max_pages_per_domain)
        self.seen = Seen(layers)
        self.rules = Rules()
        self.owns: Callable[[str], bool] = lambda key: True
        """Whether a node that a page log names is this crawl's. After a change of size, others' nodes are in it."""

    def add(
        self,
        links: Sequence[Link],
        depth: int,
        via: str,
        now: float,
        *,
        host_depth: int = 0,
        content_digest: str = "",
        traps: Mapping[bytes, str] | None = None,
        page_trap: str = "",
        texts: Sequence[tuple[bytes, str]] = (),
    ) -> Added:
        """Frontier.add."""
        page_trap = page_trap or self.content_trap(via, content_digest)
        new = self.seen.new(links)
        page_host = host_of(via) if via else ""
        touched: dict[str, Host] = {}
        cuts: list[Cut] = []
        said = _joined(texts) if self._reads_texts and texts else {}
        for link in new:
            name = host_of(link.key)
            host = touched.get(name)
            if host is None:
                host = touched[name] = self._roster.host(name)
            link_host_depth = host_depth + 1 if name == page_host else 0
            trap = (traps and traps.get(link.digest)) or page_trap
            cut = self._cut(link, host, depth, link_host_depth, trap)
            if cut is None:
                self.enqueue(host, link, depth, link_host_depth, via, now, said.get(link.digest, ""))
            else:
                cuts.append(cut)
                self.seen.keep(link.digest, packed_seen(cut.state, 0))
        for host in touched.values():
            if host.accepted:
                self._roster.save(host)
        self._totals.seen += len(new)
        self._totals.cut += len(cuts)
        return Added(new, cuts)

    def content_trap(self, page_key: str, content_digest: str) -> str:
        """Frontier.content_trap."""
        return self.traps.same_content(page_key, content_digest)

    def add_seeds(self, links: Sequence[Link], now: float) -> Added:
        """Frontier.add_seeds."""
        names = [host_of(link.key) for link in links]
        hosts = self._roster.known(set(names))
        known = self.seen.known(self._perhaps_seen(links, names, hosts))
        new: list[Link] = []
        cuts: list[Cut] = []
        uncut: list[State] = []
        queued: dict[str, Host] = {}
        planted: set[str] = set()
        to_plant: list[Link] = []
        for link, name in zip(links, names, strict=True):
            key = SEEN + link.digest
            seen = known.get(key)
            is_first = name not in hosts and name not in planted and not self.domains.limit
            if seen is None and is_first and "?" not in link.key:
                known[key] = b""
                to_plant.append(link)
                planted.add(name)
                new.append(link)
                continue
            was = seen_of(seen)[0] if seen else State.NEVER_TRIED
            was_cut = was in (State.TRAP_CUT, State.QUOTA_CUT)
            if seen is not None and not was_cut:
                continue
            self._plant(to_plant, now)
            to_plant.clear()
            host = hosts.get(name)
            if host is None:
                host = hosts[name] = self._roster.host(name)
            cut = self._cut(link, host, 0, 0, "", is_seed=True)
            known[key] = state = b"" if cut is None else packed_seen(cut.state, 0)
            if state != seen:
                self._layers.put(key, state)
            if not was_cut:
                new.append(link)
            if cut is None:
                self.enqueue(host, link, 0, 0, "", now)
                queued[name] = host
                if was_cut:
                    uncut.append(was)
            elif not was_cut:
                cuts.append(cut)
        self._plant(to_plant, now)
        for host in queued.values():
            self._roster.save(host)
        self._totals.seen += len(new)
        self._totals.cut += len(cuts) - len(uncut)
        return Added(new, cuts, tuple(uncut))

    def _perhaps_seen(
        self, links: Sequence[Link], names: list[str], hosts: Mapping[str, Host]
    ) -> Sequence[Link]:
        """Links that may have been seen. The others are new: on an unsaved host, only cut URLs were seen."""
        if self._totals.cut:
            return links
        return [link for link, name in zip(links, names, strict=True) if name in hosts]

    def _cut(
        self, link: Link, host: Host, depth: int, host_depth: int, trap: str, *, is_seed: bool = False
    ) -> Cut | None:
        limits = self._limits
        if trap:
            return Cut(link, State.QUOTA_CUT if trap in BY_CHOICE else State.TRAP_CUT, trap, host_depth)
        if limits.max_depth and depth > limits.max_depth:
            return Cut(link, State.QUOTA_CUT, DEPTH, host_depth)
        if self.rules and self._is_too_deep(link, depth):
            return Cut(link, State.QUOTA_CUT, DEPTH, host_depth)
        if reason := self.traps.host_depth(host_depth) or self.traps.queries(link):
            return Cut(link, State.TRAP_CUT, reason, host_depth)
        if cut := self._cut_by_quota(link, host, host_depth):
            return cut
        if not (host.accepted or is_seed) and (reason := self.traps.hosts(host.name)):
            return Cut(link, State.TRAP_CUT, reason, host_depth)
        return None

    def cut(self, link: Link, host: Host, depth: int, host_depth: int) -> Cut | None:
        """Why a node that was found elsewhere is not queued; None if no limit forbids it. It counts towards them."""
        return self._cut(link, host, depth, host_depth, "", is_seed=not depth)

    def _cut_by_quota(self, link: Link, host: Host, host_depth: int) -> Cut | None:
        most = self._limits.max_pages_per_host
        if self.rules and (rule := self.rules.of_host(host.name)) is not None and rule.max_pages is not None:
            most = rule.max_pages
        if most and host.accepted >= most:
            return Cut(link, State.QUOTA_CUT, PAGES_PER_HOST, host_depth)
        if self.domains.is_full(host.name):
            return Cut(link, State.QUOTA_CUT, PAGES_PER_DOMAIN, host_depth)
        return None

    def _is_too_deep(self, link: Link, depth: int) -> bool:
        rule = self.rules.first(link.key, link.url)
        return rule is not None and rule.max_depth is not None and depth > rule.max_depth

    def _is_blocked(self, link: Link, mime: str = "") -> bool:
        rule = self.rules.first(link.key, link.url, mime) if self.rules else None
        return rule is not None and rule.block

    def _was_cut_here(self, link: Link) -> bool:
        return self.seen.is_quota_cut(link.digest) and self.owns(link.key)

    def unblock(
        self, link: Link, depth: int, host_depth: int, via: str, now: float, *, mime: str = ""
    ) -> bool:
        """Frontier.unblock. The node was accepted before, so no limit is asked again."""
        if not self._was_cut_here(link) or self._is_blocked(link, mime):
            return False
        host = self._roster.host(host_of(link.key))
        if not host.accepted:
            return False
        host.finished -= 1
        self._totals.done -= 1
        self.enqueue(host, link, depth, host_depth, via, now)
        host.accepted -= 1  # it was counted when it was first queued
        self.domains.count_page(host.name, -1)
        self._roster.save(host)
        self.seen.mark_queued(link.digest)
        return True

    def reconsider(self, link: Link, depth: int, host_depth: int, via: str, reason: str, now: float) -> bool:
        """Frontier.reconsider."""
        if not self._was_cut_here(link) or self._is_blocked(link):
            return False
        host = self._roster.host(host_of(link.key))
        limits = self._limits
        if (limits.max_depth and depth > limits.max_depth) or self._cut_by_quota(link, host, host_depth):
            return False
        if self.rules and self._is_too_deep(link, depth):
            return False
        if not host.accepted and self.traps.hosts(host.name):
            return False
        if reason == DEPTH and (self.traps.host_depth(host_depth) or self.traps.queries(link)):
            return False  # a node that pages-per-host cut had passed these, and was counted
        self.enqueue(host, link, depth, host_depth, via, now)
        self._roster.save(host)
        self.seen.mark_queued(link.digest)
        self._totals.cut -= 1
        return True

    def enqueue(
        self, host: Host, link: Link, depth: int, host_depth: int, via: str, now: float, text: str = ""
    ) -> None:
        """Append the link to its host's queue. A host without URLs joins the line. `text`: that of the link."""
        packed = packed_entry((link.url, link.key, via, link.digest), depth, host_depth)
        self.append(host, self._place_of(link, text, depth, via), packed)
        self._totals.entries += 1
        if not host.accepted:
            self._totals.hosts += 1
            self.traps.count_host(host.name)
        self.domains.count_page(host.name)
        host.accepted += 1
        host.queued += 1
        if host.entries == 1:
            self._roster.enter(host, now)
        elif host in self._roster.resting:
            self._roster.put(host, now)

    def _plant(self, seeds: list[Link], now: float) -> None:
        """Queue seeds on new hosts. Does what `_cut`, `enqueue` and `save` would do, in less time."""
        priority, count_host = self._ruled_priority, self.traps.count_host
        names: list[bytes] = []
        changes: dict[bytes, bytes] = {}
        queues: dict[bytes, bytes] = {}
        first = self._totals.next_numbers(2 * len(seeds))
        for number, (url, key, digest, _) in zip(count(first, 2), seeds):
            host = host_of(key)
            name = host.encode()
            prefix = QUEUE + name + b")"
            queues[prefix] = entry = prefix + PLACE.pack(priority(key, url, 0, ""), number, 0)
            changes[entry] = packed_seed(url, key, digest)
            changes[SEEN + digest] = b""
            count_host(host)
            names.append(name)
        self._layers.start_ranges(queues, changes)
        self._roster.enter_new(names, first + 1, now)
        self._totals.entries += len(seeds)
        self._totals.hosts += len(seeds)

    def _place_of(self, link: Link, text: str, depth: int, via: str) -> bytes:
        """`new_place`, moved by the priority that a rule sets. `text`: that of the link, if it matters."""
        priority = self._ruled_priority(link.key, link.url, depth, via, text)
        return PLACE.pack(priority, self._totals.next_number(), 0)

    def _ruled_priority(self, key: str, url: str, depth: int, via: str, text: str = "") -> int:
        usual = self._priority(f"{key} {text}" if text else key, depth, via)
        rule = self.rules.first(key, url) if self.rules else None
        if rule is None or not rule.priority:
            return usual
        return max(0, min(usual + rule.priority, HIGHEST))

    def new_place(self, key: str, depth: int, via: str) -> bytes:
        """A place after all entries of the same priority."""
        return PLACE.pack(self._priority(key, depth, via), self._totals.next_number(), 0)

    def move(self, name: str, entry: bytes, packed: bytes, priority: int) -> None:
        """Put an entry of a host's queue, which is neither leased nor being read, to another priority."""
        host = self._roster.host(name)
        self._layers.remove(entry)
        if host.window is not None:
            host.window.discard(entry)
        self.append(host, PLACE.pack(priority, self._totals.next_number(), 0), packed)
        self._roster.save(host)

    def append(self, host: Host, place: bytes, packed: bytes) -> None:
        """Put an entry into the queue of its host."""
        entry = host.prefix + place
        self._layers.append(host.prefix, entry, packed)
        if host.window is not None:
            host.window.offer((entry, packed))
        if place < host.lowest:
            host.lowest = place


def _joined(texts: Sequence[tuple[bytes, str]]) -> dict[bytes, str]:
    """All texts of each target together."""
    found: dict[bytes, str] = {}
    for digest, text in texts:
        found[digest] = f"{found[digest]} {text}" if digest in found else text
    return found
