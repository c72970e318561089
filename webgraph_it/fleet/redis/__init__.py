"""A fleet over Redis or Valkey, for members on several machines.

link.py        one connection in a thread of its own, which nobody can cancel
scripts.py     what runs in the server: shares.py and leases.py in Lua, and bounded reading of mailboxes
broker.py      shares and leases
mailboxes.py   links and statuses

Guarantees: the server may lose everything at any time. Whoever can write to it can neither run code here, nor make a
member use more than its own caps, nor make it read more than a bounded amount. What it delivers is checked by whoever
takes it in (crawl/inbox.py).

Keys, all of which begin with `webgraph_it:`
    broker     hash    the broker's clock; `m:N` the share of member N, `f:N:EPOCH` of an earlier process of it
    epochs     hash    member → its highest epoch
    questions  hash    member → epoch and number of its last question about addresses
    leases     hash    address → holder, epoch, until, fresh until, turn until, who waits
    ended      zset    address → until
    recall:N   set     addresses that others want of member N
    mail:N     stream  batches for member N: s(ender) e(poch) b(egin) n (end) l(ines, zstd)
    board      hash    member → its status
    run        string  names the server's memory
"""
