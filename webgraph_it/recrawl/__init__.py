"""When to visit pages again: the plan of a re-crawl, and what the crawl records of a re-visit.

    page log, shards ─► recrawl plan ─► JOBDIR/recrawl/000001/ ─► crawl (at its opening, or at a checkpoint)
          ▲                                                          │
          └──────────────── visits: unchanged, changed, gone ◄───────┘

**A plan** (plan_files.py, byte by byte; lists.py makes one from what a cluster chose) has two lists: pages to visit
again, sorted by key, and new priorities of URLs that were never tried, sorted by digest. It is a folder that is
renamed when it is whole. The crawl imports plans by number, in slices that are committed with the frontier. So an
import that was killed continues where it was. A page that waits for a re-visit already, that was visited since the
plan was made, or that was never fetched, is skipped.

**A re-visit** adds one line to the page log: the same fields as any line, then `visit` (2 for the second visit) and
`change`, which is 1 - |before ∩ now| / |before ∪ now| of its link sets (0 if it is unchanged, also without links; 1
when it goes and when it comes back; 0 if it could not be read). Its `state` says what was found:

    unchanged            a 304, or the same links. No sequence. `links` counts the links it still has.
    fetched, redirect    other links, a redirect that became a document or the reverse, or a page that was gone: one new
                         sequence in the shards
    gone                 404 or 410: its arcs end at `time`. It may be visited again, and may come back as `fetched`.
    revisit-failed       anything else (`reason` says what). What was known stays, and the visit does not count.

**Which sequence belongs to which visit.** The lines with the state `fetched` or `redirect` whose keys are in a URL list
are in the same order as the sequences: the n-th such line of `pages/` is the n-th sequence of `graph/`, also by file
number. So each sequence has a time, and the n-th sequence of a node belongs to its n-th such line.

**Visit rows** (frontier/visits.py, byte by byte) are what the crawl itself needs at hand for a re-visit. Everything in
them except ETag, Last-Modified and the link policy can be computed from the page log and the shards.
"""
