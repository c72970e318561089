"""Which URL is next, and when: host queues, seen set, politeness, commit.

The life of a URL:

    add ──► seen? ──no──► queued in its host's queue ──next──► leased ──answered──► being read ──done──► finished
               │                    ▲                            │                      │
               └─yes─► nothing      └── release, retry, other spelling, crash ──────────┘

`answered` is optional: it ends the host's turn before the page is read. Without it `done` does both.

Guarantees:
 1. A URL (by its digest) is handed out until it is `done`, and never again after that, unless a re-visit is planned.
2. A host has at most one lease that was not answered, and none before the host's clock and its address's
    clock allow it.
3. Ready hosts take turns: every host that has URLs is served, however many the others have.
4. What `freeze` took and `Frozen.write` wrote survives a crash at any moment, all of it or nothing,
    together with the metadata of that write. After a crash, leases are given back and clocks restart at the opening.
 5. Memory is bounded by the settings, not by the number of URLs or hosts: queues, records and the lines
    of waiting hosts are on disk.

Everything runs in the crawl thread, except `Frozen.write`. Nothing here reads a clock or knows Scrapy.

    frontier = Frontier.open(RocksStore(path), Politeness(...), Order.BREADTH, Limits(...), now)
    added = frontier.add(links, depth, via, now, host_depth=…, content_digest=…, traps={digest: reason})
        # links of a page: depth = lease.depth + 1, via = lease.key, host_depth = lease.host_depth
    added = frontier.add_seeds(links, now)  # a slice at a time; durable with the next commit
    lease = frontier.next(now)            # None: nothing may be fetched now
    frontier.wake_at()                    # when to call `next` again; None: nothing waits for a clock
    frontier.may_retry(lease)             # False: record the failure as final, Kind.FINISHED
    frontier.answered(lease, Outcome(...), now)  # the fetch has ended: its host's other URLs may be leased
    frontier.done(lease, Outcome(...), now)
    frontier.release(lease, now, ready_at, crawl_delay_seconds=None, busy_address=None)
    frontier.locate_first()               # from now on, hosts with unknown addresses are strangers, not leases
    stranger = frontier.next_stranger()   # None: there is none now
    frontier.located(stranger.host, address)  # empty: its name does not resolve
    frontier.address_ready(address, now)  # the earliest time ≥ now that the address may be asked
    frontier.address_used(address, when)
    frontier.use_leases(leases)           # in a fleet: an address must be leased before it is asked
    frontier.leased(address, ready_at, now)  # it is now
    frozen = frontier.freeze()            # crawl thread: O(1)
    frozen.write({"shards": b"…"})        # commit thread: durable when it returns; on error, call again
    frontier.forget(frozen)               # crawl thread, after write; the next freeze does it by itself
    frontier.put_meta(name, value); frontier.get_meta(name)
    frontier.plan_visits(pages, made_at, now)  # a second queue per host: leases with is_revisit
    frontier.visit(digest)                # what the last visit showed; Outcome.visit replaces it
    frontier.move_untried(after_key, most, priority)  # other places for URLs that were never tried
    frontier.set_robots(origin, record); frontier.robots(origin)
    frontier.counts(); frontier.hosts()   # hosts(): an iterator of HostReport
    frontier.committed_hosts(); frontier.committed_states(digests)  # as of the last commit, from any thread
    frontier.close()                      # commits, marks the store as cleanly closed
"""

from .frontier import Frontier
from .layers import Frozen
from .politeness import Politeness
from .records import (
    Added,
    Counts,
    Cut,
    Failure,
    FrontierError,
    HostReport,
    Kind,
    Lease,
    Limits,
    Order,
    Outcome,
    PlannedVisit,
    Stranger,
)
from .rocks import RocksStore
from .store import MemoryStore, Store

__all__ = [
    "Added",
    "Counts",
    "Cut",
    "Failure",
    "Frontier",
    "FrontierError",
    "Frozen",
    "HostReport",
    "Kind",
    "Lease",
    "Limits",
    "MemoryStore",
    "Order",
    "Outcome",
    "PlannedVisit",
    "Politeness",
    "RocksStore",
    "Store",
    "Stranger",
]
