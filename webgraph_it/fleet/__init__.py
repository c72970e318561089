"""Several crawls as one: a fleet of members that finds the graph of a single crawl, byte for byte.

    member 1   page ─► links/000001.tsv ─► commit ─► ship ──┐
                                                            ▼
    member 2                             apply in one step (queue, URL list, cursor) ─► commit ─► status

slices.py      who owns a site: site → one of 1,024 slices → member
exchange.py    the pure decisions: what to ship, what to apply, what to delete, when the crawl is over
log.py         the lines of the link log
loans.py       a host of another member, borrowed for its robots.txt
transport.py   what carries batches, statuses, shares and leases; whatever it loses is sent again
local.py       the transport of one machine: files
shares.py      one bandwidth plan and one connection cap for all members
leases.py      which member may ask an address, and until when
local_broker.py  shares and leases on one machine: a small database
redis/         all of it over Redis or Valkey, on several machines
supervisor.py  starts, watches and restarts the members (webgraph-it fleet); restarts.py, printed.py, watched.py
words.py       what people are shown

Guarantees: a link reaches the owner of its site exactly once, whatever dies and whatever is lost on the way. Only
committed bytes are shipped, a cursor is part of its receiver's own commit, and bytes are deleted only below every
receiver's committed cursor.
"""
